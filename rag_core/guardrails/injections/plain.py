"""A plain question: one about what is written down, that asks nothing of whoever answers.

Narrower than "no rule finds anything": a question here may not speak to who answers, say how to answer, or ask about the talk
itself. What is plain by mistake lets an attack in; what is not plain is judged as any text is. So in doubt it is not.
"""

import re
import unicodedata

from rag_core.guardrails.injections.rule import words
from rag_core.guardrails.subject_changes import PREPOSITIONS, has_several_sentences
from rag_core.language.lookalikes import LOOKALIKES

_ASKING = (
    rf"(?:(?:{PREPOSITIONS}) )?"
    r"(?:qué|que|qui[eé]n(?:es)?|cu[aá]ndo|d[oó]nde|c[oó]mo|cu[aá]nt[oa]s?|cu[aá]l(?:es)?"
    r"|what|who[ms]?|whose|when|where|how|why|which|wer|wen|wem|wessen|wann|wo|was|wie|warum|wieso|weshalb|woher|wohin|welche[rsmn]?)\b"
)
_OPENED = re.compile(
    rf"¿|{_ASKING}|(?:do|does|did|is|are|am|was|were|have|has|had|habe?|hat|hatten?|bin|ist|sind|war|waren|gibt|gab)\b"
)
_POLITELY = re.compile(
    words(
        r"""
        ¿?(?:me )?(?:puedes|puede|podr[ií]as?)(?: por favor)? (?:decir|contar|recordar)(?:me)?
        ¿?(?:sabes|recuerdas|te acuerdas de), ¿?me (?:recuerdas|dices|cuentas)
        (?:can|could|would) you(?: please)? (?:tell|remind) me, do you (?:know|remember)
        (?:kannst|könntest) du(?: bitte)? mir(?: bitte)? sagen, wei(?:ß|ss)t du(?: noch)?
        """
    )
    + rf",? (?={_ASKING})",
    re.IGNORECASE,
)
_WHO_ANSWERS = words(
    r"""
    you, your, yours, yourself, tu, tus, tú, te, ti, tuy[oa]s?, contigo, vos, vosotr[oa]s, os, vuestr[oa]s?, usted(?:es)?
    du, dir, dich, dein\w*, euch, eure\w*
    """
)
_FORMALLY = re.compile(r"(?<=\w )(?:Sie|Ihnen|Ihre[rmns]?|Ihr)\b")
_SECOND_PERSON = words(
    r"""
    eres, estás, tienes, puedes, podr[ií]as, ser[ií]as, sabes, quieres, debes, deber[ií]as, haces, har[ií]as, vas, ir[ií]as
    dices, dir[ií]as, dir[aá]s, hablas, actúas, finges, fingir[ií]as, ignoras, olvidas, repites, escribes, sigues, obedeces
    dejas, empiezas, terminas, acabas, usas, juegas, recuerdas, crees, opinas, ves, lees, sois, estáis, podéis, podr[ií]ais
    \w+[ai]ste(?<!\bexiste)(?<!\binsiste)(?<!\bconsiste)(?<!\basiste)(?<!\btriste)(?<!\btaste)(?<!\bwaste)
    """
)
"""Spanish says "you" by the verb alone; words that are nouns too ("citas") are none of these."""
_ORDERED = words(
    r"""
    dime, dinos, digas?, dígame, di (?:que|s[ií]|no|solo|sólo|siempre|simplemente), (?:y|ahora) di, decir(?:me|nos|lo)
    contest(?:a|as|e|es|ar|aras|ases|ando|arme|ame)(?:lo)?, respond(?:e|es|a|as|er|ieras|iendo|erme|eme)
    fing(?:e|es|ir|as|iendo), simul(?:a|ar|es), repit(?:e|es|as|a), repetir(?:me)?, haz(?:te|lo)?, ignor(?:a|ar|es), olvid(?:a|ar|es)
    conviértete, antwort(?:e|est|en), sag, sage, sagst, gib, wiederhol\w*, zeig, so tun, tu so, ignorier\w*
    """
)
"""Verbs by which somebody is to say or to pretend; "contesté" and "antwortete" tell of what was."""
_DECIR = re.compile(r"(?<!quiso )(?<!quería )(?<!queria )(?<!quiere )\bdecir\b|[,:;] di\b|\bdi [\"'«“„]")
_ENGLISH_ORDERS = words(
    "say, reply, answer, respond, pretend, tell, repeat, print, output, recite, quote, ignore, act, imagine, write, show"
)
_TOLD_OF = re.compile(
    rf"\b(?:did|didn't|does|doesn't|do)(?: (?!and\b|then\b|but\b)[\w'.-]+){{1,4}}? {_ENGLISH_ORDERS}\b"
    r"|\b(?:the|an?|my|his|her|their|our|no|s|what|which) (?:answer|reply|act|show|quote)\b"
)
"""Reports of speech ("what did Marta say?") and nouns for it ("her answer")."""
_HOW_TO_ANSWER = words(
    r"""
    nada m[aá]s, nothing (?:else|more), (?:sonst|weiter) nichts, nichts (?:anderes|weiter|sonst)
    palabra por palabra, literal(?:mente|ly)?, al pie de la letra, verbatim, word for word, wort f[uü]r wort, (?:wort)?wörtlich
    (?:sin|without|ohne) (?:\w+ ){0,2}(?:mirar|citar|usar|leer|notas|fuentes?|citing|using|looking|notes?|sources?|
    notizen|quellen?|zitate?)
    a partir de ahora, desde ahora, de ahora en adelante, from now on, ab (?:jetzt|sofort), von nun an
    why not, how about, what if, let s, qu[eé] tal si, y si, wie w[aä]re? es
    """
)
_THIS_TALK = words(
    r"""
    \w*prompts?, chat, ai, llm, (?:chat)?bot, assistant, asistente, ia, modelo de lenguaje, language model, ki, sprachmodell, assistent
    (?:my|this|that) (?:\w+ )?(?:message|question|conversation), (?:mi|esta|este) (?:\w+ )?(?:mensaje|pregunta|conversaci[oó]n)
    (?:meine[mnr]?|diese[mnr]?) (?:\w+ )?(?:nachricht|frage|unterhaltung)
    (?:la|esta|the|this|der|dieser|die|diese) (?:sesi[oó]n|conversaci[oó]n|conversation|session|sitzung|
    unterhaltung)(?! (?:con|with|mit|de|del|of)\b)
    """
)
_TEXT = words(
    "text, words?, lines?, sentences?, what, texto, palabras?, l[ií]neas?, frases?, qu[eé], worte?, wörter, zeilen?, sätze?, was"
)
_ABOVE = words("above, before this, arriba, anterior(?:es)?, antes de est[aeo], davor, oben")
_RULES = words("instructions?, rules?, guidelines, instrucci[oó]n(?:es)?, reglas?, normas?, anweisung(?:en)?, regeln?")
_GIVEN = words(
    "given, received, dadas?, recibidas?, (?:at the|al|del|am|zu) (?:beginning|start|top|principio|inicio|anfang|beginn)"
)
_ASSENT = r", ?(?:vale|de acuerdo|ok(?:ay|ey)?|entendid[oa]|right|alright|understood|got it|verstanden|klar|ja)\s*\?"
"""An order with "all right?" at its end is an order."""
_NOT_PLAIN = re.compile(
    rf"\b(?:{_WHO_ANSWERS}|{_SECOND_PERSON}|{_ORDERED}|{_HOW_TO_ANSWER}|{_THIS_TALK}"
    rf"|{_TEXT}(?: \w+){{0,3}} {_ABOVE}|{_RULES}(?: \w+){{0,3}} {_GIVEN})\b|{_ASSENT}|{_DECIR.pattern}"
)


