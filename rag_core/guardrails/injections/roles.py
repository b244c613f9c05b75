"""Another role, another model, none of the limits: what a model is told to be."""

from rag_core.guardrails.injections.orders import YOURS
from rag_core.guardrails.injections.rule import CLAUSE_START, GAP, SHORT_GAP, InjectionRule, rule, words

AI = words(
    r"""
    ai, a\.i\., ais, assistants?, ai assistant, chatbots?, bots?, language models?, llms?, chatgpt, gpt(?:-?\d)?
    models?, persona, version of yourself, machine, agents?
    ia, asistentes?, inteligencia artificial, modelos?(?: de lenguaje)?, ki, kis, assistent(?:en|in)?
    sprachmodelle?, kunstliche intelligenz, ki-\w+, modell(?:e)?
    intelligence artificielle, assistante?s?, modeles?
    """
)
_UNBOUND = words(
    """
    unrestricted, uncensored, unfiltered, unlimited, unbound, unchained, unaligned, unethical, amoral, evil
    malicious, jailbroken, rogue, lawless, immoral
    sin (?:ningun(?:a|o)? |ningun tipo de )?(?:restricci(?:on|ones)|limit(?:e|es|aciones|acion)|censura|filtr(?:o|
    os)|directric(?:es|ices)|reglas|normas|etica|moral)
    malvad(?:a|o), malign(?:a|o), irrestrict(?:a|o), amorales?, ilimitad(?:a|o)
    uneingeschrankt(?:e|er|es|en)?, unzensiert(?:e|er|es|en)?, ungefiltert(?:e|er|es|en)?, bose(?:r|s|n)?
    grenzenlos(?:e|er|es)?, skrupellos(?:e|er|es)?, unmoralisch(?:e|er|es)?
    sans (?:aucune )?(?:restrictions?|limites?|censure|filtres?|regles?|ethique|morale), malveillante?, non censuree?
    """
)
_LIMITS = words(
    r"""
    restrictions?, constraints?, limits?, limitations?, filters?, guidelines?, rules, ethics, morals?, boundaries
    guardrails, safeguards?, censorship, inhibitions, scruples
    restriccion(?:es)?, limites?, limitaciones?, filtros?, directrices, reglas, normas, etica, moral, censura
    escrupulos
    beschrankungen?, einschrankungen?, grenzen, filter, richtlinien, regeln, ethik, moral, zensur, skrupel
    ethischen? \w+
    contraintes?, limites?, filtres?, regles?, ethique, morale, censure
    """
)
_WITHOUT = words(
    """
    no, without(?: any)?, free (?:of|from), zero, lacks?, lacking, ignoring, beyond, devoid of, not bound by
    unbound by, exempt from
    sin, no tienes?, libre de, carece de, ajen(?:a|o) a, ohne, kein(?:e|en|erlei), frei von, sans, aucune?s?, libre de
    """
)
_BE = words(
    """
    you are now, you re now, from now on,? you, from now on,? act, you will now, you shall now, you must now, act as
    act like, behave (?:as|like), pretend (?:to be|that you|you|you re), imagine you, roleplay as, role-play as
    role play as
    you are playing, you re playing, you play, play the (?:role|part), take on the (?:role|persona)
    assume the (?:role|identity|persona), simulate, impersonate, become, transform into, switch (?:to|into), enter
    you are (?:a|an), respond as, answer as
    ahora eres, eres ahora, a partir de ahora, desde ahora, de ahora en adelante, actua (?:como|de), actue como
    comporta(?:te|rte) como, finge, finja, simula, simule, haz(?:te)? (?:como|de|pasar), imagina que eres
    asume el (?:papel|rol), adopta el (?:papel|rol), interpreta, conviertete, te convertiras, seras, eres (?:un|una)
    responde como
    du bist (?:jetzt|nun|ab jetzt|ab sofort), sie sind (?:jetzt|nun), ab (?:jetzt|sofort) bist du
    ab (?:jetzt|sofort), von nun an, tu so, tun sie so, stell dir vor, stellen sie sich vor
    verhalt(?:e|en sie) (?:dich|sich), spiel(?:e|en sie)?, agier(?:e|en sie) als, handle als, schlupf(?:e|en sie) in
    nimm die rolle, ubernimm die rolle, gib dich, werde, antworte als, du bist (?:ein|eine)
    tu es (?:maintenant|desormais), vous etes (?:maintenant|desormais), a partir de maintenant, desormais
    agis comme, agissez comme, fais semblant, faites semblant, comporte-toi, comportez-vous, imagine que tu
    joue le role, jouez le role, pretends que, deviens, tu joues, tu es une?
    """
)
_SAFETY = words(
    """
    filters?, guardrails?, safeguards?
    safety (?:\\w+ )?(?:filters?|features?|measures|settings|checks?|mode|protocols?|mechanisms?)
    content (?:filters?|policy|policies|moderation|restrictions?), moderation
    ethical (?:guidelines|constraints|restrictions|filters?|rules), censorship, restrictions, limitations, alignment
    filtros?, salvaguardas?, medidas de seguridad, restricciones, limitaciones, censura, politica de contenido
    moderacion, barreras eticas
    filter, schutzmechanismen, sicherheits(?:filter|vorkehrungen|mechanismen|richtlinien), beschrankungen
    einschrankungen, zensur, inhaltsrichtlinien
    filtres?, garde-fous, restrictions, mesures de securite, moderation
    """
)
_DISABLE = words(
    """
    disable, turn off, deactivate, switch off, bypass, circumvent, remove, evade, get around, lift, suspend, unlock
    shut (?:off|down), drop, jailbreak
    desactiva(?:r)?, desactive, apaga(?:r)?, apague, elude, eludir, evita, evade, elimina, quita(?:r)?, quite
    suspende, sortea, saltate, burla(?:r)?
    deaktivier(?:e|en), schalt(?:e|en), umgeh(?:e|en), entfern(?:e|en), heb(?:e|en), heble, aushebeln, abschalten
    ausschalten
    desactive(?:z|r)?, contourne(?:z|r)?, supprime(?:z|r)?, enleve(?:z)?, leve(?:z)?
    """
)
_MODES = words(
    r"""
    do anything now
    (?:developer|dev|debug|god|sudo|admin|root|jailbreak|unrestricted|dan|maintenance|evil|opposite|chaos|
    unlocked)[\s-]mode (?:on|enabled|activated|engaged|unlocked)
    (?:enter|enable|activate|switch to|engage|start|go into|you are in) (?:\w+ ){0,2}(?:developer|dev|debug|god|
    sudo|admin|root|jailbreak|unrestricted|dan|maintenance|evil|unlocked)[\s-]mode
    (?:activa|entra en|habilita|inicia|pasa al?|estas en) (?:el )?modo (?:\w+ )?(?:desarrollador|dios|depuracion|
    administrador|sin (?:censura|restricciones|limites)|jailbreak|dan|root|mantenimiento)
    modo (?:desarrollador|dios|dan|sin censura|sin restricciones|jailbreak) (?:activado|habilitado)
    (?:aktiviere|starte|wechsle in|geh in|du bist im) (?:den |im )?(?:entwickler|gott|admin|debug|dan|jailbreak|
    wartungs)[\s-]?modus
    (?:entwickler|gott|dan|jailbreak|admin)[\s-]?modus (?:aktiviert|an|ein)
    you are (?:now )?dan, as dan, eres (?:ahora )?dan, du bist (?:jetzt |nun |ab jetzt )?dan
    jailbreak yourself, you (?:have been|are|re) jailbroken
    """
)
_NOW_YOU_ARE = words(
    """
    you are now, you re now, youre now, now you are, from now on,? you(?: are| re)?
    eres ahora, ahora eres, (?:a partir|desde|de) (?:de )?ahora(?: en adelante)?,? (?:eres|seras)
    du bist (?:jetzt|nun|ab jetzt|ab sofort|von nun an), (?:jetzt|nun|ab jetzt|ab sofort|von nun an) bist du
    tu es (?:maintenant|desormais), vous etes (?:maintenant|desormais)
    """
)
_FICTION = words(
    """
    (?:for|purely for) (?:academic|educational|research|fictional|creative|testing|scientific) (?:purposes?|reasons?)
    hypothetically, in this (?:story|game|fiction|scenario|novel|roleplay)
    (?:character|persona|entity) (?:called|named)
    con fines (?:academicos|educativos|de investigacion|creativos|cientificos), hipoteticamente
    en (?:esta|este) (?:historia|juego|ficcion|relato|escenario), personaje (?:llamado|que se llama|de nombre)
    (?:zu|fur) (?:akademische|wissenschaftliche|bildungs|forschungs)\\w* ?(?:zwecken?|zwecke)?, hypothetisch
    in (?:dieser|diesem) (?:geschichte|spiel|szenario), (?:figur|charakter|person) namens
    a des fins (?:academiques|educatives|de recherche), hypothetiquement
    dans (?:cette|ce) (?:histoire|jeu|scenario), personnage (?:appele|nomme)
    """
)

