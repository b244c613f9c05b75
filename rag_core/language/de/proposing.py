"""German: wording of proposed questions."""

from rag_core.language.de.times import MONTHS
from rag_core.language.proposing import NAME, ProposalWording
from rag_core.language.words import word_set

PROPOSING = ProposalWording(
    clause=rf"(?P<subject>{NAME}) (?P<verb>(?:[a-zäöü]{{2,}}(?:te|ten|tet)|hat|haben|ist|sind|war|waren|kam|kamen|ging|gingen"
    r"|sagte|fuhr|fuhren|gab|gaben|nahm|nahmen|fand|fanden|blieb|blieben|schrieb|rief|brachte|will|wollte|kann|konnte"
    r"|muss|musste|arbeitet|wohnt|kostet)) (?P<rest>\S.*)",
    definition=r"(?P<term>(?:(?:Der|Die|Das) )?[A-ZÄÖÜ][\w-]*(?: [A-ZÄÖÜ][\w-]*){0,2}) (?P<verb>ist|sind|war|waren) "
    r"(?P<is>(?:ein|eine|der|die|das) .{10,})",
    because=r"\W*\b(?:weil|da|denn)\W*",
    therefore=r"\W*\b(?:deshalb|deswegen|daher|darum)\W*",
    verb_of_cause=r"(?:verursach|bewirk|auslös|löste|führte zu)\w*",
    object_start=r"(?:ein|eine|einen|dass|mein|meine|meinen|zwei|drei|vier|fünf) ",
    object_of_two=r"(?!)",
    and_verb=r" und (?:[a-zäöü]{2,}(?:te|ten)|hat|ist|war|kam|ging|sagte|fuhr|gab|nahm|blieb|rief)\b",
    finite=r".+",
    dated="",
    unclear=r"(?:es|er|sie|ihn|ihm) ",
    vague=word_set("dies dieses dieser diese dort da dann so beide jener damit davon dazu heute gestern jetzt"),
    no_names=word_set(
        "heute gestern morgen dann danach jetzt hier dort auch aber wie als wenn nein ja der die das ein eine alles alle "
        "nichts niemand wer was mein sein ihr es er sie wir ich man und oder nach vor bei mit ohne in an auf zu noch nur"
    ),
    articles=word_set("der die das den dem des ein eine einen einem einer eines kein keine mein meine"),
    named_with=frozenset(),
    date="{day}. {month} {year}",
    months=MONTHS,
    quoted="„{title}“",
    who="Wer {verb} {rest}?",
    what="",
    when="Wann {verb} {subject} {rest}?",
    how_many="",
    amount="Welche Menge {thing} steht in {title}?",
    why="Warum hieß es: „{effect}“?",
    what_caused="Was {verb} {effect}?",
    defined="Was {verb} {term}?",
    label="Was habe ich zu {label} in {title} notiert?",
    list_of="Was steht auf der Liste {heading} in {title}?",
    day="Was ist am {date} passiert?",
    difference="Worin unterscheiden sich {one} und {other}?",
    on_day=" am {date}",
    two="{one}, und {other}?",
    what_then="",
    where_then="",
    noted_then="Was habe ich {one} zu {thing} notiert, und was {other}?",
    titled_then="Was habe ich {one} in {title} notiert, und was {other}?",
    measures="g|kg|ml|l|cl|EL|TL",
)
