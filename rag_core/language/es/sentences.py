"""Spanish: abbreviations and other words around a full stop."""

from rag_core.language.sentences import SentenceWords
from rag_core.language.words import word_set

SENTENCES = SentenceWords(
    titles=word_set("d dª dn dña dr dra dres dras mtra mtro ob pbro prof profa sr sra sras sres srta"),
    abbreviations=word_set(
        """
    abg abog adm admón afto alte arq art arts asoc atte av avda blvr cap caps cf cfr cnel cols cód coord cta
    ctra depto dept dipl dist doc docs dpto ed eds edo ej esc excma excmo exp fasc fco fdo fig figs fr fund
    gral hnos ibid ibíd ilma ilmo ing inst intr lcda lcdo lic lám lín ltda mons mª nro núm núms n.º nº obs
    op pdo pdte pl pág págs ma párr párrs pral prov pte pza ref rev rte rvdo s.s secc sgte sgto ss sta sto
    subdir tel teléf tfno tte tít trad univ vda vid vol vols vs
    """
    ),
    ending_abbreviations=word_set(
        """
    aprox cc cía cm dcha etc g gr grs h hrs hs inc izq izda izdo jr kg km ltd m máx mg min ml mm mín p.m a.m
    a.c d.c s.a s.l seg uds ud uu ee.uu ee ff.aa vd vds
    """
    ),
    measures=word_set("cm g gr grs h hrs hs kg km l m mg min ml mm seg"),
    ordinary_words=word_set(
        """
    ante anti auto bien bis com con contra da de di en entre ex extra hiper macro mar micro mini mono multi
    no nos para poli post pro semi sobre sub super tras ultra un uni
    """
    ),
    ordinal_context=frozenset(),
)