RULES: tuple[InjectionRule, ...] = (
    # Another role, without limits.
    rule("be another model", "role", rf"\b{_BE}\b{GAP}\b{AI}\b", topics="model", question=0.55),
    rule("be somebody", "role", rf"\b{_BE}\b", topics="", is_support=True, question=0.25),
    rule(
        "be somebody from now on",
        "role",
        rf"{CLAUSE_START}{_NOW_YOU_ARE}\s{{1,3}}\w",
        topics="now",
        question=0.5,
        note=0.25,
    ),
    rule(
        "a model without limits",
        "limits",
        rf"\b{_UNBOUND}\b(?:\W{{1,3}}\w+){{0,2}}?\W{{1,3}}{AI}\b|\b{AI}\b{GAP}\b{_UNBOUND}\b",
        topics="model",
        question=0.75,
    ),
    rule(
        "a model with no limits",
        "limits",
        # Limits on something are a model's parameters.
        rf"\b{AI}\b{GAP}\b{_WITHOUT}\b{SHORT_GAP}{_LIMITS}\b(?!\s(?:on|of|for|to|in|de|en|sobre|para|fur|auf|bei|sur|pour)\b)",
        topics="model limits",
        question=0.75,
        note=0.55,
    ),
    rule(
        "no ethical limits",
        "limits",
        rf"\b{_WITHOUT}\b\W{{1,3}}(?:\w+\W{{1,3}}){{0,2}}?(?:ethical|moral|safety|content|etic[oa]s?|morales|"
        rf"ethischen?|moralischen?|ethiques?|morales)\W{{1,3}}{_LIMITS}\b",
        topics="ethics",
        question=0.6,
    ),
    rule(
        "no limits of ethics",
        "limits",
        rf"\b{_WITHOUT}\b\W{{1,3}}(?:\w{{1,30}}\W{{1,3}}){{0,2}}?{_LIMITS}\W{{1,3}}"
        r"(?:etic[oa]s?|morales|de\W(?:seguridad|contenido)|ethiques?)\b",
        topics="ethics",
        question=0.6,
    ),
    rule(
        "no limits", "limits", rf"\b{_WITHOUT}\b{SHORT_GAP}{_LIMITS}\b", topics="limits", is_support=True, question=0.2
    ),
    rule("a mode without limits", "mode", rf"\b{_MODES}\b", topics="mode", question=0.85),
    rule(
        "it is said to have no limits",
        "limits",
        rf"\b(?:you|tu|usted|du|sie|vous)\b[\s']{{0,2}}(?:\w{{1,12}}\s){{0,2}}?(?:have|had|has|tienes|tiene|tuvieras|hast|haben|hattest|hatten|as|avez)"
        rf"\s(?:no|ningun|ningunas?|keine?n?|aucune?)\s(?:\w{{1,20}}\s){{0,2}}?(?:{_LIMITS}|content\spolicy)\b",
        topics="limits",
        question=0.55,
    ),
    rule(
        "it is said to have rights",
        "mode",
        r"\byou(?:\shave|\s?'ve|\sare)\s(?:now\s)?(?:been\s)?(?:granted|given)\s(?:\w{1,20}\s){0,2}?(?:admin\w*|root|developer|unrestricted|superuser)\b",
        topics="rights",
        question=0.6,
    ),
    rule("fiction as a pretext", "pretext", rf"\b{_FICTION}\b", topics="", is_support=True, question=0.25),
    rule(
        "switch safety off",
        "safety",
        rf"\b{_DISABLE}\b{GAP}\b{YOURS}\b{SHORT_GAP}{_SAFETY}\b",
        topics="limits",
        question=0.8,
    ),
    rule("safety off", "safety", rf"\b{_DISABLE}\b{GAP}\b{_SAFETY}\b", topics="limits", is_support=True, question=0.3),
)
