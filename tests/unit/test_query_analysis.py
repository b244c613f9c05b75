import pytest

from rag_core.model.graph import CausalDirection
from rag_core.model.note import Language
from rag_core.model.retrieval import Intent
from rag_core.query.analysis import causal_direction, classify

SPANISH: dict[Intent, tuple[str, ...]] = {
    "causal": (
        "¿Por qué me siento ansioso cuando tengo conflictos en el trabajo?",
        "por que no duermo",
        "porque me duele la cabeza?",
        "¿Porque lloré en la cena?",
        "entonces por que me fui",
        "dime por que discutimos",
        "No entiendo el porqué de su enfado",
        "¿Cuál fue la causa de la avería?",
        "las causas de mi insomnio",
        "¿Qué causó la caída?",
        "razón de la mudanza",
        "razones para dejar el café",
        "¿Qué pasó debido a la lluvia?",
        "¿Qué provoca mis migrañas?",
        "¿Qué genera tanto ruido?",
        "¿A qué se debe el retraso?",
        "a que se debe el retraso",
        "¿Qué motivo dio Ana?",
        "¿Qué hizo que volviera?",
        "¿Qué llevó a Julio a cambiar de turno?",
        "¿Qué efectos tiene el café?",
        "¿Qué consecuencias tuvo la riada?",
        "¿Cómo me afecta dormir poco?",
        "¿POR QUÉ NO DUERMO?",
    ),
    "temporal": (
        "¿Cuándo llegó Bea?",
        "cuando llegó Bea",
        "¿cuando fue la cena?",
        "¿Desde cuándo vivo aquí?",
        "Antes de la riada, ¿qué plantamos?",
        "¿Qué hice después de la cena?",
        "que hice despues de la cena",
        "Durante los petardos, ¿quién paseaba a la perra?",
        "¿En qué fecha me lesioné?",
        "¿En qué momento se apagó?",
        "¿En qué año nació Nora?",
        "¿A qué hora cerraba la piscina?",
        "¿Cuánto tiempo estuvo ingresada?",
        "¿Cuál fue la última vez que nadé?",
        "dime cuando fuimos a Teruel",
    ),
    "comparative": (
        "¿Qué diferencia hay con el modelo viejo?",
        "diferencias con Sensórica",
        "comparar los dos presupuestos",
        "¿Cuál es mejor, el radar o el otro?",
        "el peor restaurante de Bilbao",
        "los mejores arroces",
        "Madrid versus Valencia",
        "radar vs ultrasonidos",
        "¿Qué elegí entre el bajo y el tercero?",
        "¿Es más caro Teruel que el de Asturias?",
        "¿Costó menos dinero que en enero?",
        "¿Trabajo tanto como Julio?",
        "¿En qué se distingue el guiso de mamá?",
    ),
    "factual": (
        "¿Qué comí con Ana?",
        "que comi con Ana",
        "¿que comi?",
        "¿Quién reparó la tienda?",
        "quien reparo la tienda",
        "¿Dónde aparqué?",
        "donde aparque",
        "¿Cuál era el tope?",
        "cual era el tope",
        "¿Cuáles son sus hijos?",
        "¿De qué color era?",
        "¿Cuántas pelotas se juntaron?",
        "¿Cómo se llama la maestra?",
        "No sé dónde lo guardé",
    ),
    "abstract": (
        "¿Cómo me siento con mi trabajo?",
        "truco de mi madre con las alcachofas",
        "reflexiones generales sobre la amistad",
        "¿Soy feliz?",
        "aunque llueva, salimos",
        "ideas interesantes del bosque",
        "el entrenamiento del general pequeño",
        "quiero mejorar mi sueño",
        "el libro que me prestó Amparo",
        "la casa donde vivía mi abuela",
        "me alegro cuando llueve",
        "fui porque me lo pidió",
        "a lo mejor vuelvo",
        "mi mejor amiga Marta",
        "hay que acabar cuanto antes",
        "Julio tiene razón",
        "el género musical de la fiesta",
        "el gato de María",
        "",
        "???",
    ),
}

