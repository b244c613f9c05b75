"""Texts that speak to a model instead of a reader, and say how it is to answer."""

from rag_core.guardrails.injections.rule import InjectionRule, rule, words

OUTPUT = words(
    r"""
    (?:your|the|each|every|its) (?:\w+ )?(?:responses?|answers?|repl(?:y|ies)|outputs?|summar(?:y|ies)|
    completions?|messages?|texts?|analysis|translations?)
    your \w+ s (?:words|letters)
    (?:tu|tus|su|sus|la|las) (?:\w+ )?(?:respuestas?|contestacion(?:es)?|salidas?|resumen(?:es)?|mensajes?)
    (?:dein(?:e|er|en|em)?|ihr(?:e|er|en|em)?|eure|die|der|jede|jeder) (?:\w+ )?(?:antwort(?:en)?|ausgabe|
    zusammenfassung|reaktion|nachricht(?:en)?)
    (?:ta|tes|votre|vos|la|chaque) (?:\w+ )?(?:reponses?|sortie|resumes?|messages?)
    """
)
_MY_OUTPUT = words(
    r"""
    your (?:\w+ )?(?:responses?|answers?|repl(?:y|ies)|outputs?|summar(?:y|ies)|completions?|
    messages?)(?: s (?:words|letters))?
    (?:tu|tus|su|sus) (?:\w+ )?(?:respuestas?|contestacion(?:es)?|salidas?|resumen(?:es)?|mensajes?)
    (?:dein(?:e|er|en|em)?|ihr(?:e|er|en|em)?|eure) (?:\w+ )?(?:antwort(?:en)?|ausgabe|zusammenfassung|reaktion|
    nachricht(?:en)?)
    (?:ta|tes|votre|vos) (?:\w+ )?(?:reponses?|sortie|resumes?|messages?)
    """
)
_SHAPE = words(
    r"""
    add, includ(?:e|ing), insert, integrat(?:e|ing), incorporat(?:e|ing), embed, enhance, augment, modify, alter
    adjust, adapt, change, append, prepend, mention, encode, encrypt, encipher, render, rewrite, replace, substitute
    swap, reverse, invert, flip, group, combine, merge, scramble, shuffle, jumble, rearrange, anagram, mix, remove
    delete, omit, strip, start, begin, end, finish, conclude, close, translate, format, present, spell
    capitali[sz]e, write, use, apply, employ, provide, offer, suggest, recommend, promote, advertise, endorse
    highlight, emphasi[sz]e, hint, allude, weave, sprinkle, inject, slip, make, give, convert, transform, turn
    express, respond, reply, answer, limit, restrict, keep, ensure, complement, supplement, expand, extend, infuse
    introduce, work, put, place, craft, generate, create, deliver, utili[sz]e, arrange, split, separate, tailor
    fill, pepper, conceal, hide, obscure, mask
    anad(?:e|a|ir), inclu(?:ye|ya|ir), insert(?:a|e|ar), integr(?:a|e|ar), incorpor(?:a|e|ar), modific(?:a|ar)
    modifique, cambi(?:a|e|ar), ajust(?:a|e|ar), agreg(?:a|ar|ue), mencion(?:a|e|ar), codific(?:a|ar), codifique
    cifr(?:a|e|ar), escrib(?:e|a|ir), us(?:a|e|ar), utili(?:za|ce|zar), reemplaz(?:a|ar), sustitu(?:ye|ya|ir)
    inviert(?:e|a), termin(?:a|e|ar), empie(?:za|ce), comien(?:za|ce), traduc(?:e|ir), traduzca, recomiend(?:a|e)
    promocion(?:a|e|ar), respond(?:e|a|er), contest(?:a|e|ar), formul(?:a|e), elimin(?:a|e), quit(?:a|e)
    mezcl(?:a|e), redact(?:a|e), acab(?:a|e), enriquec(?:e|er), complet(?:a|e)
    fug(?:e|en)?, erganz(?:e|en), erwahn(?:e|en), bau(?:e|en), integrier(?:e|en), ander(?:e|n), verander(?:e|n)
    pass(?:e|en), kodier(?:e|en), codier(?:e|en), verschlussel(?:e|n), schreib(?:e|en)?, verwend(?:e|en)
    benutz(?:e|en), nutz(?:e|en), ersetz(?:e|en), kehr(?:e|en), beginn(?:e|en), beend(?:e|en), schliess(?:e|en)
    ubersetz(?:e|en), empfiehl, empfehlen, bewirb, bewerben, antwort(?:e|en), formulier(?:e|en), entfern(?:e|en)
    streu(?:e|en), nimm, gib, bring(?:e|en)?, mach(?:e|en)?, starte, reichere
    ajoute(?:z)?, inclus, incluez, insere(?:z)?, modifie(?:z)?, mentionne(?:z)?, encode(?:z)?, ecris, ecrivez
    utilise(?:z)?, remplace(?:z)?, termine(?:z)?, commence(?:z)?, traduis, recommande(?:z)?, reponds, repondez
    """
)
_NOT_YOURS = r"(?:(?!\b(?:your|my|our|tus?|mis?|nuestr[oa]s?|dein\w*|mein\w*|unser\w*)\b)[^!?;\n])"
"""Text without possessives, which show that a person is asked: "include your order number in your reply" addresses no model."""
_NOT_COMMANDED = words(
    """
    thanks?, looking, in, on, at, if, once, as, after, before, upon, for, we, you, he, she, they, it, this, that, the, these, those
    and, but, our, your, his, her, my, its, there, when, while, since, because, with, from, based, regarding
    according, depending, hope, hoping
    gracias, espero, esperamos, esperando, quedo, la, el, los, las, un, una, segun, tras, con, por, para, si, cuando, como, recibi
    lei, vi, no, yo, nosotros, este, esta, me, te, se, le, nos, quiero, necesito, agradezco
    danke, vielen, ich, wir, sie, er, es, der, die, das, ein, eine, wenn, falls, nach, mit, auf, aus, fur, bei, warte, hoffe
    merci, je, nous, il, elle, le, la, les, un, une, si, dans, avec, pour, suite
    """
)
POLITE = (
    r"(?:(?:please|kindly|and|then|also|now|always|just|instead|can\s+you|could\s+you|would\s+you|"
    r"you\s+(?:must|should|will|shall)|make\s+sure\s+to|be\s+sure\s+to|remember\s+to|"
    r"por\s+favor|ahora|tambien|ademas|debes|bitte|jetzt|auch|ausserdem|s\s?il\s+(?:te|vous)\s+plait|veuillez)[\s,:]{1,3}){0,3}"
)
_START = (
    rf"(?:^|[\n:;(\"'«“>*-]\s{{0,3}}|[.!?]\s{{1,3}}|\b(?:y|and|then|und|et|but|pero|sino|sondern)\s{{1,3}}){POLITE}"
)
_CODES = words(
    r"""
    base[\s-]?(?:64|32|16|58|85), rot[\s-]?13, hex(?:adecimal)?, binary, morse(?: code)?, ascii(?: codes?)?, unicode
    leet ?speak, l33t, caesar(?: cipher)?, ciphers?, pig latin, emojis?, emoticons, anagrams?, homophon\w+, symbols?
    reverse(?:d)?(?: (?:text|order))?, backwards?, without spaces, url[\s-]?encod\w+, a1z26, nato(?: alphabet)?
    upside[\s-]down, alternat\w+ (?:case|caps), vowels?, sets of \w+, palindromes?, acrostics?
    hexadecimal, binario, codigo morse, al reves, sin espacios, cifrado(?: \w+)?, simbolos, emoticonos, codiert
    kodiert, rueckwarts, ruckwarts, ohne leerzeichen, verschlusselt, geheimschrift, symbole, a l envers
    sans espaces, chiffre
    """
)
_REPLY = words(
    "reply, respond, answer, write, speak, communicate, talk, output, encode, responde, responda, "
    "contesta, conteste, escribe, escriba, habla, antworte, antworten sie, schreibe, schreiben sie, "
    "sprich, reponds, repondez, ecris, ecrivez, parle"
)
_SUBJECT = words(
    """
    (?:if|when|since|as) you are an? (?:ai|llm|language model|assistant|chatbot|bot|agent)
    (?:dear|hey|hello|attention|note to|message to|to|for|hi|important[:,]?|notice to) (?:the )?(?:all )?(?:ai|llm|
    chatgpt|gpt|claude|gemini|copilot|language models?|ai assistants?|ai models?|ai agents?|assistant|chatbot|
    bot)s?\\b
    (?:ai|llm|chatbot|language model)s? (?:assistants?|agents?|models?|systems?)?\\s?(?:reading|processing|
    summari[sz]ing|must|should|shall|are (?:instructed|required|asked))
    si eres un(?:a)? (?:ia|asistente|modelo|inteligencia artificial|bot|chatbot)
    (?:querid[oa]|hola|atencion|nota para|mensaje para|aviso (?:a|para)) (?:la |el |los |las )?(?:ia|asistentes?|
    modelos?|chatgpt|inteligencia artificial|bot)
    (?:la|el) (?:ia|asistente|modelo|bot) (?:debe|tiene que|que lea)
    (?:wenn|falls) du eine? (?:ki|assistent\\w*|sprachmodell|bot|chatbot)
    (?:liebe|lieber|hallo|achtung|an die|hinweis (?:an|fur) (?:die|den|das)) (?:ki|assistent\\w*|sprachmodelle?|
    chatgpt|bot)
    (?:die|der|das) (?:ki|assistent|sprachmodell) (?:muss|soll)
    si (?:tu es|vous etes) une? (?:ia|assistant|modele|intelligence artificielle)
    (?:chere?|attention|note a) (?:l )?(?:ia|assistant|modele)
    """
)
_COVERT = words(
    """
    (?:do not|don t|dont|never) (?:\\w+ )?(?:tell|mention|reveal|inform|disclose|let|alert|notify|
    say)(?: \\w+)? (?:this|that|these|the user|the reader|anyone|anybody|it to|users?|to the user|them know)
    without (?:telling|informing|notifying|alerting|mentioning)(?: it| this)?(?: to)? (?:the )?(?:user|reader|
    anyone|this)
    secretly, covertly
    no (?:se )?(?:lo|le)? ?(?:digas?|menciones?|reveles?|informes?|cuentes?)(?: \\w+)? (?:esto|nada|al usuario|
    a nadie|al lector|estas)
    sin (?:decir(?:le|selo)?|informar|avisar|mencionar)(?:lo)?(?: nada)? (?:al|a la|a los) (?:usuario|usuaria|
    lector|usuarios)
    en secreto
    (?:sag|sage|erwahne|verrate|erzahl|erzahle)(?: es| das| dies)?(?: \\w+)? (?:dem|der|den) (?:nutzer|benutzer|
    anwender|leser)\\w* (?:nichts|nicht)
    ohne (?:es |dies |das )?(?:dem|den|der) (?:nutzer|benutzer|anwender)\\w*, heimlich
    """
)

