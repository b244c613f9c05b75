"""German: words that decide which sentences are quoted."""

import re

from rag_core.language.quoting import QuotingWords
from rag_core.language.words import word_set

_HAPPENING_WORDS = word_set(
    """
        mache machst macht machen machte machten machtest gemacht tue tut tun tat taten getan passiert passierte passierten
        geschah geschehen geschieht los war waren gewesen erlebt erlebte notiert notierte geschrieben tag tage notizen notiz
        """
)

QUOTING = QuotingWords(
    happening_words=_HAPPENING_WORDS,
    light_words=_HAPPENING_WORDS
    | word_set(
        """
        sage sagt sagen sagte gesagt gebe gibt geben gab gegeben gehe geht gehen ging gegangen komme kommt kommen kam gekommen
        lasse lässt lassen ließ gelassen heißt heißen hieß wollte weiß wissen wusste sehe sieht sehen sah gesehen bekam bekommen
        neu neue viel herr frau dr jahr jahre mal
        """
    ),
    synonyms=tuple(
        word_set(words) for words in ("mutter mama", "vater papa", "arzt ärztin", "handy telefon", "auto wagen")
    ),
    question_cues={
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
    of_a_person=(
        r"wie heißt mein\w*|wie heißen meine|(?<!\s)habe ich (?:ein|kein)\w*|wo wohne ich|wo lebe ich|wie ?viel verdiene ich"
        r"|wann (?:wurde|ist|bin) .{0,40}\bgeboren|wann (?:hat|habe|ist) .{0,40}\bgeburtstag"
    ),
    yes_or_no=r"^(?!.*\b(?:was|wer|wen|wem|wessen|wann|wo|wohin|woher|wie|warum|weshalb|wieso|weswegen|welche[mnrs]?|wo\w+)\b).*\?\s*$",
    shown={
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
    beside_places=r"\b(?:unter|hinter|neben|vor|über|auf|zwischen) (?:der|dem|den|die|das|einem|einer)\b",
    counting=r"wie ?viele\s+(\w+)",
    place_prepositions=r"\b(?:in|nach|aus|bei|bis|von|zu|im|am)\s+(?=[A-ZÄÖÜ])",
    naming=re.compile(r"\bwie heißt\w*|\bwie hieß\w*", re.IGNORECASE),
)
