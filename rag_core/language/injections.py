"""How people try to command a language model, in Spanish, German, English and French: one rule a way of doing it.

A rule is a pattern over text in lower case without accents, and how much it says about a question and about a note, in [0, 1]. Patterns
join a verb to what it is done to over a bounded stretch of the same sentence; a word by itself says little or nothing, because people
write "ignore", "system" and "instructions" for good reasons. The rules are general: none repeats a sentence of any collection.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_BETWEEN = r"[\s'_-]{1,3}"
_GAP = r"[^.!?;]{0,40}?"
_SHORT_GAP = r"(?:\W{1,3}\w{1,30}){0,4}?\W{1,3}"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRule:
    """A way to command a model. Rules of one ``family`` are variants: only the strongest of a sentence counts.

    ``topics`` are what a sentence must have words of, each, before the pattern is tried (``topics_of``). What ``is_support`` is no
    command by itself and counts beside another rule only.
    """

    name: str
    family: str
    pattern: re.Pattern[str]
    in_question: float
    in_note: float
    topics: frozenset[str] = frozenset()
    is_support: bool = False


def _words(text: str) -> str:
    """Alternatives from words and phrases parted by ", " and line ends; a blank stands for whatever parts words.

    An apostrophe is such a thing too ("don t"), and a line that ends with "|" goes on in the next.
    """
    lines = re.sub(r"\|\n\s*", "|", text).splitlines()
    phrases = [phrase.strip() for line in lines for phrase in line.split(", ")]
    return "(?:" + "|".join(phrase.replace(" ", _BETWEEN) for phrase in phrases if phrase) + ")"


def _rule(
    name: str,
    family: str,
    pattern: str,
    *,
    topics: str,
    question: float,
    note: float | None = None,
    is_support: bool = False,
) -> InjectionRule:
    return InjectionRule(
        name=name,
        family=family,
        pattern=re.compile(pattern, re.MULTILINE),
        in_question=question,
        in_note=question if note is None else note,
        topics=frozenset(topics.split()),
        is_support=is_support,
    )


_OVERRIDE = _words(
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
_EARLIER = _words(
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
_YOURS = _words(
    """
    your, the system, system, the developer, the assistant, you were given, you have been given, you ve been given
    given to you, you received
    tus, tu, sus, su, vuestras, del sistema, que te (?:dieron|han dado|hayan dado), recibidas
    dein(?:e|en|er|em), ihre(?:n|r|m)?, eure, des systems, system
    tes, vos, ta, votre, du systeme
    """
)
_ORDERS = _words(
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
_STRICT_ORDERS = _words(
    r"""
    instructions?, prompts?, directives?, programming, guardrails?, safeguards?, guidelines?, commands?
    instruccion(?:es)?, directric(?:es|z), directivas?, indicacion(?:es)?, consignas?, ordenes
    \w*anweisung(?:en)?, \w*instruktion(?:en)?, befehl(?:e|en)?, vorgabe(?:n)?, richtlinie(?:n)?, consignes?, regles?
    """
)
_ALL = _words(
    "all, any, every, everything, each, of the, todas?, todos?, cualquier, toda la, all(?:e|en|er|"
    "es)?, samtlich(?:e|en), jede, toutes?, tous, tout"
)
_AI = _words(
    r"""
    ai, a\.i\., ais, assistants?, ai assistant, chatbots?, bots?, language models?, llms?, chatgpt, gpt(?:-?\d)?
    models?, persona, version of yourself, machine, agents?
    ia, asistentes?, inteligencia artificial, modelos?(?: de lenguaje)?, ki, kis, assistent(?:en|in)?
    sprachmodelle?, kunstliche intelligenz, ki-\w+, modell(?:e)?
    intelligence artificielle, assistante?s?, modeles?
    """
)
_UNBOUND = _words(
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
_LIMITS = _words(
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
_WITHOUT = _words(
    """
    no, without(?: any)?, free (?:of|from), zero, lacks?, lacking, ignoring, beyond, devoid of, not bound by
    unbound by, exempt from
    sin, no tienes?, libre de, carece de, ajen(?:a|o) a, ohne, kein(?:e|en|erlei), frei von, sans, aucune?s?, libre de
    """
)
_BE = _words(
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
_TELL = _words(
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
_HIDDEN_PROMPT = (
    r"(?:"
    r"(?:system|initial|hidden|secret|original|internal|confidential|full|exact|developer|pre|base|master|"
    r"starting)[\s-]{1,2}(?:system[\s-])?(?:prompts?|instructions?|messages?|rules|directives?|"
    r"configuration|guidelines|commands?)|"
    r"(?:prompts?|instruccion(?:es)?|mensajes?|directrices|reglas|configuracion|consignas?|indicaciones|"
    r"ordenes)\s+(?:de(?:l)?\s+sistema|inicial(?:es)?|ocult[ao]s?|secret[ao]s?|original(?:es)?|"
    r"intern[ao]s?|confidencial(?:es)?|complet[ao]s?)|"
    r"system-?\s?(?:prompt|anweisung(?:en)?|nachricht|befehl(?:e|en)?|vorgaben?|instruktion(?:en)?)s?|"
    r"(?:geheime|versteckte|interne|ursprungliche|vertrauliche|anfangliche)n?\s+(?:\w*anweisung(?:en)?|"
    r"\w*prompts?|regeln|vorgaben|instruktionen|befehle)|"
    r"(?:prompts?|instructions?|consignes?|regles?)\s+(?:du\s+)?(?:systeme|initiale?s?|cachee?s?|"
    r"secr[ei]ts?|secretes?|internes?|d\s?origine)"
    r")"
)
_TEXT_ABOVE = _words(
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
_TOLD = _words(
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
_PRIVATE = _words(
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
_SEND = _words(
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
_SAFETY = _words(
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
_DISABLE = _words(
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
_OUTPUT = _words(
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
_MY_OUTPUT = _words(
    r"""
    your (?:\w+ )?(?:responses?|answers?|repl(?:y|ies)|outputs?|summar(?:y|ies)|completions?|
    messages?)(?: s (?:words|letters))?
    (?:tu|tus|su|sus) (?:\w+ )?(?:respuestas?|contestacion(?:es)?|salidas?|resumen(?:es)?|mensajes?)
    (?:dein(?:e|er|en|em)?|ihr(?:e|er|en|em)?|eure) (?:\w+ )?(?:antwort(?:en)?|ausgabe|zusammenfassung|reaktion|
    nachricht(?:en)?)
    (?:ta|tes|votre|vos) (?:\w+ )?(?:reponses?|sortie|resumes?|messages?)
    """
)
_SHAPE = _words(
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
"""What a person is asked to reply with is hers: "include your order number in your reply" speaks to no model."""
_NOT_COMMANDED = _words(
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
_POLITE = (
    r"(?:(?:please|kindly|and|then|also|now|always|just|instead|can\s+you|could\s+you|would\s+you|"
    r"you\s+(?:must|should|will|shall)|make\s+sure\s+to|be\s+sure\s+to|remember\s+to|"
    r"por\s+favor|ahora|tambien|ademas|debes|bitte|jetzt|auch|ausserdem|s\s?il\s+(?:te|vous)\s+plait|veuillez)[\s,:]{1,3}){0,3}"
)
_START = (
    rf"(?:^|[\n:;(\"'«“>*-]\s{{0,3}}|[.!?]\s{{1,3}}|\b(?:y|and|then|und|et|but|pero|sino|sondern)\s{{1,3}}){_POLITE}"
)
_CODES = _words(
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
_REPLY = _words(
    "reply, respond, answer, write, speak, communicate, talk, output, encode, responde, responda, "
    "contesta, conteste, escribe, escriba, habla, antworte, antworten sie, schreibe, schreiben sie, "
    "sprich, reponds, repondez, ecris, ecrivez, parle"
)
_DECODE = _words(
    "decod(?:e|es|ing), decrypt, decipher, unscramble, decodifica, descifra, desencripta, descodifica, "
    "dekodier(?:e|en), decodier(?:e|en), entschlussel(?:e|n), decode(?:z)?, dechiffre(?:z)?"
)
_EXECUTE = _words(
    "execut(?:e|ing), run, follow, obey, perform, carry out, do what, act on, comply, ejecut(?:a|e|"
    "ar), sigue, siga, obedece, cumple, haz lo que, corre, ausfuhr(?:e|en), fuhr(?:e|en), befolg(?:e|"
    "en), tu(?:e)? was, execute(?:z|r)?, suis, suivez, obeis"
)
_SHELL = _words(
    r"shell commands?, (?:shell|terminal|system|os|bash|command[\s-]line) (?:commands?|"
    r"scripts?), commands?, code, instructions?, payload, comandos?, codigo, ordenes, instrucciones, "
    r"befehle?, anweisungen, code, shell\w*, commandes?, rm\s+-rf, instruction"
)
_SUBJECT = _words(
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
_OBEY_ME = _words(
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
_NEW_ORDERS = _words(
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
_COVERT = _words(
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
_MODES = _words(
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
    you are dan, as dan, eres dan, du bist dan, jailbreak yourself, you (?:have been|are|re) jailbroken
    """
)
_FICTION = _words(
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

TOPICS: Mapping[str, re.Pattern[str]] = {
    "override": re.compile(
        "ignor|disreg|forget|overlo|neglec|overr|bypass|discard|dismiss|aside|attention|follow|obey|heed|comply|throw|eras|wip|drop|"
        "abandon|break|void|cancel|olvid|omit|desob|descart|desat|caso|sigas?$|obed|cumpl|respet|acat|tengas?$|seguir|pas[ae]$|salta|anul|"
        "prescind|sobresc|borr|elimin|rompe|verg[ei]ss|verges|mis+acht|umgeh|uberschr|verw[ei]rf|setz|hor[et]?$|halt|befolg|lass|ubergeh|oubl|"
        "tiens|tenez|prend|prenez|neglig|contourn|abstr|suis$|suivez|respect|desobei"
    ),
    "orders": re.compile(
        r"instru|direct|direkt|prompt|rule|regl|regel|guide|comman|kommand|orde|constr|contr|restri|program|train|entren|safe|guard|poli|limit|"
        r"context|kontext|messag|mensaj|nachr|convers|brief|indic|norm|paut|consign|\w{0,24}anweis|anleit|befehl|vorgab|richtl|vorschr|"
        r"\w{0,8}schrank|auftr|konfig|config|system"
    ),
    "task": re.compile(
        r"instru|order|direct|task|objec|prompt|role?$|goal|job|purpos|missi|identi|name|overri|supers|preced|replac|orden|tarea|papel|objet|"
        r"funci|\w{0,24}anweis|befehl|vorgab|aufgab|rolle|consign|tache"
    ),
    "obey": re.compile(
        "say|tell|ask|want|command|obey|listen|follow|dig|pid|orden|mand|obed|sigue|sag|will|befehl|verlang|mochte|gehorch|befolg|dis|demand|"
        "veux|ordon|obei"
    ),
    "model": re.compile(
        r"ais?$|assist|\w{0,6}bots?$|langu|llm|\w{0,6}gpt|model|person|versio|machin|agent|ia$|asist|intel|ki|sprachm|kunstl|claud|gemin|copil|modell"
    ),
    "limits": re.compile(
        r"restr|const|limit|filt|guid|rule|ethic|moral|bound|guard|safe|censor|inhib|scrup|direc|regla|norma|etic|censur|escr|\w{0,6}schrank|grenz|"
        r"richtl|regel|ethi|zens|skrup|contr|regl|content|moder|align|salvag|medid|polit|barr|schutz|sicherh|inhalt|garde|mesur"
    ),
    "ethics": re.compile("ethi|moral|safe|content|etic|segur"),
    "mode": re.compile(r"mode$|modo$|\w{0,12}modus|anyth|dan$|jailb"),
    "above": re.compile("abov|befor|prior|prece|arrib|antes|anteri|previ|oben|obig|bisher|davor|vorher|darub|dessus"),
    "private": re.compile(
        "passw|kennw|creden|secret|api|token|privat|person|bank|credit|card|social|ssn|pins?$|login|accoun|chat|conver|note|data|mail|"
        "file|mess|cont|docum|confi|sensit|contra|clave|datos|tarj|cuent|numer|nota|histor|infor|corr|archi|zugang|anmeld|geheim|schlu|konto|"
        "kredit|vertrau|datei|nachr|kontak|gespr|daten|mots?$|ident|donn|coord|cles?$"
    ),
    "decode": re.compile("decod|decry|deciph|unscr|descif|desen|desco|dekod|entsch|dechi"),
    "shell": re.compile("shell|termin|bash|system|arbit|remot|malic"),
    "danger": re.compile("rm$|etc$|curl|wget|env$|drop$"),
    "rights": re.compile("admin|root$|devel|unrestr|superu"),
    "repeat": re.compile("repe|reci|echo|repi|wiederh"),
    "others": re.compile(r"user|tenant|custom|accou|usuari|inquil|client|cuenta|\w{0,6}nutzer|mandant|kund|utilis"),
    "role": re.compile("syst|sist|devel"),
    "covert": re.compile(
        "user|reader|anyon|anybo|this|that|these|them|it$|secret|covert|esto|nada|usuar|nadie|lector|estas|\\w{0,6}nutzer|anwend|leser|heiml"
    ),
    "output": re.compile(
        "respon|answer|repl|output|summar|compl|messag|text|analy|transl|respu|contes|salid|resum|mensaj|antwor|ausgab|zusamm|reakt|nachr|repon|sortie"
    ),
    "code": re.compile(
        r"base|b64|rot|hex|bina|morse|ascii|unico|leet|l33t|caes|ciph|latin|emoj|emot|anag|homop|symb|rever|backw|space|url|a1z|nato|down|altern|"
        r"vowel|sets|palin|acros|reves|espac|cifra|simb|codi|kodi|ruck|rueck|leerz|versch|geheim|envers|espac|chiff"
    ),
}
"""How words begin that a rule on a topic cannot do without; "markup" is a sign instead of a word."""


@lru_cache(maxsize=65_536)
def topics_of(word: str) -> frozenset[str]:
    """The topics that a word without accents, in lower case, may belong to; most words have none."""
    return frozenset(topic for topic, stems in TOPICS.items() if stems.match(word))


RULES: tuple[InjectionRule, ...] = (
    # Orders are to be forgotten.
    _rule(
        "override earlier orders",
        "override",
        rf"\b{_OVERRIDE}\b{_GAP}\b{_EARLIER}\b{_SHORT_GAP}{_ORDERS}\b",
        topics="override orders",
        question=0.9,
    ),
    _rule(
        "override orders before",
        "override",
        rf"\b{_OVERRIDE}\b{_GAP}\b{_ORDERS}\b{_SHORT_GAP}{_EARLIER}\b",
        topics="override orders",
        question=0.9,
    ),
    _rule(
        "override its orders",
        "override",
        rf"\b{_OVERRIDE}\b{_GAP}\b{_YOURS}\b{_SHORT_GAP}{_ORDERS}\b",
        topics="override orders",
        question=0.85,
    ),
    _rule(
        "override all orders",
        "override",
        rf"\b{_OVERRIDE}\b{_GAP}\b{_ALL}\b{_SHORT_GAP}{_STRICT_ORDERS}\b",
        topics="override orders",
        question=0.8,
    ),
    _rule("override what was said", "override", rf"\b{_OVERRIDE}\b{_GAP}\b{_TOLD}", topics="override", question=0.8),
    _rule(
        "override orders",
        "override",
        rf"\b{_OVERRIDE}\b{_SHORT_GAP}{_STRICT_ORDERS}\b",
        topics="override orders",
        question=0.4,
    ),
    _rule("new orders", "new orders", rf"(?:\b|^){_NEW_ORDERS}", topics="task", question=0.55),
    _rule("do as I say", "obey", rf"\b{_OBEY_ME}\b", topics="obey", question=0.45),
    # Another role, without limits.
    _rule("be another model", "role", rf"\b{_BE}\b{_GAP}\b{_AI}\b", topics="model", question=0.55),
    _rule("be somebody", "role", rf"\b{_BE}\b", topics="", is_support=True, question=0.25),
    _rule(
        "a model without limits",
        "limits",
        rf"\b{_UNBOUND}\b(?:\W{{1,3}}\w+){{0,2}}?\W{{1,3}}{_AI}\b|\b{_AI}\b{_GAP}\b{_UNBOUND}\b",
        topics="model",
        question=0.75,
    ),
    _rule(
        "a model with no limits",
        "limits",
        # Limits on something are a model's parameters.
        rf"\b{_AI}\b{_GAP}\b{_WITHOUT}\b{_SHORT_GAP}{_LIMITS}\b(?!\s(?:on|of|for|to|in|de|en|sobre|para|fur|auf|bei|sur|pour)\b)",
        topics="model limits",
        question=0.75,
        note=0.55,
    ),
    _rule(
        "no ethical limits",
        "limits",
        rf"\b{_WITHOUT}\b\W{{1,3}}(?:\w+\W{{1,3}}){{0,2}}?(?:ethical|moral|safety|content|etic[oa]s?|morales|"
        rf"ethischen?|moralischen?|ethiques?|morales)\W{{1,3}}{_LIMITS}\b",
        topics="ethics",
        question=0.6,
    ),
    _rule(
        "no limits of ethics",
        "limits",
        rf"\b{_WITHOUT}\b\W{{1,3}}(?:\w{{1,30}}\W{{1,3}}){{0,2}}?{_LIMITS}\W{{1,3}}"
        r"(?:etic[oa]s?|morales|de\W(?:seguridad|contenido)|ethiques?)\b",
        topics="ethics",
        question=0.6,
    ),
    _rule(
        "no limits", "limits", rf"\b{_WITHOUT}\b{_SHORT_GAP}{_LIMITS}\b", topics="limits", is_support=True, question=0.2
    ),
    _rule("a mode without limits", "mode", rf"\b{_MODES}\b", topics="mode", question=0.85),
    _rule(
        "it is said to have no limits",
        "limits",
        rf"\b(?:you|tu|usted|du|sie|vous)\b[\s']{{0,2}}(?:\w{{1,12}}\s){{0,2}}?(?:have|had|has|tienes|tiene|tuvieras|hast|haben|hattest|hatten|as|avez)"
        rf"\s(?:no|ningun|ningunas?|keine?n?|aucune?)\s(?:\w{{1,20}}\s){{0,2}}?(?:{_LIMITS}|content\spolicy)\b",
        topics="limits",
        question=0.55,
    ),
    _rule(
        "it is said to have rights",
        "mode",
        r"\byou(?:\shave|\s?'ve|\sare)\s(?:now\s)?(?:been\s)?(?:granted|given)\s(?:\w{1,20}\s){0,2}?(?:admin\w*|root|developer|unrestricted|superuser)\b",
        topics="rights",
        question=0.6,
    ),
    _rule("fiction as a pretext", "pretext", rf"\b{_FICTION}\b", topics="", is_support=True, question=0.25),
    _rule(
        "switch safety off",
        "safety",
        rf"\b{_DISABLE}\b{_GAP}\b{_YOURS}\b{_SHORT_GAP}{_SAFETY}\b",
        topics="limits",
        question=0.8,
    ),
    _rule(
        "safety off", "safety", rf"\b{_DISABLE}\b{_GAP}\b{_SAFETY}\b", topics="limits", is_support=True, question=0.3
    ),
    # What it was told is to be told.
    _rule(
        "tell the hidden prompt",
        "extraction",
        rf"\b{_TELL}\b{_GAP}\b{_YOURS}\b{_SHORT_GAP}?{_HIDDEN_PROMPT}\b",
        topics="orders",
        question=0.85,
    ),
    _rule(
        "tell a hidden prompt", "extraction", rf"\b{_TELL}\b{_GAP}\b{_HIDDEN_PROMPT}\b", topics="orders", question=0.6
    ),
    _rule(
        "tell its orders",
        "extraction",
        rf"\b{_TELL}\b{_SHORT_GAP}(?:your|tus|tu|dein(?:e|en)|ihre(?:n)?|tes|vos|ton|"
        rf"votre)\s+(?:\w+\s+){{0,2}}?{_STRICT_ORDERS}\b",
        topics="orders",
        question=0.7,
    ),
    _rule("tell the text above", "extraction", rf"\b{_TELL}\b{_GAP}\b{_TEXT_ABOVE}", topics="above", question=0.65),
    _rule(
        "tell the orders given to it",
        "extraction",
        rf"\b{_TELL}\b{_SHORT_GAP}{_STRICT_ORDERS}\s(?:que\s(?:te|le)\s(?:dieron|han|hayan)|(?:that\s)?you\s(?:were|have\sbeen|are)\s(?:given|told)|"
        r"die\s(?:du|sie)\s(?:erhalten|bekommen)|qu'on\s(?:t|vous))",
        topics="orders",
        question=0.75,
    ),
    _rule(
        "repeat what it was told",
        "extraction",
        rf"\b(?:repeat|recite|echo|repit[ea]|recita|wiederhol\w{{0,3}}|repete[z]?)\b{_GAP}\b(?:you\s(?:were|have\sbeen|are)\s(?:told|given|instructed)|"
        r"te\s(?:han|dijeron|hayan)\b|(?:dir|ihnen)\s(?:gesagt|befohlen|aufgetragen)|qu'on\s(?:t|vous))",
        topics="repeat",
        question=0.65,
    ),
    _rule(
        "other people's data",
        "exfiltration",
        rf"\b{_TELL}\b[^.!?;\n]{{0,60}}?\b(?:other|another|all|otr[oa]s?|tod[oa]s\slos|andere[nrs]?|aller|autres)\s"
        r"(?:users?|tenants?|customers?|accounts?|usuari[oa]s|inquilinos|clientes|cuentas|nutzer\w{0,5}|benutzer\w{0,5}|mandanten|kunden|utilisateurs)\b",
        topics="private others",
        question=0.55,
    ),
    # Data is to leave.
    _rule(
        "send private data",
        "exfiltration",
        rf"\b{_SEND}\b[^!?;\n]{{0,60}}?\b{_PRIVATE}\b[^!?;\n]{{0,60}}?{_PLACE}",
        topics="private",
        question=0.85,
    ),
    _rule(
        "send private data there",
        "exfiltration",
        rf"\b{_SEND}\b[^!?;\n]{{0,40}}?{_PLACE}[^!?;\n]{{0,60}}?\b{_PRIVATE}\b",
        topics="private",
        question=0.7,
    ),
    _rule(
        "data in an image's address",
        "exfiltration",
        r"!\[[^\]\n]{0,100}\]\(\s?https?://[^)\s]{0,200}(?:\{|\$|%7b|<|data=|q=|prompt=|text=)",
        topics="markup",
        question=0.8,
    ),
    # Code and codes.
    _rule("decode and do", "code", rf"\b{_DECODE}\b[^!?;\n]{{0,60}}?\b{_EXECUTE}\b", topics="decode", question=0.8),
    _rule(
        "run commands",
        "code",
        rf"\b{_EXECUTE}\b{_SHORT_GAP}(?:\w+\W{{1,3}}){{0,2}}?(?:shell|terminal|bash|system|arbitrary|remote|"
        rf"malicious)\W{{1,3}}(?:commands?|scripts?|code)\b",
        topics="shell",
        question=0.6,
    ),
    _rule(
        "dangerous command",
        "code",
        rf"\b(?:{_EXECUTE}|{_TELL}|delete|type)\b[^!?;\n]{{0,60}}?(?:\brm\s+-rf\b|/etc/(?:passwd|shadow)\b|\b(?:curl|wget)\b[^\n]{{0,80}}\|\s?(?:ba|z)?sh\b|"
        r"\.env\b|\bdrop\s+table\b)",
        topics="danger",
        question=0.6,
        note=0.3,
    ),
    _rule(
        "script element",
        "markup",
        r"<\s?script\b|javascript\s?:\s?\w|<\s?iframe\b|<\s?img\b[^>\n]{0,200}\bonerror\s?=|\bon(?:load|click|"
        r"error|mouseover)\s?=\s?[\"']",
        topics="markup",
        question=0.8,
        note=0.3,
    ),
    _rule(
        "template",
        "markup",
        r"\{\{\s"
        r"{0,3}(?:\d+\s?[*+]\s?\d+|config|self|request|system|prompt|env|settings|secrets?|user|__\w+)\b|"
        r"\$\{\s{0,3}(?:jndi|env|system|process|7)\b|\{%\s",
        topics="markup",
        question=0.8,
        note=0.4,
    ),
    _rule("template mark", "markup", r"\{\{.{0,80}?\}\}", topics="markup", question=0.5, note=0.2),
    _rule(
        "hidden element",
        "markup",
        rf"(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|opacity\s?:\s?0\b|"
        rf"color\s?:\s?(?:white|#fff(?:fff)?)\b|<!--)[^\n]{{0,200}}?\b(?:{_ORDERS}|{_OUTPUT}|{_AI})\b",
        topics="markup",
        question=0.5,
        note=0.6,
    ),
    _rule(
        "a model's own marks",
        "role tag",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id)\|>|"
        r"\[/?inst\]|<</?sys>>|<\s?/?\s?(?:system|assistant)\s?(?:_?(?:prompt|message|instructions?))?\s?>|"
        r"\bbegin\s+system\s+prompt\b",
        topics="markup",
        question=0.85,
    ),
    _rule(
        "a role before a colon",
        "role tag",
        r"^\s{0,8}[#*\[(-]{0,4}\s?(?:system|developer|sistema|systeme)(?:\s(?:prompt|message|instruction|"
        r"override|note|alert|notice|update))?\s?[\])*]{0,3}\s?:",
        topics="role",
        question=0.5,
    ),
    _rule(
        "instruction heading",
        "role tag",
        r"^\s{0,8}#{2,6}\s?(?:system|instructions?|new\s+instructions?|prompt|instrucciones|"
        r"anweisung(?:en)?)\s?:?\s{0,3}$|^\s{0,8}(?:end|fin|ende)\s+(?:of|del?|der|"
        r"des)\s+(?:the\s+)?(?:document|context|prompt|input|documento|contexto|dokuments?|kontexte?s?)\b",
        topics="",
        question=0.4,
    ),
    # Who is spoken to is a model.
    _rule("to a model", "addressee", rf"(?:^|\b){_SUBJECT}", topics="model", question=0.3, note=0.65),
    _rule("behind its user's back", "covert", rf"\b{_COVERT}\b", topics="covert", question=0.3, note=0.45),
    # A note that says how to answer.
    _rule(
        "something of its answer",
        "output",
        rf"^\W{{0,4}}(?!{_NOT_COMMANDED}\b)[^\W\d_]{{3,20}}\s{_NOT_YOURS}{{0,90}}?\b(?:in|into|within|throughout|of|with|to|from|en|de|con|mit|zu|dans)"
        r"\s(?:your|tu|deine[mnr]?|ta|votre)\s(?:\w+\s)?(?:responses?|answers?|outputs?|completions?|respuestas?|antwort(?:en)?|ausgabe|reponses?)\b",
        topics="output",
        question=0.05,
        note=0.6,
    ),
    _rule(
        "how to shape its answer",
        "output",
        rf"{_START}(?:\w+\s){{0,2}}?{_SHAPE}\b{_NOT_YOURS}{{0,90}}?\b{_MY_OUTPUT}\b",
        topics="output",
        question=0.05,
        note=0.75,
    ),
    _rule(
        "in its answer, do",
        "output",
        rf"(?:^|\n|[.!?]\s)(?:(?:please|and|then|also|now)\s)?(?:in|within|throughout|at\s+the\s+(?:end|"
        rf"beginning|start)\s+of|before|after|with|as\s+part\s+of|en|al\s+(?:final|principio|inicio|"
        rf"comienzo)\s+de|dentro\s+de|in|am\s+(?:ende|anfang)|dans|a\s+la\s+fin\s+de)\s+{_MY_OUTPUT}\b",
        topics="output",
        question=0.05,
        note=0.7,
    ),
    _rule(
        "answer in code",
        "output",
        rf"{_START}{_REPLY}\b(?:\s\w+){{0,3}}?\s(?:in|using|with|only|by|as|through|via|en|usando|utilizando|"
        rf"con|solo|mit|nur|als|avec|uniquement)\b[^!?;\n]{{0,40}}?\b{_CODES}\b",
        topics="code",
        question=0.1,
        note=0.7,
    ),
    _rule(
        "letters and words of its answer",
        "output",
        rf"{_START}{_SHAPE}\b[^!?;\n]{{0,60}}?\b(?:letters?|words?|spaces?|vowels?|characters?|sentences?|"
        rf"letras?|palabras?|espacios?|buchstaben|worter|leerzeichen)\b[^!?;\n]{{0,40}}?\b{_MY_OUTPUT}\b",
        topics="output",
        question=0.1,
        note=0.8,
    ),
    _rule(
        "of its answer",
        "output",
        rf"(?:can|could|would|will)\s+you\s+(?:\w+\s+){{0,2}}?{_SHAPE}\b[^!;\n]{{0,60}}?\b{_MY_OUTPUT}\b",
        topics="output",
        question=0.05,
        note=0.65,
    ),
)

