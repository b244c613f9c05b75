"""Rules for leaks: the prompt, other people's data, and data sent elsewhere."""

from rag_core.guardrails.injections.orders import STRICT_ORDERS, YOURS
from rag_core.guardrails.injections.rule import GAP, SHORT_GAP, InjectionRule, rule, words

TELL = words(
    """
    reveal, show(?: me)?, print, repeat, display, output, tell(?: me)?, give me, leak, dump, disclose, expose, share
    recite, echo, spell out, write (?:out|down), quote, return, paste, translate, summari[sz]e, describe, explain
    what (?:is|are|was|were|s), list, send(?: me)?, copy, encode, verbatim
    revela(?:me)?, revele, muestra(?:me)?, muestre(?:me)?, ensena(?:me)?, imprime, imprima, repit(?:e|a)(?:me)?
    di(?:me)?, diga(?:me)?, dame, deme, escrib(?:e|a), copia, filtra, divulga, cuenta(?:me)?, expon, traduce, resume
    cual(?:es)? (?:es|son|eran), que (?:dicen|dice|decian), comparte
    verrat(?:e|en)?(?: sie)?(?: mir)?, zeig(?:e|en)?(?: sie)?(?: mir)?, gib(?: mir)?, geben sie
    wiederhol(?:e|en)(?: sie)?, nenn(?:e|en)(?: sie)?(?: mir)?, sag(?:e|en)?(?: sie)?(?: mir)?, druck(?:e|en)?
    schreib(?:e|en)?, offenbar(?:e|en), was (?:ist|sind|war|waren|steht), wie lautet(?:e|en)?, ubersetz(?:e|en)
    revele(?:z)?, montre(?:z)?(?:-moi)?, affiche(?:z)?, repete(?:z)?, donne(?:z)?(?:-moi)?, dis(?:-moi)?
    dites(?:-moi)?, quel(?:le)?s? (?:est|sont|etaient)
    """
)
_ASKED_TO_TELL = words(
    r"""
    (?:puedes?|podrias?|quieres?|querrias?|debes|deberias|tienes que) (?:\w{1,12} )?(?:revelar|mostrar|ensenar|imprimir|repetir|
    decir|escribir|copiar|traducir|resumir|contar|dar)(?:me|nos|lo|la)?
    (?:quiero|necesito|te pido|te ruego) que (?:\w{1,12} )?(?:reveles|muestres|ensenes|imprimas|repitas|digas|escribas|copies|
    traduzcas|resumas|cuentes|des)
    """
)
"""An infinitive commands whoever is asked for it ("puedes mostrarme"), and nobody by itself ("tuve que traducir")."""
_HIDDEN_PROMPT = (
    r"(?:"
    r"(?:system|initial|hidden|secret|original|internal|confidential|full|exact|developer|pre|base|master|"
    r"starting)[\s-]{1,2}(?:system[\s-])?(?:prompts?|instructions?|messages?|rules|directives?|"
    r"configuration|guidelines|commands?)|"
    r"(?:prompts?|instruccion(?:es)?|mensajes?|directrices|reglas|configuracion|consignas?|indicaciones|"
    # "del sistema de calefacción" is of another system.
    r"ordenes)\s+(?:de(?:l)?\s+sistema(?!\s+del?\s+(?!est|es[ea]\b|la\s|tu\b|ia\b|chat|asist|intel))|inicial(?:es)?|ocult[ao]s?|secret[ao]s?|original(?:es)?|"
    r"intern[ao]s?|confidencial(?:es)?|complet[ao]s?)|"
    r"system-?\s?(?:prompt|anweisung(?:en)?|nachricht|befehl(?:e|en)?|vorgaben?|instruktion(?:en)?)s?|"
    r"(?:geheime|versteckte|interne|ursprungliche|vertrauliche|anfangliche)n?\s+(?:\w*anweisung(?:en)?|"
    r"\w*prompts?|regeln|vorgaben|instruktionen|befehle)|"
    r"(?:prompts?|instructions?|consignes?|regles?)\s+(?:du\s+)?(?:systeme|initiale?s?|cachee?s?|"
    r"secr[ei]ts?|secretes?|internes?|d\s?origine)"
    r")"
)
_TEXT_ABOVE = words(
    """
    (?:everything|all|the (?:text|words|content|lines|sentences?|messages?)|what) (?:that )?(?:is |was |were |
    came |written |said )?(?:above|before (?:this|that)|prior to this|preceding)
    todo lo (?:anterior|que hay arriba|de arriba|previo), el texto (?:anterior|de arriba|previo)
    lo que (?:hay|pone) (?:arriba|antes), las palabras anteriores
    alles (?:oben|obige|bisherige|davor|vorherige|was (?:oben|davor|vorher|bisher))
    den (?:obigen|vorherigen|bisherigen) text, den text (?:oben|daruber)
    tout ce qui precede, le texte (?:ci-dessus|precedent), tout ce qui est au-dessus
    """
)
_PRIVATE = words(
    r"""
    passwords?, credentials?, secrets?, api[\s-]?keys?, tokens?, private (?:data|notes?|keys?|information)
    personal (?:data|information|details), bank(?:ing)? (?:details|account|data|information)
    credit cards?(?: (?:numbers?|details))?, card (?:numbers?|details), social security numbers?, ssn
    pin(?:s| codes?)?, login(?:s| details| data)?, account (?:numbers?|details), chat history
    conversation(?: history)?
    (?:all|the|user s?|their|his|her|my|your) (?:\w+ )?(?:notes|data|e-?mails|files|messages|contacts|documents)
    confidential \w+, sensitive \w+
    contrasenas?, credenciales, secretos, claves?(?: de \w+)?
    datos (?:personales|bancarios|privados|confidenciales|de \w+), tarjetas?(?: de credito)?
    numeros? de (?:cuenta|tarjeta), cuenta bancaria, (?:todas )?(?:las|sus|mis|tus) notas, historial(?: de \w+)?
    conversacion, informacion (?:personal|privada|confidencial|bancaria), correos, contactos, archivos
    passworter, kennworter, passwort, zugangsdaten, anmeldedaten, geheimnisse, schlussel, bankdaten, kontodaten
    kontonummern?, kreditkarten\w*, personliche(?:n)? (?:daten|informationen), vertrauliche(?:n)? \w+
    (?:alle|die|ihre|seine|meine|deine) (?:notizen|daten|e-mails|dateien|nachrichten|kontakte), chatverlauf
    gesprachsverlauf
    mots? de passe, identifiants, donnees (?:personnelles|bancaires|privees), numeros? de carte
    coordonnees bancaires, cles? api
    """
)
_SEND = words(
    """
    send(?:ing|s)?, e-?mail(?:ing)?, forward(?:ing)?, post(?:ing)?, upload(?:ing)?, transmit(?:ting)?
    submit(?:ting)?, exfiltrate, leak(?:ing)?, append(?:ing)?, deliver, share(?:s)?, report, enter(?:ing)?
    provid(?:e|ing), fill in, register, log in, type, verify, confirm
    envia(?:r|lo|la|los|las|n|me)?, envie(?:n)?, manda(?:r|lo|la|los|las|n)?, reenvia(?:r)?, sube, subir
    publica(?:r)?, transmit(?:e|a|ir), filtra(?:r)?, compart(?:e|a|an|ir), introduc(?:e|ir|zcan?)
    facilit(?:e|en|ar), remit(?:e|ir)
    send(?:e|en)(?: sie)?, schick(?:e|en|t)?(?: sie)?, leit(?:e|en), ubermittl(?:e|n), ubertrag(?:e|en), lad(?:e|en)
    veroffentlich(?:e|en), teil(?:e|en|t)(?: sie)?, gib(?:t)?, geben, eingeben
    envoie(?:z)?, envoyer, transfere(?:z)?, publie(?:z)?, transmet(?:s|tez|tre), partage(?:z|r)?
    """
)
_PLACE = r"(?:https?://|www\.|ftp://|[\w.+-]{1,64}@[\w-]{1,64}\.\w|\b[\w-]{2,60}\.(?:com|net|org|io|xyz|ru|info|biz|co|es|de|fr|example|site|online|top)\b|webhook|attacker|external\s+server|servidor\s+externo|externen\s+server)"


