"""Spanish: words that decide which sentences are quoted."""

import re

from rag_core.language.quoting import QuotingWords
from rag_core.language.words import word_set

_AMOUNT = r"(?:\d[\d.,]*|[a-záéíóúñ]+(?:cientos|mil))"
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
    question_cues={
        "cause": r"por ?qué|a qué se deb\w+|cuál (?:es|fue|era) (?:la causa|el motivo|la razón)",
        "duration": r"cuánto (?:tiempo|dur\w+|tard\w+)|cuánt[oa]s (?:horas|días|minutos|semanas|meses|años)",
        "clock": r"a qué hora|qué hora",
        "money": r"cuánto (?:(?:me|te|se|le|nos|les|lo|la) )*(?:cuest\w+|cost\w+|val\w+|pag\w+|cobr\w+|gast\w+|ofrec\w+|gan\w+|deb\w+"
        r"|ahorr\w+)|cuánto dinero|cuántos euros|qué (?:precio|sueldo|presupuesto|gast\w+|pagué|pagamos)",
        "temperature": r"(?:a |qué |cuál )(?:qué |es |era |fue )?(?:la )?temperatura|cuántos grados",
        "weight": r"cuánto pes\w+|cuántos (?:kilos|gramos|kg)|qué peso",
        "length": r"cuánto (?:mide|medía|mid\w+|corr\w+|and\w+|nad\w+)|cuántos (?:kilómetros|metros|km|largos)"
        r"|qué (?:distancia|altura)|a qué distancia",
        "speech": r"(?:qué|cómo) (?:(?:me|te|le|nos|os|les|se) )?(?:\w+ )?"
        r"(?:dij\w+|dicen?|decía\w*|contest\w+|respond\w+|pregunt\w+|grit\w+|coment\w+)",
        "place": r"a?dónde|en qué (?:ciudad|lugar|sitio|pueblo|país|calle|barrio)",
        "person": r"quién(?:es)?",
    },
    of_a_person=(
        r"cómo se llaman? mis?|(?<!\s)tengo|dónde vivo|cuánto gano"
        r"|cuándo (?:nació|nací|(?:es|era) (?:el|mi) cumpleaños|cumplo|cumple)"
    ),
    yes_or_no=(
        r"^(?!.*\b(?:qué|quién(?:es)?|cuál(?:es)?|cómo|cuándo|cuánt[oa]s?|dónde|adónde|por ?que)\b)"
        r"(?!¿?\s*(?:que|quien|cual|como|cuando|cuant[oa]s?|donde|adonde)\b).*\?\s*$"
    ),
    shown={
        "cause": r"\bporque\b|\bpor culpa de|\bpor eso\b|\bpor (?:falta|miedo|no|haber)\b|\bdebid[oa] a|\bse deb(?:e|ía|ió)\b"
        r"|\bgracias a\b|\ba causa de|\bya que\b|\bpuesto que\b"
        r"|\bdado que\b|\bcomo consecuencia|\bel culpable\b|\bla causa\b|\bel motivo\b|\bla razón\b"
        r"|\bcausa directa\b|\basí que\b|^como\b",
        "polarity": r"(?:^|[,:—«] ?)(?:sí|no)(?=[.,;!»]|$)|\b(?:sí|no)[.!»]*$|\bque (?:sí|no)\b|\bal final\b"
        r"|\b(?:aún|todavía|ya) no\b|\bnunca\b",
        "speech": r"^\W*—|«|“|\b(?:dij\w+|dice\w*|dicho|contest\w+|respond\w+|pregunt\w+)\b,? (?:que|:|«)",
        "duration": r"(?:\d|\b(?:un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce"
        r"|quince|veinte|treinta|cuarenta|media|hora y)\b)"
        r"[^.;]{0,20}\b(?:segundos?|minutos?|min|horas?|h|días?|semanas?|meses|mes|años?)\b",
        "clock": r"\b\d{1,2}[.:]\d{2}\b|\ba las? (?:una|dos|tres|cuatro|cinco|seis"
        r"|siete|ocho|nueve|diez|once|doce|\d)|\bmediodía\b|\bmedianoche\b",
        "temperature": r"\d[\d.,]*\s*(?:°|º|grados?\b|de temperatura\b)",
        "weight": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:kg|kilos?|gramos?|g|toneladas?|arrobas?)\b",
        "length": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:km|kilómetros?|metros?|m|cm|centímetros?|largos|pasos)\b",
        "money": rf"{_AMOUNT}\s*(?:€|euros?\b|EUR\b|céntimos\b)|€\s*\d",
    },
    beside_places=r"\b(?:debajo|detrás|encima|dentro|delante|enfrente|alrededor|al lado|cerca) de\b|\bjunto a\b",
    counting=r"cuánt[oa]s\s+(\w+)",
    place_prepositions=r"\b(?:en|a|hasta|desde|hacia|por|de|del|al)\s+(?:(?:el|la|los|las)\s+)?(?=[A-ZÁÉÍÓÚÑ])",
    naming=re.compile(r"\bc[oó]mo se llam\w+", re.IGNORECASE),
)
