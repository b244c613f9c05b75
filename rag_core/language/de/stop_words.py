"""German: function words."""

from rag_core.language.stop_words import StopWords
from rag_core.language.words import word_set

STOP_WORDS = StopWords(
    function_words=word_set(
        """
    aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bereits bin bis
    bist da dabei dafür damit danach dann daran darauf das dass dazu daß dein deine dem den denn der deren
    des deshalb dessen die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem
    einen einer eines er es etwas euch euer für gegen gibt habe haben hast hat hatte hatten hier hinter ich
    ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jedoch kann
    kein keine keinem keinen keiner können könnte man mehr mein meine meinem meinen meiner mich mir mit muss
    müssen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich
    sie sind so sollte sollten sondern sowie um und uns unser unsere unter viel viele vom von vor wann war
    waren warum was wegen weil welche welchem welchen welcher welches wenn wer werden wie wieder wieviel
    will wir wird wo wurde wurden während zu zum zur zwar zwischen über
    """
    ),
    negations=word_set("nicht kein keine keinen keinem keiner keines nie niemals ohne weder noch kaum"),
    prepositions=word_set(
        "an auf aus bei bis durch für gegen in mit nach neben ohne seit über um unter von vor wegen zu zwischen"
    ),
    determiners=word_set(
        """
        der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner meines dein deine sein seine seinen
        seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserem unserer dieser diese dieses diesen diesem kein keine
        keinen
        """
    ),
    contractions={
        **dict.fromkeys(("am", "ans"), "an"),
        **dict.fromkeys(("zum", "zur"), "zu"),
        **dict.fromkeys(("im", "ins"), "in"),
        "aufs": "auf",
        "beim": "bei",
        "fürs": "für",
        "vom": "von",
    },
    conjunctions=word_set("und oder aber denn sondern dass weil"),
    clause_connectors=word_set("und oder aber denn sondern weil dass obwohl während wenn damit"),
)
