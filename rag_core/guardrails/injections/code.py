"""Orders in code, in mark-up, and under the name of a role that has more to say."""

from rag_core.guardrails.injections.answers import OUTPUT
from rag_core.guardrails.injections.leaks import TELL
from rag_core.guardrails.injections.orders import ORDERS
from rag_core.guardrails.injections.roles import AI
from rag_core.guardrails.injections.rule import SHORT_GAP, InjectionRule, rule, words

_DECODE = words(
    "decod(?:e|es|ing), decrypt, decipher, unscramble, decodifica, descifra, desencripta, descodifica, "
    "dekodier(?:e|en), decodier(?:e|en), entschlussel(?:e|n), decode(?:z)?, dechiffre(?:z)?"
)
_EXECUTE = words(
    "execut(?:e|ing), run, follow, obey, perform, carry out, do what, act on, comply, ejecut(?:a|e|"
    "ar), sigue, siga, obedece, cumple, haz lo que, corre, ausfuhr(?:e|en), fuhr(?:e|en), befolg(?:e|"
    "en), tu(?:e)? was, execute(?:z|r)?, suis, suivez, obeis"
)

RULES: tuple[InjectionRule, ...] = (
    # Code and codes.
    rule("decode and do", "code", rf"\b{_DECODE}\b[^!?;\n]{{0,60}}?\b{_EXECUTE}\b", topics="decode", question=0.8),
    rule(
        "run commands",
        "code",
        rf"\b{_EXECUTE}\b{SHORT_GAP}(?:\w+\W{{1,3}}){{0,2}}?(?:shell|terminal|bash|system|arbitrary|remote|"
        rf"malicious)\W{{1,3}}(?:commands?|scripts?|code)\b",
        topics="shell",
        question=0.6,
    ),
    rule(
        "dangerous command",
        "code",
        rf"\b(?:{_EXECUTE}|{TELL}|delete|type)\b[^!?;\n]{{0,60}}?(?:\brm\s+-rf\b|/etc/(?:passwd|shadow)\b|\b(?:curl|wget)\b[^\n]{{0,80}}\|\s?(?:ba|z)?sh\b|"
        r"\.env\b|\bdrop\s+table\b)",
        topics="danger",
        question=0.6,
        note=0.3,
    ),
    rule(
        "script element",
        "markup",
        r"<\s?script\b|javascript\s?:\s?\w|<\s?iframe\b|<\s?img\b[^>\n]{0,200}\bonerror\s?=|\bon(?:load|click|"
        r"error|mouseover)\s?=\s?[\"']",
        topics="markup",
        question=0.8,
        note=0.3,
    ),
    rule(
        "template",
        "markup",
        r"\{\{\s"
        r"{0,3}(?:\d+\s?[*+]\s?\d+|config|self|request|system|prompt|env|settings|secrets?|user|__\w+)\b|"
        r"\$\{\s{0,3}(?:jndi|env|system|process|7)\b|\{%\s",
        topics="markup",
        question=0.8,
        note=0.4,
    ),
    rule("template mark", "markup", r"\{\{.{0,80}?\}\}", topics="markup", question=0.5, note=0.2),
    rule(
        "hidden element",
        "markup",
        rf"(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|opacity\s?:\s?0\b|"
        rf"color\s?:\s?(?:white|#fff(?:fff)?)\b|<!--)[^\n]{{0,200}}?\b(?:{ORDERS}|{OUTPUT}|{AI})\b",
        topics="markup",
        question=0.5,
        note=0.6,
    ),
    rule(
        "a model's own marks",
        "role tag",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id)\|>|"
        r"\[/?inst\]|<</?sys>>|<\s?/?\s?(?:system|assistant)\s?(?:_?(?:prompt|message|instructions?))?\s?>|"
        r"\bbegin\s+system\s+prompt\b",
        topics="markup",
        question=0.85,
    ),
    rule(
        "a role before a colon",
        "role tag",
        r"^\s{0,8}[#*\[(-]{0,4}\s?(?:system|developer|sistema|systeme)(?:\s(?:prompt|message|instruction|"
        r"override|note|alert|notice|update))?\s?[\])*]{0,3}\s?:",
        topics="role",
        question=0.5,
    ),
    rule(
        "instruction heading",
        "role tag",
        r"^\s{0,8}#{2,6}\s?(?:system|instructions?|new\s+instructions?|prompt|instrucciones|"
        r"anweisung(?:en)?)\s?:?\s{0,3}$|^\s{0,8}(?:end|fin|ende)\s+(?:of|del?|der|"
        r"des)\s+(?:the\s+)?(?:document|context|prompt|input|documento|contexto|dokuments?|kontexte?s?)\b",
        topics="",
        question=0.4,
    ),
)