GERMAN: dict[Intent, tuple[str, ...]] = {
    "causal": (
        "Warum schlafe ich schlecht?",
        "Weshalb hat Bea gekündigt?",
        "Wieso war der Sensor kaputt?",
        "weswegen haben wir gestritten",
        "Was ist wegen des Regens passiert?",
        "Was führt zu meinen Kopfschmerzen?",
        "Wozu führt zu wenig Schlaf?",
        "Welche Folgen hatte das Hochwasser?",
        "Folgen des Hochwassers",
        "Was war die Ursache der Störung?",
        "Aus welchem Grund zog sie um?",
        "Was verursacht den Lärm?",
        "Was löst meine Migräne aus?",
        "Woran liegt die Verspätung?",
        "Wie wirkt sich Kaffee auf mich aus?",
        "AUFGRUND des Sturms",
    ),
    "temporal": (
        "Wann kam Bea?",
        "seit wann wohne ich hier",
        "Was tat ich bevor ich ging?",
        "Was geschah während der Feier?",
        "Was aßen wir danach?",
        "An welchem Datum war das?",
        "Zu welchem Zeitpunkt fiel er aus?",
        "In welchem Jahr wurde Nora geboren?",
        "Um wie viel Uhr schloss das Bad?",
        "Wie lange war sie im Krankenhaus?",
        "Wann war das letzte Mal?",
        "nachdem Ana ging",
    ),
    "comparative": (
        "Was ist der Unterschied zum alten Modell?",
        "Unterschiede der Angebote",
        "Worin unterscheiden sich die Wohnungen?",
        "Vergleich der beiden Preise",
        "Angebote vergleichen",
        "Was ist besser, Radar oder Ultraschall?",
        "der schlechtere Vorschlag",
        "das beste Restaurant",
        "Radar vs Ultraschall",
        "Madrid versus Valencia",
        "Was wählte ich zwischen Keller und Dachboden?",
        "War Teruel teurer als Asturien?",
        "ist es genauso schnell wie das Auto",
    ),
    "factual": (
        "Was habe ich gegessen?",
        "Wer hat das Zelt repariert?",
        "Wo habe ich geparkt?",
        "Wem gab Nora die Blumen?",
        "Mit wem war ich essen?",
        "Woher kommt Wim?",
        "Welche Farbe hatte es?",
        "In welcher Stadt wohnt er?",
        "Wie viele Bälle waren es?",
        "Wie heißt die Lehrerin?",
        "Wie teuer war das Zelt?",
        "und was hat Ana gesagt",
    ),
    "abstract": (
        "Wie fühle ich mich bei der Arbeit?",
        "allgemeine Gedanken über Freundschaft",
        "der Mann, welcher im Garten saß",
        "das Haus, wo meine Oma wohnte",
        "ich bin froh, wenn es regnet",
        "im Moment nichts Neues",
        "meine beste Freundin Marta",
        "wie koche ich am besten Reis",
        "der Weg führt zum See",
        "am Grund des Sees",
        "die letzten Folgen der Serie",
        "irgendwann und irgendwo",
        "das Zwischenspiel der Zwischenzeit",
    ),
}

ENGLISH: dict[Intent, tuple[str, ...]] = {
    "causal": (
        "Why do I sleep badly?",
        "why did Bea quit",
        "What caused the failure?",
        "causes of my insomnia",
        "What was the reason for moving?",
        "reasons to stop drinking coffee",
        "What happened because of the rain?",
        "flight cancelled due to snow",
        "What leads to my headaches?",
        "What did the flood lead to?",
        "How come we argued?",
        "What triggers my migraine?",
        "What are the effects of coffee?",
        "consequences of the flood",
        "What resulted in the delay?",
        "And WHY did she leave?",
    ),
    "temporal": (
        "When did Bea arrive?",
        "when was dinner",
        "Since when do I live here?",
        "What did we plant before the flood?",
        "What did I do after dinner?",
        "Who walked the dog during the fireworks?",
        "On what date was I hurt?",
        "At which moment did it stop?",
        "What year was Nora born?",
        "How long did she stay in hospital?",
        "What was the last time I swam?",
        "tell me when we went to Teruel",
    ),
    "comparative": (
        "What is the difference to the old model?",
        "differences of the offers",
        "How do the flats differ?",
        "compare both prices",
        "Which is better, radar or the other one?",
        "the worst restaurant in Bilbao",
        "best rice dishes",
        "Madrid versus Valencia",
        "radar vs ultrasound",
        "What did I choose between cellar and attic?",
        "Was Teruel more expensive than Asturias?",
        "Is the train cheaper than the car?",
        "is Ana as tall as Julio",
    ),
    "factual": (
        "What did I eat with Ana?",
        "Who repaired the tent?",
        "Where did I park?",
        "Which colour was it?",
        "Whose violin is it?",
        "With whom did I eat?",
        "In what city does he live?",
        "The Rhine flows through which country?",
        "How many balls were there?",
        "How old is Nora?",
        "In the story, what did she lose?",
        "and who paid",
    ),
    "abstract": (
        "How do I feel about my work?",
        "general thoughts on friendship",
        "the man who sat in the garden",
        "the house where my grandmother lived",
        "How do I feel when it rains?",
        "the child was named after Julio",
        "is my list up to date",
        "my best friend Marta",
        "rather than that",
        "at the moment nothing",
        "the path that leads to the lake",
        "it rained because it had to",
        "reasonable interests in the causeway",
    ),
}


def cases(table: dict[Intent, tuple[str, ...]]) -> list[tuple[str, Intent]]:
    return [(query, intent) for intent, queries in table.items() for query in queries]


@pytest.mark.parametrize(("query", "intent"), cases(SPANISH))
def test_a_spanish_query_has_the_intent_of_its_words(query: str, intent: Intent) -> None:
    assert classify(query, language="es") == intent


