"""German: cues that one thing led to another."""

from rag_core.language.causality import CausalCue, CausalLanguage
from rag_core.language.words import word_set

CAUSALITY = CausalLanguage(
    cues=(
        CausalCue(
            pattern=r"(?P<cause>[^,;:.?!]{3,120}?)\s+(?:löst|lösten|löste)\s+(?P<effect>[^,;:.?!]{3,120}?)\s+aus\b",
            order="framed",
            kind="TRIGGERS",
            confidence=0.9,
            needs=r"\b(?:löst|lösten|löste)\s.*\saus\b",
        ),
        CausalCue(
            pattern=r"(?P<cause>[^,;:.?!]{3,120}?)\s+(?:hat|haben|hatte|hatten)\s+(?P<effect>(?!nicht\b)[^,;:.?!]{3,120}?)\s+"
            r"(?:verursacht|bewirkt|hervorgerufen)\b",
            order="framed",
            confidence=0.85,
            needs=r"\b(?:hat|haben|hatte|hatten)\s.*\s(?:verursacht|bewirkt|hervorgerufen)\b",
        ),
        CausalCue(
            pattern=r"(?P<cause>[^,;:.?!]{3,120}?)\s+(?:hat|haben|hatte|hatten)\s+(?P<effect>(?!nicht\b)[^,;:.?!]{3,120}?)\s+ausgelöst\b",
            order="framed",
            kind="TRIGGERS",
            confidence=0.85,
            needs=r"\b(?:hat|haben|hatte|hatten)\s.*\sausgelöst\b",
        ),
        CausalCue(
            pattern=r"(?P<effect>[^,;:.?!]{3,120}?)\s+(?:wird|werden|wurde|wurden|ist|sind|war|waren)\s+(?:durch|von)\s+"
            r"(?P<cause>[^,;:.?!]{3,120}?)\s+(?:verursacht|ausgelöst|hervorgerufen|bewirkt)\b",
            order="framed",
            confidence=0.85,
            needs=r"\s(?:durch|von)\s.*\s(?:verursacht|ausgelöst|hervorgerufen|bewirkt)\b",
        ),
        CausalCue(
            pattern=r"(?:der grund|die ursache) (?:für|dafür,? dass)\s+(?P<effect>[^,;:.?!]{3,120}?)\s+(?:ist|war|sind|waren)\s+"
            r"(?P<cause>[^;:.?!]{3,160})",
            order="framed",
            confidence=0.8,
        ),
        CausalCue(
            pattern=r"verursacht|verursachten|verursachte|bewirkt|bewirkte|bewirkten|ruft hervor",
            order="cause_verb",
            confidence=0.85,
        ),
        CausalCue(
            pattern=r"(?:führt|führen|führte|führten) (?:(?:bei|in|mit) \w+ \w* ?)?(?:zu|zum|zur|dazu,? dass)",
            order="cause_verb",
            kind="LEADS_TO",
            confidence=0.85,
            takes_clause=True,
        ),
        CausalCue(pattern=r"endet in|endete in|endeten in", order="cause_verb", kind="LEADS_TO", confidence=0.5),
        CausalCue(
            pattern=r"(?:liegt|lag|liegen|lagen) (?:daran,? dass|an)|(?:geht|gehen|ging) auf(?=\s.*\bzurück)",
            order="effect_verb",
            confidence=0.6,
        ),
        CausalCue(pattern=r"weil", order="effect_first", confidence=0.85),
        CausalCue(
            pattern=r"(?<=, )da(?=\s(?:ich|er|sie|es|wir|ihr|man|der|die|das|mein|meine|kein|keine|ein|eine|sich)\b)",
            order="effect_first",
            confidence=0.7,
        ),
        CausalCue(pattern=r"(?<=, )denn", order="effect_first", confidence=0.7),
        CausalCue(
            pattern=r"wegen(?! mir| dir| uns)|aufgrund(?: von| der| des)?|infolge(?: von)?|dank|auf grund(?: von| der| des)?",
            order="effect_first",
            confidence=0.8,
        ),
        CausalCue(
            pattern=r"(?:und )?(?:deshalb|deswegen|darum|daher|folglich|somit|infolgedessen|aus diesem grund)",
            order="cause_first",
            confidence=0.7,
            takes_clause=True,
        ),
        CausalCue(pattern=r"sodass|so dass", order="cause_first", confidence=0.7, takes_clause=True),
        CausalCue(
            pattern=r"da(?=\s(?:ich|er|sie|es|wir|ihr|man|der|die|das|mein|meine|kein|keine|ein|eine|sich)\b)",
            order="fronted_cause",
            confidence=0.65,
        ),
        CausalCue(pattern=r"jedes mal,? wenn|immer wenn", order="fronted_cause", kind="TRIGGERS", confidence=0.5),
    ),
    negation=r"\b(?:nicht|nie|niemals|kein|keine|keinen|weder|noch|ohne)",
    conditional=r"^\W*(?:und |aber )?(?:falls|ob|obwohl|hätte|wäre)\b",
    hedge=r"\b(?:vielleicht|vermutlich|wahrscheinlich|möglicherweise|ich glaube|ich denke|wohl|anscheinend|könnte|könnten)\b",
    nothing=r"(?:nichts|niemand|kein\w*)",
    reflexive=r"(?!)",
    anaphor=r"(?!)",
    antecedent=r"(?!)",
    main_clause=r"(?!)",
    pronoun=r"(?:und )?(?:das|dies|was|dieses|jenes|es)",
    opening=r"(?:und|oder|aber|doch|dann|auch|außerdem|schließlich|heute|gestern|am nächsten tag|am abend|am morgen|nur|"
    r"schon|die|der|das|den|dem|des|ein|eine|einen|einem|einer|eines|mein|meine|meinen|meinem|meiner|sein|seine|seinen|"
    r"ihr|ihre|ihren|unser|unsere|dieser|diese|dieses|diesen|diesem|dass|ich glaube,? dass|vielleicht|vermutlich|"
    r"wahrscheinlich)",
    closing=r"(?:und|oder|aber|dass|die|der|das|den|dem|ein|eine|ist|sind|war|waren|hat|haben|wurde|wurden|auch|nur|schon|"
    r"heute|gestern|vor allem|vielleicht|vermutlich|wahrscheinlich|wohl)",
    relative=r"(?:der|die|das|was|welcher|welche|welches|wo|wobei)",
    joining=r"(?:und|oder|aber)",
    adjunct=r"(?:in|im|am|an|auf|mit|bei|beim|von|vom|zu|zum|zur|nach|seit|ohne|durch|für|über|unter|trotz)",
    subordinator=r"(?:dass|während|obwohl|aber|damit|bevor|nachdem|bis|wenn|weil)",
    clause_openings=("weil",),
    reporting=r"(?:glaube|glaubt|sagt|sagte|denke|denkt|meint|meinte|weiß|zeigt|zeigte),? dass",
    polarity=word_set("nicht nie niemals kein keine keinen keinem keiner ohne"),
    circumstance=word_set(
        """
        heute gestern morgen jetzt immer wieder sehr viel viele stark schwer groß große großen neu neue neuen ganz fast
        gerade montag dienstag mittwoch donnerstag freitag samstag sonntag tag tage stunde stunden mal gehabt gewesen worden
        """
    ),
    asking=word_set(
        """
        grund gründe ursache ursachen folge folgen auswirkung auswirkungen wirkung verursacht verursachte führt führte löst
        löste passiert passierte geschah geschieht bewirkt bewirkte warum weshalb wieso wozu kam kommt liegt lag
        """
    ),
)
