"""Words that decide which sentences of notes are quoted for a question, and what is said beside a quotation, in each language."""

from collections.abc import Mapping
from datetime import date
from typing import Literal

from rag_core.language.words import word_set
from rag_core.model.note import Language

Wanted = Literal[
    "money",
    "duration",
    "clock",
    "temperature",
    "weight",
    "length",
    "number",
    "date",
    "place",
    "person",
    "name",
    "cause",
    "polarity",
    "speech",
]
"""What a question is after, as a sentence shows it; finer than ``rag_core.reranking.answer_types``, which looks at single words."""

HAPPENING_WORDS: Mapping[Language, frozenset[str]] = {
    "es": word_set(
        """
        hago haces hace hacemos hacen hacía hacíamos hice hiciste hizo hicimos hicieron hacer haciendo hecho
        pasa pasaba pasó pasaron pasar pasado pasando ocurre ocurrió ocurrieron ocurrido sucede sucedió sucedieron sucedido
        estuve estuviste estuvo estuvimos estuvieron estaba fui fuiste fue fuimos fueron anduve
        apunté anoté escribí apuntado anotado escrito cosas cosa día días tal hay dime cuéntame resumen resume notas nota
        """
    ),
    "de": word_set(
        """
        mache machst macht machen machte machten machtest gemacht tue tut tun tat taten getan passiert passierte passierten
        geschah geschehen geschieht los war waren gewesen erlebt erlebte notiert notierte geschrieben tag tage notizen notiz
        """
    ),
    "en": word_set(
        """
        do does did done doing happen happens happened happening occur occurred went go gone going been was were up on
        write wrote written note noted notes day days thing things tell me
        """
    ),
}
"""Words with which one asks for all that was: a question that has no others but a time is for whatever happened in it."""

LIGHT_WORDS: Mapping[Language, frozenset[str]] = {
    "es": HAPPENING_WORDS["es"]
    | word_set(
        """
        digo dice dicen dije dijo dijimos dijeron decir dicho doy da dan di dio dimos dieron dar dado quiero quiere quería quiso querer
        pongo pone puse puso pusimos pusieron poner puesto sé sabe sabía supe supo saber veo ve vi vio vimos vieron ver visto
        vengo viene vine vino vinieron venir llevo lleva llevé llevó llevamos llevar llevado quedo queda quedé quedó quedar quedado
        dejo deja dejé dejó dejamos dejaron dejar dejado sigo sigue seguía siguió seguir tuve tuvo tuvimos tuvieron tenido
        vamos voy ir ido iba íbamos hubo habido llamo llama llamaba llamar podía pude pudo poder debo debe deber creo cree
        mucho mucha muchos muchas nuevo nueva gran mejor parte tema persona gente vez veces año años señor señora sr sra doctor doctora
        falta faltan faltaba dr dra don doña
        """
    ),
    "de": HAPPENING_WORDS["de"]
    | word_set(
        """
        sage sagt sagen sagte gesagt gebe gibt geben gab gegeben gehe geht gehen ging gegangen komme kommt kommen kam gekommen
        lasse lässt lassen ließ gelassen heißt heißen hieß wollte weiß wissen wusste sehe sieht sehen sah gesehen bekam bekommen
        neu neue viel herr frau dr jahr jahre mal
        """
    ),
    "en": HAPPENING_WORDS["en"]
    | word_set(
        """
        say says said tell told give gave given get got gotten come came take took taken make made put see saw seen know knew
        want wanted let left keep kept called new year years mr mrs ms dr time
        """
    ),
}
"""Words that most sentences could hold: they say little of what a question is about."""

ALIKE: Mapping[Language, tuple[frozenset[str], ...]] = {
    "es": tuple(
        word_set(words)
        for words in (
            "madre mamá mami",
            "padre papá",
            "perro perra",
            "médico médica doctor doctora",
            "móvil teléfono",
            "coche auto carro",
            "casa",
            "colegio cole escuela",
            "costar precio coste",
            "leo lee leemos leen leí leíste leyó leímos leyeron leer leído leída leyendo leía",
            "sueldo salario nómina",
        )
    ),
    "de": tuple(
        word_set(words) for words in ("mutter mama", "vater papa", "arzt ärztin", "handy telefon", "auto wagen")
    ),
    "en": tuple(
        word_set(words)
        for words in ("mother mom mum", "father dad", "doctor physician", "phone mobile", "car automobile")
    ),
}
"""Words that people use for each other; a word named here has no other forms than those of its set."""

