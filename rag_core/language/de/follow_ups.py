"""German: follow-up questions."""

import re

from rag_core.language.follow_ups import FollowUpWords
from rag_core.language.words import any_of, word_set

_NOW_DE = (
    r"(?: \w+)? (?:Wochen?|Monats?|Monaten?|Jahre?[sn]?|Sommers?|Winters?|Herbst(?:es)?|Frühlings?|Frühjahrs?|Wochenende|"
    r"Quartals?|Semesters?|Saison|Mal|Tagen?)\b"
)

FOLLOW_UPS = FollowUpWords(
    opening=re.compile(
        r"\s*(?:(?:und|oder|aber|also|dann|auch|wie (?:sieht|steht) es (?:aus )?mit|was ist mit)\b[\s,:]*)+",
        re.IGNORECASE,
    ),
    pointing=any_of(
        r"ih[nm]|ihnen|ihr(?!\s+[A-ZÄÖÜ])|dort|damals|danach|deswegen|deshalb|derselben?|dieselben?|dasselbe|demselben",
        rf"(?:[Dd]iese[rsnm]?|[Jj]ene[rsnm]?)(?!{_NOW_DE})|[Dd]ies",
        r"(?:ich|wir|war|waren) da(?=\W)",
        # Before a comma they announce what follows: "habe ich daran gedacht, die Rechnung zu bezahlen?"
        r"(?<!, )(?:davor|davon|damit|dazu|darüber|dafür|dagegen|dabei|daran|darauf|daraus|darin)(?!.*,)",
        # Before anything else it may be an article, also in the hand of somebody who writes no capitals.
        r"[Dd]as(?=\s*(?:[?!.,]|$))",
        r"[Dd]as(?=\s+(?:denn|nochmal|noch|eigentlich|genau|alles|mit|für|von|bei|in|an|auf|vor|nach|nicht|auch|schon|wieder|teuer|"
        r"billig|gut|schlecht|schlimm|schön|wichtig|nötig|richtig|ge\w+(?:t|en)|\w+iert)\b)",
        flags=re.NOFLAG,
    ),
    referring=any_of(
        r"er|sie|seine[rsnm]?|sein(?=\s+[A-ZÄÖÜ])|ihr(?=\s+[A-ZÄÖÜ])|ihre[rsnm]?",
        # "Gibt es", "es regnet": it stands for nothing.
        r"(?<![Gg]ibt )(?<![Gg]ab )(?<![Gg]eht )(?<![Gg]ing )(?<![Rr]egnet )"
        r"es(?!.*\b(?:geregnet|geschneit|gestürmt|regnen|gegeben|warm|kalt|heiß)\b)",
        flags=re.NOFLAG,
    ),
    clause_opening=re.compile(
        r"[,;:]|\b(?:und|oder|aber|dass|ob|weil|wenn|als|während|nachdem|bevor)\b", re.IGNORECASE
    ),
    asking_words=word_set(
        "was wer wen wem wessen wann wo wie warum wieso weshalb woher wohin wofür womit welche welcher welches welchen welchem"
    ),
    asking_for_a_noun=word_set("welche welcher welches welchen welchem viel viele wieviel"),
    verbs_first=word_set(
        """
        hat habe haben hatte hatten ist sind war waren bin gibt gab kann konnte könnte muss musste soll sollte will wollte wird wurde
        werden
        """
    ),
    before_a_verb=word_set("ich wir man hat haben habe ist hatte wurde mir uns"),
    going_to="nach",
    saying_nothing=word_set("genau eigentlich sonst nochmal"),
    weather=word_set("geregnet geschneit regnet schneit"),
    noun_stand_in=re.compile(
        r"(?:der|die|das|den|dem) (?=(?:an|auf|aus|bei|für|im|in|mit|nach|von|vom|zu|zum|zur) )", re.IGNORECASE
    ),
    most_nouns=1,
)
