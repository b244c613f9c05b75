"""Spanish: wording of proposed questions."""

from rag_core.language.es.times import MONTHS
from rag_core.language.proposing import NAME, ProposalWording
from rag_core.language.words import word_set

PROPOSING = ProposalWording(
    clause=rf"(?P<subject>{NAME}) (?P<verb>(?:(?:se|me|nos) )?(?:(?:ha|han|había|habían) "
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
    months=MONTHS,
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
    unit_names={
        "g": "gramos",
        "kg": "kilos",
        "ml": "mililitros",
        "l": "litros",
        "km": "kilómetros",
        "cm": "centímetros",
        "€": "euros",
    },
    feminine_units=word_set("veces noches tardes clases unidades llaves sales partes imágenes órdenes"),
    masculine_units=word_set("días problemas mapas programas temas sistemas kilogramas poemas"),
    feminine_endings=("as", "ciones", "dades"),
    asking_number=("Cuántos", "Cuántas"),
    quantity=r"(?P<number>\d[\d.,]*|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte|treinta) "
    r"(?P<unit>[^\W\d_]{3,}s|€|kg|km|g|ml|l)\b(?P<after>.*)",
    not_asked_by_what=("fue", "fueron"),
    place=r"(?:en|debajo de|encima de|dentro de|detrás de|hasta) ",
    measures="g|kg|ml|l|cl|cucharadas?|cucharaditas?|tazas?",
    of="de ",
)
