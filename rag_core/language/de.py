"""German: function words, and how abbreviations behave at the end of a sentence."""

from rag_core.language.words import word_set

FUNCTION_WORDS = word_set(
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
)

TITLES = word_set("dipl dr fr frl hl hr hrn kfm med phil prof st")
"""Written before a name: never the end of a sentence, whatever follows."""

ABBREVIATIONS = word_set(
    """
    abb abs abschn abt allg anm aufl bd bde begr bspw betr bez bzgl bzw ca chr d.h ebd einschl engl entspr
    evtl exkl fa geb gegr gest ggf hbf hg hrsg i.d.r inkl insb insbes kap lfd lt mtl nachf nr od orig pfd
    pkt pos red rel röm s sog stellv str tab tel tgl u.a ungef urspr verf verh verst vgl vorm wg z.b z.t zit
    zzgl zw
    """
)
"""Bound to what follows, unless a sentence plainly begins there (a capitalised function word)."""

ENDING_ABBREVIATIONS = word_set(
    """
    chr co dgl etc gmbh jh jhd jr km kg max min mio mrd o.ä std sek sen stk u.ä u.u usf usw u.v.m z.t
    """
)
"""Stand inside a sentence and at its end alike: only the next word tells."""

MEASURES: frozenset[str] = frozenset()
"""Units whose full stop before a capital ends the sentence: none, nouns have capitals ("3,5 Mio. Euro")."""

ORDINARY_WORDS = frozenset({"art"})
"""Everyday words that the segmenter takes for abbreviations ("von neuer Art. Peter kam")."""

ORDINAL_CONTEXT = word_set(
    """
    ab am beim bis das dem den der des die diese diesem dieser ein eine einem einen einer ihr ihrem ihren
    ihrer im jede jedem jeden jeder jedes nach oder seinem seinen seiner seit und vom vor zum zur
    """
)
"""Before a number with a full stop these make it an ordinal ("im 19. Jahrhundert")."""