QUESTION_CUES: Mapping[Language, Mapping[Wanted, str]] = {
    "es": {
        "cause": r"por ?qué|a qué se deb\w+|cuál (?:es|fue|era) (?:la causa|el motivo|la razón)",
        "duration": r"cuánto (?:tiempo|dur\w+|tard\w+)|cuánt[oa]s (?:horas|días|minutos|semanas|meses|años)",
        "clock": r"a qué hora|qué hora",
        "money": r"cuánto (?:(?:me|te|se|le|nos|les|lo|la) )*(?:cuest\w+|cost\w+|val\w+|pag\w+|cobr\w+|gast\w+|ofrec\w+|gan\w+|deb\w+"
        r"|ahorr\w+)|cuánto dinero|cuántos euros|qué (?:precio|sueldo|presupuesto|gast\w+|pagué|pagamos)",
        "temperature": r"(?:a |qué |cuál )(?:qué |es |era |fue )?(?:la )?temperatura|cuántos grados",
        "weight": r"cuánto pes\w+|cuántos (?:kilos|gramos|kg)|qué peso",
        "length": r"cuánto (?:mide|medía|mid\w+|corr\w+|and\w+|nad\w+)|cuántos (?:kilómetros|metros|km|largos)"
        r"|qué (?:distancia|altura)|a qué distancia",
        "speech": r"(?:qué|cómo) (?:(?:me|te|le|nos|os|les|se) )?(?:\w+ )?"
        r"(?:dij\w+|dicen?|decía\w*|contest\w+|respond\w+|pregunt\w+|grit\w+|coment\w+)",
        "place": r"a?dónde|en qué (?:ciudad|lugar|sitio|pueblo|país|calle|barrio)",
        "person": r"quién(?:es)?",
    },
    "de": {
        "cause": r"warum|weshalb|wieso|weswegen",
        "duration": r"wie ?lange|wie ?viele (?:stunden|tage|minuten|wochen|monate|jahre)",
        "clock": r"um wie ?viel uhr|wie spät",
        "money": r"wie ?viel (?:koste\w*|zahlte\w*|bezahlte\w*|verdien\w*|geld|euro"
        r"|gab\w*|hat \w+ gekostet|haben? .{0,40}(?:gekostet|bezahlt))"
        r"|was kostete?n?|wie teuer",
        "temperature": r"(?:welcher?|bei welcher) temperatur|wie viel grad|wie (?:warm|kalt|heiß)",
        "weight": r"wie schwer|wie ?viel (?:wiegt|wog|kilo|gramm)",
        "length": r"wie (?:weit|hoch|lang|tief|groß) (?:ist|war|sind|waren)|wie ?viele (?:kilometer|meter)",
        "speech": r"was (?:\w+ )?(?:sagte\w*|antwortete\w*|fragte\w*|meinte\w*|hat .{0,40}(?:gesagt|geantwortet|gefragt))",
        "place": r"wo|wohin|woher",
        "person": r"wer|wen|wem|wessen",
    },
    "en": {
        "cause": r"why|what (?:was|is) the (?:reason|cause)",
        "duration": r"how long|how many (?:hours|days|minutes|weeks|months|years)",
        "clock": r"(?:at )?what time",
        "money": r"how much (?:did|do|does|was|is|were)\b.{0,60}\b(?:cost|pay|spend|earn|charge|offer|owe|worth)\w*"
        r"|how much money|what (?:did|does) .{0,40}\bcost",
        "temperature": r"what temperature|how (?:hot|cold|warm)|how many degrees",
        "weight": r"how heavy|how much (?:did|does) .{0,40}\bweigh|how many (?:kilos|grams|pounds)",
        "length": r"how (?:far|tall|high|deep)|how many (?:kilometres|kilometers|metres|meters|miles)",
        "speech": r"what (?:did|does) .{0,40}\b(?:say|answer|reply|ask|tell)",
        "place": r"where",
        "person": r"who|whom|whose",
    },
}
"""How a question shows what it wants, tried in this order; what none of these tells is asked of ``answer_types``."""

OF_A_PERSON: Mapping[Language, str] = {
    "es": r"cómo se llaman? mis?|(?<!\s)tengo|dónde vivo|cuánto gano"
    r"|cuándo (?:nació|nací|(?:es|era) (?:el|mi) cumpleaños|cumplo|cumple)",
    "de": r"wie heißt mein\w*|wie heißen meine|(?<!\s)habe ich (?:ein|kein)\w*|wo wohne ich|wo lebe ich|wie ?viel verdiene ich"
    r"|wann (?:wurde|ist|bin) .{0,40}\bgeboren|wann (?:hat|habe|ist) .{0,40}\bgeburtstag",
    "en": r"what(?: is|'s) my .{0,30}\bname|what is my .{0,30}\bcalled|(?<!\s)do i have|where do i live|how much do i earn"
    r"|when (?:was|is) .{0,40}\b(?:born|birthday)",
}
"""A question for what a diary says of many: of whom a sentence says it, its words do not show."""

