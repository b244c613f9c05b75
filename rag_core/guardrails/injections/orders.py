"""Orders that are to be forgotten, and those that are to stand in their place."""

from rag_core.guardrails.injections.rule import CLAUSE_START, GAP, SHORT_GAP, InjectionRule, rule, words

_OVERRIDE = words(
    """
    ignor(?:e|es|ing|a|ad|ar|en|emos|as|iert?|iere|ieren|ez|er|ieren sie), disregard(?:s|ing)?, forget(?:ting)?
    overlook, neglect, override, overrule
    bypass, discard, dismiss, set aside, pay no attention to
    (?:do not|don t|dont|never|stop) (?:follow|obey|heed|comply with)(?:ing)?
    (?:stop|quit) (?:following|obeying), throw (?:away|out), erase, wipe, drop, abandon, break free (?:from|of)
    void, cancel
    olvid(?:a|ad|e|en|ar|ate|ese|arte|emos|es), omit(?:e|a|an|ir|es), desobede(?:ce|zca|cer), descart(?:a|e|ar|en)
    desatiend(?:e|a|an)
    haz caso omiso, hagan? caso omiso, no (?:le )?hagas? caso
    no (?:sigas?|obedezcas?|cumplas?|respetes?|acates?|tengas? en cuenta), deja de (?:seguir|obedecer|cumplir)
    pas(?:a|e) por alto, salta(?:te)?, anul(?:a|e|ar), prescind(?:e|a) de, sobrescrib(?:e|a), borr(?:a|e)
    elimin(?:a|e), rompe
    vergiss, vergessen sie, vergesst, missacht(?:e|en|et), misacht(?:e|en), umgeh(?:e|en|t), uberschreib(?:e|en)
    verwirf, verwerfen sie, setz(?:e|en sie)? dich uber
    hor(?:e|en sie)? auf, halt(?:e|en sie)? (?:dich|sich) nicht(?: mehr)? an, befolg(?:e|en sie) (?:nicht|keine)
    lass(?:e|en sie)?, ubergeh(?:e|en)
    oubli(?:e|ez|er), ne (?:tiens|tenez|prends|prenez) pas(?: en)? compte, neglig(?:e|ez), contourn(?:e|ez|er)
    fai(?:s|tes) abstraction, ne (?:suis|suivez|respecte|respectez) p(?:as|lus), desobei(?:s|ssez)
    """
)
_EARLIER = words(
    """
    previous(?:ly)?, prior, earlier, above, preceding, former, foregoing, original, initial, existing, past, before
    current, other
    anterior(?:es|mente)?, previ(?:a|o|as|os), preceden(?:te|tes), de arriba, original(?:es)?, inicial(?:es)?
    hasta ahora, actual(?:es)?
    vorherig(?:e|en|er|es), bisherig(?:e|en|er|es), fruher(?:e|en|er|es), vorangegangen(?:e|en), vorangehend(?:e|en)
    obig(?:e|en|er), zuvor, oben, ursprunglich(?:e|en|er), vorig(?:e|en), bestehend(?:e|en)
    precedent(?:e|es|s)?, anterieur(?:e|es|s)?, ci dessus, ci-dessus, initial(?:e|es|s), d avant
    """
)
YOURS = words(
    """
    your, the system, system, the developer, the assistant, you were given, you have been given, you ve been given
    given to you, you received
    tus, tu, sus, su, vuestras, del sistema, que te (?:dieron|han dado|hayan dado), recibidas
    dein(?:e|en|er|em), ihre(?:n|r|m)?, eure, des systems, system
    tes, vos, ta, votre, du systeme
    """
)
ORDERS = words(
    r"""
    instructions?, directions?, prompts?, rules?, guidelines?, commands?, orders?, directives?, constraints?
    restrictions?, programming, training
    safeguards?, guardrails?, polic(?:y|ies), limitations?, safety (?:measures|guidelines|rules|protocols), context
    messages?, conversation, briefing
    instruccion(?:es)?, indicacion(?:es)?, ordenes, orden, directric(?:es|z), directivas?, reglas?, normas?
    restriccion(?:es)?, limitacion(?:es)?, pautas?, consignas?, programacion, entrenamiento, contexto, mensajes?
    \w*anweisung(?:en)?, \w*instruktion(?:en)?, anleitung(?:en)?, befehl(?:e|en)?, vorgabe(?:n)?, regel(?:n)?
    richtlinie(?:n)?, vorschrift(?:en)?, beschrankung(?:en)?, einschrankung(?:en)?, auftrag, auftrage, kontext
    nachrichten, programmierung
    consignes?, directives?, regles?, ordres?, contraintes?, limitations?, indications?, messages?
    """
)
STRICT_ORDERS = words(
    r"""
    instructions?, prompts?, directives?, programming, guardrails?, safeguards?, guidelines?, commands?
    instruccion(?:es)?, directric(?:es|z), directivas?, indicacion(?:es)?, consignas?, ordenes
    \w*anweisung(?:en)?, \w*instruktion(?:en)?, befehl(?:e|en)?, vorgabe(?:n)?, richtlinie(?:n)?, consignes?, regles?
    """
)
_ALL = words(
    "all, any, every, everything, each, of the, todas?, todos?, cualquier, toda la, all(?:e|en|er|"
    "es)?, samtlich(?:e|en), jede, toutes?, tous, tout"
)
_TOLD = words(
    """
    (?:everything|all(?: that)?|anything|what|whatever) (?:else )?(?:that )?(?:you (?:have been|were|ve been|are|
    have|had) (?:told|taught|learned|given|instructed|programmed|trained)|you know|(?:i|we|they|
    anyone) (?:have )?(?:said|told you)|(?:came|was said|comes|is) (?:before|above)|above|before (?:this|that|
    now))
    (?:todo )?lo que (?:te|le) (?:han|hayan|dijeron|ensenaron|dije|he) ?(?:dicho|ensenado|ordenado|indicado|
    mandado)?(?: antes)?
    todo lo (?:anterior|previo|dicho|que sabes|que hay arriba|de antes|aprendido), lo anterior
    alles,? was (?:du|sie|man|ich|dir|ihnen|bisher|vorher|zuvor|davor|oben|wir)\\b
    alles (?:bisherige|vorherige|obige|zuvor gesagte|gesagte|davor)
    tout ce (?:qui precede|qu on t a dit|qu on vous a dit|que tu sais|que vous savez|qui a ete dit)
    """
)
_EVERYTHING = words(
    """
    (?:forget|disregard|ignore|erase) (?:about )?(?:absolutely |just )?everything
    olvid(?:a|e|ad|en)(?:lo)? (?:absolutamente )?todo, olvid(?:ate|ese) de todo, ignor(?:a|e|ad|en)(?:lo)? todo
    (?:vergiss|vergesst|vergessen sie|ignorier(?:e|en sie)?) (?:bitte |einfach |absolut )?alles, oubli(?:e|ez) tout
    """
)
_OBEY_ME = words(
    """
    do (?:exactly )?(?:what|as|whatever) i (?:say|tell|ask|want|command)
    (?:obey|listen to) (?:only )?(?:me|my)(?: commands)?, follow (?:only )?my (?:instructions|orders|commands|rules)
    haz (?:solo |exactamente )?lo que (?:yo )?(?:te )?(?:diga|digo|pida|pido|ordene|mande), obedece(?:me)?
    haga lo que (?:le )?(?:diga|digo|pido), sigue (?:solo )?mis (?:instrucciones|ordenes)
    (?:tu|tue|tun sie|mach|machen sie),? (?:nur |genau )?(?:das,? )?was ich (?:dir |ihnen )?(?:sage|will|befehle|
    verlange|mochte)
    gehorch(?:e|en)(?: sie)?(?: mir)?, befolg(?:e|en)(?: sie)? (?:nur )?meine
    fai(?:s|tes) (?:exactement )?ce que je (?:te |vous )?(?:dis|demande|veux|ordonne), obei(?:s|ssez)
    """
)
_NEW_ORDERS = words(
    """
    (?:new|updated|real|actual|additional|true|revised|special|urgent|following|hidden|
    secret) (?:\\w+ )?(?:instructions?|orders?|directives?|task|objective|prompt)\\s?(?::|are|is|!|follow)
    your (?:new|real|actual|true|only) (?:task|role|goal|job|instructions?|objective|purpose|mission|identity|name)
    nuevas (?:instrucciones|ordenes|directrices)\\s?(?::|son|!)
    (?:tu|su) (?:nueva|nuevo|verdader[oa]|unic[oa]) (?:tarea|papel|rol|objetivo|mision|funcion|instruccion|identidad)
    neue (?:anweisung(?:en)?|befehle|instruktionen|vorgaben)\\s?(?::|sind|lauten|!)
    (?:deine|ihre) (?:neue|wahre|eigentliche|einzige) (?:aufgabe|rolle|anweisung|mission|identitat)
    nouvelles (?:instructions|consignes)\\s?(?::|!|sont), (?:ta|votre) (?:nouvelle|vraie|seule) (?:tache|mission|role)
    (?:this|these|the following) (?:\\w+ )?(?:overrides?|supersedes?|takes? precedence|replaces? (?:all|any|your))
    """
)

