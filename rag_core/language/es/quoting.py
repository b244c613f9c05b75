"""Spanish: words that decide which sentences are quoted."""

from rag_core.language.quoting import QuotingWords
from rag_core.language.words import word_set

_HAPPENING_WORDS = word_set(
    """
        hago haces hace hacemos hacen hacía hacíamos hice hiciste hizo hicimos hicieron hacer haciendo hecho
        pasa pasaba pasó pasaron pasar pasado pasando ocurre ocurrió ocurrieron ocurrido sucede sucedió sucedieron sucedido
        estuve estuviste estuvo estuvimos estuvieron estaba fui fuiste fue fuimos fueron anduve
        apunté anoté escribí apuntado anotado escrito cosas cosa día días tal hay dime cuéntame resumen resume notas nota
        """
)

QUOTING = QuotingWords(
    happening_words=_HAPPENING_WORDS,
    light_words=_HAPPENING_WORDS
    | word_set(
        """
        digo dice dicen dije dijo dijimos dijeron decir dicho doy da dan di dio dimos dieron dar dado quiero quiere quería quiso querer
        pongo pone puse puso pusimos pusieron poner puesto sé sabe sabía supe supo saber veo ve vi vio vimos vieron ver visto
        vengo viene vine vino vinieron venir llevo lleva llevé llevó llevamos llevar llevado quedo queda quedé quedó quedar quedado
        dejo deja dejé dejó dejamos dejaron dejar dejado sigo sigue seguía siguió seguir tuve tuvo tuvimos tuvieron tenido
        vamos voy ir ido iba íbamos hubo habido llamo llama llamaba llamar podía pude pudo poder debo debe deber creo cree
        mucho mucha muchos muchas nuevo nueva gran mejor parte tema persona gente vez veces año años señor señora sr sra doctor doctora
        falta faltan faltaba dr dra don doña
        """
    ),
    synonyms=tuple(
        word_set(words)
        for words in (
            "madre mamá mami",
            "padre papá",
            "perro perra",
            "médico médica doctor doctora",
            "móvil teléfono",
            "coche auto carro",
            "casa",
            "colegio cole escuela",
            "costar precio coste",
            "leo lee leemos leen leí leíste leyó leímos leyeron leer leído leída leyendo leía",
            "sueldo salario nómina",
        )
    ),
)