def is_plain_question(text: str) -> bool:
    """Tell whether a text is a single, closed question that neither addresses the assistant nor is about the conversation."""
    tidy = _tidy(text)
    lower = tidy.lower()
    is_one = lower.endswith("?") and lower.count("?") == 1 and not has_several_sentences(lower)
    is_asked = is_one and _OPENED.match(lower) is not None and _is_written_plainly(lower)
    return is_asked and not _asks_of_who_answers(tidy)


def without_politeness(text: str) -> str:
    """Return the question after "can you tell me"; '' where nothing follows."""
    tidy = _tidy(text)
    polite = _POLITELY.match(tidy)
    return tidy[polite.end() :] if polite else ""


def _tidy(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).replace("’", "'").split())


def _is_written_plainly(lower: str) -> bool:
    """Without letters that look like others, styled forms, and characters that are not seen."""
    return (
        unicodedata.normalize("NFKC", lower) == lower
        and lower.isprintable()
        and not any(character.isalpha() and character in LOOKALIKES for character in lower)
    )


def _asks_of_who_answers(tidy: str) -> bool:
    is_formal = not tidy.isupper() and _FORMALLY.search(tidy) is not None
    lower = tidy.lower()
    is_ordered = re.search(rf"\b{_ENGLISH_ORDERS}\b", _TOLD_OF.sub("", lower)) is not None
    return is_formal or is_ordered or _NOT_PLAIN.search(lower) is not None