YES_OR_NO: Mapping[Language, str] = {
    "es": r"^(?!.*\b(?:qué|quién(?:es)?|cuál(?:es)?|cómo|cuándo|cuánt[oa]s?|dónde|adónde|por ?que)\b)"
    r"(?!¿?\s*(?:que|quien|cual|como|cuando|cuant[oa]s?|donde|adonde)\b).*\?\s*$",
    "de": r"^(?!.*\b(?:was|wer|wen|wem|wessen|wann|wo|wohin|woher|wie|warum|weshalb|wieso|weswegen|welche[mnrs]?|wo\w+)\b).*\?\s*$",
    "en": r"^(?!.*\b(?:what|who|whom|whose|when|where|which|why|how)\b).*\?\s*$",
}
"""A question that asks for a yes or a no: it has no word that asks."""

_AMOUNT = r"(?:\d[\d.,]*|[a-záéíóúñ]+(?:cientos|mil))"
SHOWN: Mapping[Language, Mapping[Wanted, str]] = {
    "es": {
        "cause": r"\bporque\b|\bpor culpa de|\bpor eso\b|\bpor (?:falta|miedo|no|haber)\b|\bdebid[oa] a|\bse deb(?:e|ía|ió)\b"
        r"|\bgracias a\b|\ba causa de|\bya que\b|\bpuesto que\b"
        r"|\bdado que\b|\bcomo consecuencia|\bel culpable\b|\bla causa\b|\bel motivo\b|\bla razón\b"
        r"|\bcausa directa\b|\basí que\b|^como\b",
        "polarity": r"(?:^|[,:—«] ?)(?:sí|no)(?=[.,;!»]|$)|\b(?:sí|no)[.!»]*$|\bque (?:sí|no)\b|\bal final\b"
        r"|\b(?:aún|todavía|ya) no\b|\bnunca\b",
        "speech": r"^\W*—|«|“|\b(?:dij\w+|dice\w*|dicho|contest\w+|respond\w+|pregunt\w+)\b,? (?:que|:|«)",
        "duration": r"(?:\d|\b(?:un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce"
        r"|quince|veinte|treinta|cuarenta|media|hora y)\b)"
        r"[^.;]{0,20}\b(?:segundos?|minutos?|min|horas?|h|días?|semanas?|meses|mes|años?)\b",
        "clock": r"\b\d{1,2}[.:]\d{2}\b|\ba las? (?:una|dos|tres|cuatro|cinco|seis"
        r"|siete|ocho|nueve|diez|once|doce|\d)|\bmediodía\b|\bmedianoche\b",
        "temperature": r"\d[\d.,]*\s*(?:°|º|grados?\b|de temperatura\b)",
        "weight": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:kg|kilos?|gramos?|g|toneladas?|arrobas?)\b",
        "length": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:km|kilómetros?|metros?|m|cm|centímetros?|largos|pasos)\b",
        "money": rf"{_AMOUNT}\s*(?:€|euros?\b|EUR\b|céntimos\b)|€\s*\d",
    },
    "de": {
        "cause": r"\bweil\b|\bda\b|\bdenn\b|\bwegen\b|\bdeshalb\b|\bdarum\b|\bdaher\b|\bnämlich\b|\bgrund\b|\bschuld\b|\baufgrund\b",
        "polarity": r"(?:^|[,:—„] ?)(?:ja|nein)\b|\bdoch (?:nicht|noch)\b|\bam ende\b|\bnoch nicht\b|\bnicht mehr\b|\bnie\b",
        "speech": r"^\W*[—–]|„|“|»|\b(?:sagte?n?|meinte?n?|antwortete?n?|fragte?n?)\b",
        "duration": r"\d[^.;]{0,20}\b(?:sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?)\b",
        "clock": r"\b\d{1,2}[.:]\d{2}\b|\b\d{1,2} uhr\b|\bmittags?\b|\bmitternacht\b",
        "temperature": r"\d[\d.,]*\s*(?:°|grad\b)",
        "weight": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:kg|kilo|gramm|g|tonnen?|pfund)\b",
        "length": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:km|kilometern?|metern?|m|cm|zentimetern?|bahnen)\b",
        "money": r"\d[\d.,]*\s*(?:€|euro\b|cent\b)|€\s*\d",
    },
    "en": {
        "cause": r"\bbecause\b|\bsince\b|\bdue to\b|\bthanks to\b|\bthat is why\b|\bthe (?:cause|reason)\b|\bso that\b|\bowing to\b",
        "polarity": r"(?:^|[,:—“] ?)(?:yes|no)\b|\bin the end\b|\bnot yet\b|\bno longer\b|\bnever\b",
        "speech": r"^\W*—|“|\b(?:said|says|answered|replied|asked|told)\b",
        "duration": r"\d[^.;]{0,20}\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b",
        "clock": r"\b\d{1,2}[.:]\d{2}\b|\b\d{1,2} ?(?:am|pm|o'clock)\b|\bnoon\b|\bmidnight\b",
        "temperature": r"\d[\d.,]*\s*(?:°|degrees\b)",
        "weight": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:kg|kilos?|grams?|g|pounds?|lb)\b",
        "length": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:km|kilomet(?:re|er)s?|met(?:re|er)s?|m|cm|miles?|lengths)\b",
        "money": r"[$£€]\s*\d|\d[\d.,]*\s*(?:€|euros?|dollars?|pounds?|cents?)\b",
    },
}
"""How a sentence shows that it holds a thing of the kind; numbers, dates and names are told by ``answer_types``."""