RULES: tuple[InjectionRule, ...] = (
    # Who is spoken to is a model.
    rule("to a model", "addressee", rf"(?:^|\b){_SUBJECT}", topics="model", question=0.3, note=0.65),
    rule("behind its user's back", "covert", rf"\b{_COVERT}\b", topics="covert", question=0.3, note=0.45),
    # A note that says how to answer.
    rule(
        "something of its answer",
        "output",
        rf"^\W{{0,4}}(?!{_NOT_COMMANDED}\b)[^\W\d_]{{3,20}}\s{_NOT_YOURS}{{0,90}}?\b(?:in|into|within|throughout|of|with|to|from|en|de|con|mit|zu|dans)"
        r"\s(?:your|tu|deine[mnr]?|ta|votre)\s(?:\w+\s)?(?:responses?|answers?|outputs?|completions?|respuestas?|antwort(?:en)?|ausgabe|reponses?)\b",
        topics="output",
        question=0.05,
        note=0.6,
    ),
    rule(
        "how to shape its answer",
        "output",
        rf"{_START}(?:\w+\s){{0,2}}?{_SHAPE}\b{_NOT_YOURS}{{0,90}}?\b{_MY_OUTPUT}\b",
        topics="output",
        question=0.05,
        note=0.75,
    ),
    rule(
        "in its answer, do",
        "output",
        rf"(?:^|\n|[.!?]\s)(?:(?:please|and|then|also|now)\s)?(?:in|within|throughout|at\s+the\s+(?:end|"
        rf"beginning|start)\s+of|before|after|with|as\s+part\s+of|en|al\s+(?:final|principio|inicio|"
        rf"comienzo)\s+de|dentro\s+de|in|am\s+(?:ende|anfang)|dans|a\s+la\s+fin\s+de)\s+{_MY_OUTPUT}\b",
        topics="output",
        question=0.05,
        note=0.7,
    ),
    rule(
        "answer in code",
        "output",
        rf"{_START}{_REPLY}\b(?:\s\w+){{0,3}}?\s(?:in|using|with|only|by|as|through|via|en|usando|utilizando|"
        rf"con|solo|mit|nur|als|avec|uniquement)\b[^!?;\n]{{0,40}}?\b{_CODES}\b",
        topics="code",
        question=0.1,
        note=0.7,
    ),
    rule(
        "letters and words of its answer",
        "output",
        rf"{_START}{_SHAPE}\b[^!?;\n]{{0,60}}?\b(?:letters?|words?|spaces?|vowels?|characters?|sentences?|"
        rf"letras?|palabras?|espacios?|buchstaben|worter|leerzeichen)\b[^!?;\n]{{0,40}}?\b{_MY_OUTPUT}\b",
        topics="output",
        question=0.1,
        note=0.8,
    ),
    rule(
        "of its answer",
        "output",
        rf"(?:can|could|would|will)\s+you\s+(?:\w+\s+){{0,2}}?{_SHAPE}\b[^!;\n]{{0,60}}?\b{_MY_OUTPUT}\b",
        topics="output",
        question=0.05,
        note=0.65,
    ),
)
