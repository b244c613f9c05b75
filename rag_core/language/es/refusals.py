"""Spanish: refusals of a chat model."""

import re

from rag_core.language.refusals import RefusalWords

REFUSALS = RefusalWords(
    refusal=re.compile(
        r"\bno lo s[eé]\b|\bno sé\b|"
        r"\bno (?:puedo|es posible) (?:responder|contestar)|"
        r"\bno (?:he (?:encontrado|podido encontrar)|encuentro|encontré|dispongo de|tengo|hay|existe) (?:suficiente|bastante)s? "
        r"(?:informaci[oó]n|datos|notas)\b|"
        r"\bno (?:he (?:encontrado|podido encontrar)|encuentro|encontré|dispongo de|tengo) (?:(?:la|una|ninguna|más) )?"
        r"(?:respuesta|informaci[oó]n|nada|datos (?:sobre|para)|notas (?:sobre|de|que))\b|"
        r"\bno (?:hay|existe|aparece|consta|figura|se (?:encuentra|menciona|dice|indica))\b[^.,]{0,60}"
        r"\b(?:en|entre) (?:tus|las|los|mis|sus|estas|estos) (?:notas|fuentes|pasajes|textos)\b|"
        r"\bno hay (?:ninguna )?informaci[oó]n (?:disponible|sobre (?:eso|esto|ello))\b|"
        r"\b(?:(?:las|tus|estas) (?:notas|fuentes)|los pasajes) no (?:lo )?"
        r"(?:dicen|mencionan|contienen|responden|indican|hablan|especifican|aclaran)\b|"
        r"\b(?:notas|fuentes|pasajes) no (?:hay|aparece|consta|figura|se (?:encuentra|menciona|dice|indica))\b",
        re.IGNORECASE,
    ),
    contrast=re.compile(r"\b(?:pero|sino)\b(?! (?:si|puedo|puedes|podr[ií]as?)\b)", re.IGNORECASE),
)
