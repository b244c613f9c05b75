"""English: wording of proposed questions."""

from rag_core.language.en.times import MONTHS
from rag_core.language.proposing import NAME, ProposalWording
from rag_core.language.words import word_set

PROPOSING = ProposalWording(
    clause=rf"(?P<subject>{NAME}) (?P<verb>(?:(?!remained|served|included|contained)\w{{2,}}ed|"
    r"has \w+ed|came|went|said|told|gave|took|made|brought|bought|found"
    r"|left|wrote|sent|got|saw|spoke|began|chose|paid|sold|lost|won|met|kept|put|wants|works|lives)) (?P<rest>\S.*)",
    definition=r"(?P<term>(?:The )?[A-Z][\w-]*(?: [\w-]+){0,2}?) (?P<verb>is|are|was|were) (?P<is>(?:an?|the) .{10,})",
    because=r"\W*\b(?:because|since)\W*",
    therefore=r"\W*\b(?:that is why|that's why|therefore|so)\W*",
    verb_of_cause=r"(?:caused|causes|triggered|led to|resulted in|brought about)",
    object_start=r"(?:an?|that|my|two|three|four|five) ",
    object_of_two=r"(?!)",
    and_verb=r" and (?:\w{2,}ed|has|was|is|came|went|said|told|gave|took|made|left|got)\b",
    finite=r"(?:[Ww]e|[Tt]he|[Mm]y|[Oo]ur|[A-Z]\w*) .+",
    dated=r"(?:I|[Ww]e|[A-Z]\w+) (?:\w+ed|was|were|had|went|came|left|got|took|made|did|could)\b",
    unclear=r"(?:[Hh]e|[Ss]he|[Tt]hey|[Ii]t|[Hh]is|[Hh]er|[Hh]owever) ",
    vague=word_set("this these those it there then both so such today yesterday now"),
    no_names=word_set(
        "today yesterday tomorrow then after now here there also but how when if no yes the a an all everything nothing "
        "nobody who what my his her it he she we i they you and or not in at on by for with without of to"
    ),
    articles=word_set("the a an my his her their our"),
    named_with=word_set("the"),
    date="{day} {month} {year}",
    months=MONTHS,
    quoted="“{title}”",
    who="Who {verb} {rest}?",
    what="",
    when="",
    how_many="",
    amount="How much {thing} did I note in {title}?",
    why="Why was it that {effect}?",
    what_caused="What {verb} {effect}?",
    defined="What {verb} {term}?",
    label="What did I note about {label} in {title}?",
    list_of="What is on the list {heading} in {title}?",
    day="What happened on {date}?",
    difference="How do {one} and {other} differ?",
    on_day=" on {date}",
    two="{one}, and {other}?",
    what_then="",
    where_then="",
    noted_then="What did I note about {thing} {one}, and what {other}?",
    titled_then="What did I note in {title} {one}, and what {other}?",
    measures="g|kg|ml|l|cl|tsp|tbsp",
    of="of ",
)