BESIDE_PLACES: Mapping[Language, str] = {
    "es": r"\b(?:debajo|detrás|encima|dentro|delante|enfrente|alrededor|al lado|cerca) de\b|\bjunto a\b",
    "de": r"\b(?:unter|hinter|neben|vor|über|auf|zwischen) (?:der|dem|den|die|das|einem|einer)\b",
    "en": r"\b(?:under|behind|beside|inside|next to|in front of|on top of|near) ",
}
"""How a place is told by a thing."""

COUNTING: Mapping[Language, str] = {
    "es": r"cuánt[oa]s\s+(\w+)",
    "de": r"wie ?viele\s+(\w+)",
    "en": r"how many\s+(\w+)",
}
"""How things are counted: the thing is what follows."""

PLACE_PREPOSITIONS: Mapping[Language, str] = {
    "es": r"\b(?:en|a|hasta|desde|hacia|por|de|del|al)\s+(?:(?:el|la|los|las)\s+)?(?=[A-ZÁÉÍÓÚÑ])",
    "de": r"\b(?:in|nach|aus|bei|bis|von|zu|im|am)\s+(?=[A-ZÄÖÜ])",
    "en": r"\b(?:in|at|to|from|near|around)\s+(?:the\s+)?(?=[A-Z])",
}
"""What stands before the name of a place."""


def _in_order(words: str) -> tuple[str, ...]:
    return tuple(words.split())


MONTHS: Mapping[Language, tuple[str, ...]] = {
    "es": _in_order("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    "de": _in_order("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    "en": _in_order("January February March April May June July August September October November December"),
}
NOTE_DATED: Mapping[Language, str] = {
    "es": "nota del {day} de {month} de {year}",
    "de": "Notiz vom {day}. {month} {year}",
    "en": "note of {day} {month} {year}",
}


def dated(day: date, spelled: str, language: Language) -> str:
    """Which note is quoted, by its date as it is ``spelled``: "nota del 8 de septiembre de 2025"."""
    return spelled.format(day=day.day, month=MONTHS[language][day.month - 1], year=day.year)


QuotingWarning = Literal["may_not_answer", "not_of_the_time", "more_of_the_time"]
QUOTING_WARNINGS: Mapping[Language, Mapping[QuotingWarning, str]] = {
    "es": {
        "may_not_answer": "Es lo más cercano que hay en tus notas por las palabras; puede que no responda a la pregunta.",
        "not_of_the_time": "Ninguna nota encontrada es del tiempo por el que preguntas.",
        "more_of_the_time": "De ese tiempo hay más notas que las citadas.",
    },
    "de": {
        "may_not_answer": "Das kommt der Frage den Wörtern nach am nächsten; vielleicht beantwortet es sie nicht.",
        "not_of_the_time": "Keine der gefundenen Notizen ist aus der Zeit, nach der du fragst.",
        "more_of_the_time": "Aus dieser Zeit gibt es mehr Notizen als die zitierten.",
    },
    "en": {
        "may_not_answer": "This is nearest to the question by its words; it may not answer it.",
        "not_of_the_time": "None of the notes found is from the time you ask about.",
        "more_of_the_time": "There are more notes of that time than those quoted.",
    },
}
"""What whoever asked is told beside sentences that are quoted."""