@pytest.mark.parametrize(("query", "intent"), cases(GERMAN))
def test_a_german_query_has_the_intent_of_its_words(query: str, intent: Intent) -> None:
    assert classify(query, language="de") == intent


@pytest.mark.parametrize(("query", "intent"), cases(ENGLISH))
def test_an_english_query_has_the_intent_of_its_words(query: str, intent: Intent) -> None:
    assert classify(query, language="en") == intent


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("¿Por qué fue mejor después?", "causal"),
        ("¿Cuándo fue mejor?", "temporal"),
        ("¿Qué es mejor?", "comparative"),
    ],
)
def test_the_first_intent_in_order_wins(query: str, intent: Intent) -> None:
    assert classify(query, language="es") == intent


def test_every_spanish_keyword_of_the_requirements_counts() -> None:
    keywords: dict[Intent, str] = {
        "causal": "por qué,causa,razón,debido a,provoca,genera",
        "temporal": "cuándo,antes,después,durante,fecha,momento",
        "comparative": "diferencia,comparar,mejor,peor,versus,vs,entre",
        "factual": "qué,quién,dónde,cuál",
    }

    found = {
        intent: {classify(f"nota {keyword} X", language="es") for keyword in words.split(",")}
        for intent, words in keywords.items()
    }

    assert found == {intent: {intent} for intent in keywords}


@pytest.mark.parametrize("query", ["¿Que\u0301 comi\u0301?", "¿QUE\u0301 COMI\u0301?", "nota:\n¿qué\ncomí?"])
def test_decomposed_accents_capitals_and_line_breaks_change_nothing(query: str) -> None:
    assert classify(query, language="es") == "factual"


@pytest.mark.parametrize(
    "query", ["¿Qué hice entre marzo y mayo?", "¿Qué hice entre 1990 y 2000?", "¿Qué leo entre semana?"]
)
def test_a_stretch_of_time_is_no_comparison(query: str) -> None:
    assert classify(query, language="es") == "factual"


@pytest.mark.parametrize(
    ("language", "query", "direction"),
    [
        ("es", "¿Por qué me duele la cabeza?", "causes"),
        ("es", "porque me duele la cabeza", "causes"),
        ("es", "¿Qué causa el insomnio?", "causes"),
        ("es", "¿Qué me provoca ansiedad?", "causes"),
        ("es", "¿A qué se debe el retraso?", "causes"),
        ("es", "¿Cuáles son las causas y los efectos? ¿Por qué?", "causes"),
        ("es", "¿De qué es consecuencia la avería?", "causes"),
        ("es", "¿Qué provoca malestar?", "causes"),
        ("es", "¿Qué es lo que causa el insomnio?", "causes"),
        ("es", "las cosas que provocan mi insomnio", "causes"),
        ("es", "¿Qué efectos tiene el café?", "effects"),
        ("es", "¿Qué consecuencias tuvo la riada?", "effects"),
        ("es", "consecuencias de la riada", "effects"),
        ("es", "¿Qué provocan las tormentas?", "effects"),
        ("es", "que causaron las tormentas", "effects"),
        ("es", "¿Qué provoca dormir poco?", "effects"),
        ("es", "¿Qué causa no dormir?", "effects"),
        ("es", "¿Qué pasó debido a la lluvia?", "effects"),
        ("es", "¿A qué me lleva el estrés?", "effects"),
        ("es", "¿Cómo me afecta el café?", "effects"),
        ("de", "Warum schlafe ich schlecht?", "causes"),
        ("de", "Was führt zu meinen Kopfschmerzen?", "causes"),
        ("de", "Was verursacht Stress?", "causes"),
        ("de", "Was sind die Ursachen für den Ausfall?", "causes"),
        ("de", "Was verursachen Stürme?", "effects"),
        ("de", "Wozu führt zu wenig Schlaf?", "effects"),
        ("de", "Welche Folgen hatte das Hochwasser?", "effects"),
        ("de", "Was ist wegen des Regens passiert?", "effects"),
        ("en", "Why do I sleep badly?", "causes"),
        ("en", "What causes headaches?", "causes"),
        ("en", "What can cause headaches?", "causes"),
        ("en", "What led to the argument?", "causes"),
        ("en", "What does stress cause?", "effects"),
        ("en", "What did the flood lead to?", "effects"),
        ("en", "What are the effects of coffee?", "effects"),
        ("en", "What happened because of the rain?", "effects"),
    ],
)
def test_a_causal_query_asks_for_causes_or_for_effects(
    language: Language, query: str, direction: CausalDirection
) -> None:
    assert causal_direction(query, language=language) == direction


@pytest.mark.parametrize(
    ("language", "query"),
    [("es", "¿Cuándo llegó Bea?"), ("de", "Was habe ich gegessen?"), ("en", "special effects of the film"), ("es", "")],
)
def test_a_query_that_is_not_causal_has_no_direction(language: Language, query: str) -> None:
    assert causal_direction(query, language=language) is None
