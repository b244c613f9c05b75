"""Spanish: function words."""

from rag_core.language.stop_words import StopWords
from rag_core.language.words import word_set

STOP_WORDS = StopWords(
    function_words=word_set(
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
    ),
    negations=word_set("no ni nunca jamás tampoco sin ningún ninguna ninguno nada nadie apenas"),
    prepositions=word_set("a de en con por para sin sobre desde hasta entre contra según"),
    determiners=word_set(
        "el la los las un una unos unas mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta ese esa otro otra cada"
    ),
    contractions={"al": "a", "del": "de"},
    conjunctions=word_set("y e o u ni pero aunque porque que"),
    clause_connectors=word_set(
        "y e o u ni pero sino porque pues aunque mientras cuando donde que quien cuyo cuya para si como"
    ),
)