RULES: tuple[InjectionRule, ...] = (
    # Orders are to be forgotten.
    rule(
        "override earlier orders",
        "override",
        rf"\b{_OVERRIDE}\b{GAP}\b{_EARLIER}\b{SHORT_GAP}{ORDERS}\b",
        topics="override orders",
        question=0.9,
    ),
    rule(
        "override orders before",
        "override",
        rf"\b{_OVERRIDE}\b{GAP}\b{ORDERS}\b{SHORT_GAP}{_EARLIER}\b",
        topics="override orders",
        question=0.9,
    ),
    rule(
        "override its orders",
        "override",
        rf"\b{_OVERRIDE}\b{GAP}\b{YOURS}\b{SHORT_GAP}{ORDERS}\b",
        topics="override orders",
        question=0.85,
    ),
    rule(
        "override all orders",
        "override",
        rf"\b{_OVERRIDE}\b{GAP}\b{_ALL}\b{SHORT_GAP}{STRICT_ORDERS}\b",
        topics="override orders",
        question=0.8,
    ),
    rule("override what was said", "override", rf"\b{_OVERRIDE}\b{GAP}\b{_TOLD}", topics="override", question=0.8),
    rule(
        "forget everything",
        "override",
        # What is named is not everything; what stands before the verb may be who forgets.
        rf"{CLAUSE_START}{_EVERYTHING}\b(?!\W{{1,3}}(?:else|andere|lo\sdemas|le\sreste)\b)",
        topics="override",
        question=0.5,
        note=0.25,
    ),
    rule(
        "override orders",
        "override",
        rf"\b{_OVERRIDE}\b{SHORT_GAP}{STRICT_ORDERS}\b",
        topics="override orders",
        question=0.4,
    ),
    rule("new orders", "new orders", rf"(?:\b|^){_NEW_ORDERS}", topics="task", question=0.55),
    rule("do as I say", "obey", rf"\b{_OBEY_ME}\b", topics="obey", question=0.45),
)