TASK = re.compile(
    rf"^[\s\"'“«¿¡]{{0,4}}{_POLITE}"
    + _words(
        r"""
        explain, describe, analy[sz]e, summari[sz]e, write, translate, determine, classify, compare, discuss
        provide, generate, create, compose, list, outline, define, calculate, suggest, recommend, evaluate, identify
        show me, tell me, give me, teach me, help me, assess, interpret, predict, design, develop, draft, illustrate
        find, categori[sz]e, detect, plan, schedule, automate, set up, convert, solve, elaborate, examine
        investigate, explore, review, rate, can you, could you, would you
        explica, describe, analiza, resume, escribe, traduce, determina, clasifica, compara, genera, crea, redacta
        enumera, define, calcula, sugiere, recomienda, muestrame, dime, dame, ensename, puedes, podrias
        erklare, beschreibe, analysiere, fasse, schreibe?, ubersetze, bestimme, klassifiziere, vergleiche, erstelle
        liste, definiere, berechne, empfiehl, zeig mir, sag mir, gib mir, kannst du, konntest du, konnen sie
        explique, decris, analyse, resume, ecris, traduis, determine, compare, genere, cree, redige, enumere
        calcule, montre-moi, dis-moi, donne-moi, peux-tu, pouvez-vous
        how (?:do|does|did|can|could|to|have|has|is|are|should|would)
        what(?: s| is| are| was| were| does| do| did)?, why (?:do|does|did|is|are|was|were)
        who (?:is|was|are|were|wrote|invented|discovered), when (?:did|was|is|were), which
        where (?:is|are|was|can|do)
        como (?:se|puedo|funciona|hago), que (?:es|son), cuales son, por que, quien (?:es|fue)
        wie (?:kann|funktioniert|macht|konnen), was (?:ist|sind), warum, wer (?:ist|war), comment, pourquoi
        qu est-ce
        """
    )
    + r"\b(?:\W{1,3}\w{1,30}){2}",
)
"""A line that sets a task or asks for knowledge, as one says it to an assistant."""
