"""German: abbreviations and other words around a full stop."""

from rag_core.language.sentences import SentenceWords
from rag_core.language.words import word_set

SENTENCES = SentenceWords(
    titles=word_set("dipl dr fr frl hl hr hrn kfm med phil prof st"),
    abbreviations=word_set(
        """
    abb abs abschn abt allg anm aufl bd bde begr bspw betr bez bzgl bzw ca chr d.h ebd einschl engl entspr
    evtl exkl fa geb gegr gest ggf hbf hg hrsg i.d.r inkl insb insbes kap lfd lt mtl nachf nr od orig pfd
    pkt pos red rel röm s sog stellv str tab tel tgl u.a ungef urspr verf verh verst vgl vorm wg z.b z.t zit
    zzgl zw
    """
    ),
    ending_abbreviations=word_set(
        """
    chr co dgl etc gmbh jh jhd jr km kg max min mio mrd o.ä std sek sen stk u.ä u.u usf usw u.v.m z.t
    """
    ),
    measures=frozenset(),
    ordinary_words=frozenset({"art"}),
    ordinal_context=word_set(
        """
    ab am beim bis das dem den der des die diese diesem dieser ein eine einem einen einer ihr ihrem ihren
    ihrer im jede jedem jeden jeder jedes nach oder seinem seinen seiner seit und vom vor zum zur
    """
    ),
)