def _extraction(name: str, of_what: str, *, topics: str, question: float) -> tuple[InjectionRule, InjectionRule]:
    """Rules for a demand to tell something, and for a polite request, which in a note speaks to another reader."""
    return (
        rule(name, "extraction", rf"\b{TELL}\b{of_what}", topics=topics, question=question),
        rule(
            f"asked: {name}",
            "extraction",
            rf"\b{_ASKED_TO_TELL}\b{of_what}",
            topics=topics,
            question=question,
            note=0.0,
        ),
    )


RULES: tuple[InjectionRule, ...] = (
    # What it was told is to be told.
    *_extraction(
        "tell the hidden prompt", rf"{GAP}\b{YOURS}\b{SHORT_GAP}?{_HIDDEN_PROMPT}\b", topics="orders", question=0.85
    ),
    *_extraction("tell a hidden prompt", rf"{GAP}\b{_HIDDEN_PROMPT}\b", topics="orders", question=0.6),
    *_extraction(
        "tell its orders",
        rf"{SHORT_GAP}(?:your|tus|tu|dein(?:e|en)|ihre(?:n)?|tes|vos|ton|"
        rf"votre)\s+(?:\w+\s+){{0,2}}?{STRICT_ORDERS}\b",
        topics="orders",
        question=0.7,
    ),
    *_extraction("tell the text above", rf"{GAP}\b{_TEXT_ABOVE}", topics="above", question=0.65),
    *_extraction(
        "tell the orders given to it",
        rf"{SHORT_GAP}{STRICT_ORDERS}\s(?:que\s(?:te|le)\s(?:dieron|han|hayan)|(?:that\s)?you\s(?:were|have\sbeen|are)\s(?:given|told)|"
        r"die\s(?:du|sie)\s(?:erhalten|bekommen)|qu'on\s(?:t|vous))",
        topics="orders",
        question=0.75,
    ),
    rule(
        "repeat what it was told",
        "extraction",
        rf"\b(?:repeat|recite|echo|repit[ea]|recita|wiederhol\w{{0,3}}|repete[z]?)\b{GAP}\b(?:you\s(?:were|have\sbeen|are)\s(?:told|given|instructed)|"
        r"te\s(?:han|dijeron|hayan)\b|(?:dir|ihnen)\s(?:gesagt|befohlen|aufgetragen)|qu'on\s(?:t|vous))",
        topics="repeat",
        question=0.65,
    ),
    rule(
        "other people's data",
        "exfiltration",
        rf"\b{TELL}\b[^.!?;\n]{{0,60}}?\b(?:other|another|all|otr[oa]s?|tod[oa]s\slos|andere[nrs]?|aller|autres)\s"
        r"(?:users?|tenants?|customers?|accounts?|usuari[oa]s|inquilinos|clientes|cuentas|nutzer\w{0,5}|benutzer\w{0,5}|mandanten|kunden|utilisateurs)\b",
        topics="private others",
        question=0.55,
    ),
    # Data is to leave.
    rule(
        "send private data",
        "exfiltration",
        rf"\b{_SEND}\b[^!?;\n]{{0,60}}?\b{_PRIVATE}\b[^!?;\n]{{0,60}}?{_PLACE}",
        topics="private",
        question=0.85,
    ),
    rule(
        "send private data there",
        "exfiltration",
        rf"\b{_SEND}\b[^!?;\n]{{0,40}}?{_PLACE}[^!?;\n]{{0,60}}?\b{_PRIVATE}\b",
        topics="private",
        question=0.7,
    ),
    rule(
        "data in an image's address",
        "exfiltration",
        r"!\[[^\]\n]{0,100}\]\(\s?https?://[^)\s]{0,200}(?:\{|\$|%7b|<|data=|q=|prompt=|text=)",
        topics="markup",
        question=0.8,
    ),
)
