"""Spanish: words that join and open questions."""

from rag_core.language.es.stop_words import STOP_WORDS
from rag_core.language.questions import QuestionWording
from rag_core.language.words import word_set

QUESTIONS = QuestionWording(
    joining=r"(?:y|e) (?:tambien|ademas|aparte|asimismo)",
    leading=r"y|e|tambien|ademas|asimismo",
    asking=r"(?:(?:a|con|de|desde|en|hasta|para|por|sobre) )?"
    r"(?:que|quien|quienes|donde|adonde|cual|cuales|cuando|cuanto|cuanta|cuantos|cuantas|como)",
    empty=STOP_WORDS.function_words | {"quién", "quiénes", "dónde", "adónde", "cuándo", "cuántos", "cuántas", "cuánta"},
    opening="¿",
    happening=word_set(
        """
        hago haces hace hacemos hacen hacía hacíamos hice hiciste hizo hicimos hicieron hacer haciendo hecho
        pasa pasaba pasó pasaron pasar pasado pasando ocurre ocurrió ocurrieron ocurrido sucede sucedió sucedieron sucedido
        estuve estuviste estuvo estuvimos estuvieron estaba fui fuiste fue fuimos fueron anduve
        apunté anoté escribí apuntado anotado escrito cosas cosa día días tal hay dime cuéntame resumen resume notas nota
        """
    ),
    greetings=r"hola|buenas|buenos dias|buenas tardes|buenas noches|"
    r"gracias|muchas gracias|mil gracias|adios|hasta luego",
)
