"""How questions on a note are worded from what it says, in each language."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_core.language.words import word_set
from rag_core.model.note import Language

_NAME = r"[A-ZÁÉÍÓÚÑÜÄÖ][\w'’-]+(?: (?:(?:de|del|de la|von) )?[A-ZÁÉÍÓÚÑÜÄÖ][\w'’-]+){0,2}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalWording:
    """How one language says who did what, and how it asks for it.

    ``clause`` finds subject, verb and rest at the beginning of a sentence, ``definition`` term, copula and what it is;
    ``and_verb`` is where a second predicate begins, ``finite`` the beginning of a clause rather than of a noun,
    ``dated`` of one that tells what happened on a day, ``unclear`` of one that speaks of somebody named before.
    ``object_of_two`` begins what may be asked by "what" of two days, ``named_with`` are articles that a question repeats.
    ``because`` stands between an effect and its cause, both clauses, ``therefore`` between cause and effect. ``months`` are
    twelve names. Questions have their parts in braces; an empty one is not asked in that language. ``vague`` are words that
    only point at something said before, ``no_names`` begin sentences with a capital without naming anybody.
    """

    clause: str
    definition: str
    because: str
    therefore: str
    verb_of_cause: str
    object_start: str
    object_of_two: str
    and_verb: str
    finite: str
    dated: str
    unclear: str
    vague: frozenset[str]
    no_names: frozenset[str]
    articles: frozenset[str]
    named_with: frozenset[str]
    date: str
    months: tuple[str, ...]
    quoted: str
    who: str
    what: str
    when: str
    how_many: str
    amount: str
    why: str
    what_caused: str
    defined: str
    label: str
    list_of: str
    day: str
    difference: str
    on_day: str
    two: str
    what_then: str
    where_then: str
    noted_then: str
    titled_then: str


PROPOSAL_WORDINGS: Mapping[Language, ProposalWording] = {
    "es": ProposalWording(
        clause=rf"(?P<subject>{_NAME}) (?P<verb>(?:(?:se|me|nos) )?(?:(?:ha|han|había|habían) "
        r"(?:\w*[aií]do|hecho|dicho|visto|puesto|escrito|abierto|vuelto|roto|muerto|cubierto|resuelto)|\w{2,}ó|\w{2,}(?:aron|ieron)"
        r"|fue|fueron|hizo|dijo|dio|vino|puso|tuvo|estuvo|pudo|quiso|trajo|tiene|vive|trabaja|quiere|lleva|cobra|vende))"
        r" (?P<rest>\S.*)",
        definition=r"(?P<term>(?:(?:El|La|Los|Las) )?\w[\w-]*(?: (?:de |del )?[\w-]+){0,2}?) (?P<verb>es|son|era|eran) "
        r"(?P<is>(?:un|una|unos|unas|el|la|los|las) .{10,})",
        because=r"\W*\b(?:porque|ya que|puesto que|dado que)\W*",
        therefore=r"\W*\b(?:por eso|así que|de modo que|por lo que|por lo cual)\W*",
        verb_of_cause=r"(?:me|nos|le|les)? ?(?:provoc|caus|origin|desat|desencaden|produj|motiv|ocasion|gener)\w*(?:ó|a|o|aba)",
        object_start=r"(?!(?:ayer|mujer|taller|alquiler|lugar|hogar|par|mar|que sí|que no) )"
        r"(?:un|una|unos|unas|que|mi|su|\w{2,}(?:ar|er|ir)(?:se|me)?) ",
        object_of_two=r"(?:el|la|los|las|un|una|unos|unas|media|medio|mi|su|que|\w{3,}s) ",
        and_verb=r" [ye] (?:que |no |\w+ )?(?:(?:se|me|nos|le|les|lo|la|los|las) )?"
        r"(?:\w{2,}(?:ó|aron|ieron|aba|aban|ía|ían)|ha|han|he|tiene|hizo|dijo|dio|vino|puso|tuvo|fue|fueron|debe|va|está|es|ni)\b",
        finite=r"(?:(?!que\b|qué\b)\w+ ){0,3}?(?:\w{2,}(?:ó|é|í|aron|ieron|aba|aban|ábamos|ía|ían|íamos|amos|emos|imos)|"
        r"es|son|va|voy|van|está|están|estoy|ha|han|he|hay|fue|era|eran|tiene|tengo|puede|puedo|quiere|quiero|hace|dice|hizo|"
        r"dijo|vino|puso|propuse|pude|tuve|hice|iba|iban|sale|llega|cuesta)\b",
        dated=r"(?:\w+ ){0,2}?(?:\w{2,}(?:ó|é|í|aron|ieron|amos|imos)|he|hemos|ha|han|fue|hizo|dijo|vino|hice)\b",
        unclear=r"[Nn]o l[aeo]s? \w+(?:é|í|ó|o|a|e)\b|(?:[Ll]o|[Ll]es?) \w+(?:é|í|ó|o)\b|.* y que |"
        r"(?:[Nn]o )?(?:(?:[Ss]e|[Mm]e|[Nn]os|le|les) )?(?:\w+(?:ó|aron|ieron|aban?|ían?)|iban?|era|eran|fue|fueron|hizo|dijo|vino)\b",
        vague=word_set(
            "eso esto aquello ese esa este esta ello allí ahí entonces ambos ambas aquí así tal algo nada cosa cosas "
            "ella ellos ellas él hoy ayer anoche ahora mismo misma"
        ),
        no_names=word_set(
            "hoy ayer mañana luego después ahora aquí allí también además pero como cuando si no sí la el los las un una todo "
            "todos nada nadie quien que mi su lo al del por para con sin en a de y o me se le nos les te ya muy más menos"
        ),
        articles=word_set("el la los las un una unos unas del al"),
        named_with=word_set("el la los las"),
        date="{day} de {month} de {year}",
        months=(
            *("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre"),
            *("noviembre", "diciembre"),
        ),
        quoted="«{title}»",
        who="¿Quién {verb} {rest}?",
        what="¿Qué {verb} {subject}{day}?",
        when="¿Cuándo {verb} {subject} {rest}?",
        how_many="¿{howmany} {unit} {verb} {subject}{rest}?",
        amount="¿Qué cantidad de {thing} apunté en {title}?",
        why="¿Por qué {effect}?",
        what_caused="¿Qué {verb} {effect}?",
        defined="¿Qué {verb} {term}?",
        label="¿Qué apunté sobre {label} en {title}?",
        list_of="¿Qué puse en la lista {heading} de {title}?",
        day="¿Qué pasó el {date}?",
        difference="¿En qué se diferencian {one} y {other}?",
        on_day=" el {date}",
        two="¿{one} y {other}?",
        what_then="¿Qué {verb} {subject} {one} y qué {other}?",
        where_then="¿Dónde {verb} {subject} {one} y dónde {other}?",
        noted_then="¿Qué apunté sobre {thing} {one} y qué {other}?",
        titled_then="¿Qué apunté en {title} {one} y qué {other}?",
    ),
    "de": ProposalWording(
        clause=rf"(?P<subject>{_NAME}) (?P<verb>(?:[a-zäöü]{{2,}}(?:te|ten|tet)|hat|haben|ist|sind|war|waren|kam|kamen|ging|gingen"
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
        months=(
            *("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober"),
            *("November", "Dezember"),
        ),
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
    ),
    "en": ProposalWording(
        clause=rf"(?P<subject>{_NAME}) (?P<verb>(?:(?!remained|served|included|contained)\w{{2,}}ed|"
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
        months=(
            *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
            *("November", "December"),
        ),
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
    ),
}

UNITS: Mapping[str, str] = {
    "g": "gramos",
    "kg": "kilos",
    "ml": "mililitros",
    "l": "litros",
    "km": "kilómetros",
    "cm": "centímetros",
    "€": "euros",
}
"""Spanish units as a question names them."""

FEMININE_UNITS = word_set("veces noches tardes clases unidades llaves sales partes imágenes órdenes")
MASCULINE_UNITS = word_set("días problemas mapas programas temas sistemas kilogramas poemas")
