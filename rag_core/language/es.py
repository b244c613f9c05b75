"""Spanish: function words, and how abbreviations behave at the end of a sentence."""

from rag_core.language.words import word_set

FUNCTION_WORDS = word_set(
    """
    a al algo algunas alguno algunos alguna ante antes aquel aquella aquello aquellos aquí así aun aunque
    aún bajo bien cada casi como con contra cual cuales cualquier cuando cuanto cuya cuyo cuál cuáles cuándo
    cuánta cuántas cuánto cuántos cómo de del dentro desde después donde dos durante dónde e el ella ellas
    ello ellos en entonces entre era eran es esa esas ese eso esos esta estaba estaban estar estas este esto
    estos está están fue fueron ha haber había habían han hasta hay hace he hemos incluso la las le les lo
    los luego me mediante mi mis mientras muy más mí nada ni no nos nosotros nuestra nuestro nunca o otra
    otras otro otros para pero poco por porque primero pues puede pueden que quien quienes quién quiénes qué
    se según ser sea si sido siempre siendo sin sino sobre solo son soy su sus sí sólo también tampoco tan
    tanto te tener tengo tenía tiene tienen toda todas todavía todo todos tras tu tus u un una unas uno unos
    usted ustedes va vez y ya yo él éste ésta éstos
    """
)

TITLES = word_set("d dª dn dña dr dra dres dras mtra mtro ob pbro prof profa sr sra sras sres srta")
"""Written before a name: never the end of a sentence, whatever follows."""

ABBREVIATIONS = word_set(
    """
    abg abog adm admón afto alte arq art arts asoc atte av avda blvr cap caps cf cfr cnel cols cód coord cta
    ctra depto dept dipl dist doc docs dpto ed eds edo ej esc excma excmo exp fasc fco fdo fig figs fr fund
    gral hnos ibid ibíd ilma ilmo ing inst intr lcda lcdo lic lám lín ltda mons mª nro núm núms n.º nº obs
    op pdo pdte pl pág págs ma párr párrs pral prov pte pza ref rev rte rvdo s.s secc sgte sgto ss sta sto
    subdir tel teléf tfno tte tít trad univ vda vid vol vols vs
    """
)
"""Bound to what follows, unless a sentence plainly begins there (a capitalised function word)."""

ENDING_ABBREVIATIONS = word_set(
    """
    aprox cc cía cm dcha etc g gr grs h hrs hs inc izq izda izdo jr kg km ltd m máx mg min ml mm mín p.m a.m
    a.c d.c s.a s.l seg uds ud uu ee.uu ee ff.aa vd vds
    """
)
"""Stand inside a sentence and at its end alike: only the next word tells."""

MEASURES = word_set("cm g gr grs h hrs hs kg km l m mg min ml mm seg")
"""Units: after a number, and before a capital, their full stop ends the sentence ("mide 12 cm. Presenta")."""

ORDINARY_WORDS = word_set(
    """
    ante anti auto bien bis com con contra da de di en entre ex extra hiper macro mar micro mini mono multi
    no nos para poli post pro semi sobre sub super tras ultra un uni
    """
)
"""Everyday words and prefixes that the segmenter takes for abbreviations ("está bien. Luego")."""

ORDINAL_CONTEXT: frozenset[str] = frozenset()
"""Words that make a number with a full stop an ordinal: none here."""
