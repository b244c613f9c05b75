"""Spanish: words around a change of subject."""

from rag_core.language.subject_changes import SubjectChangeWords

SUBJECT_CHANGES = SubjectChangeWords(
    dropping=r"""
    (?:olvid(?:a|e|emos|ad|en)|dejemos|deja)\ (?:
        (?:todo\ )?lo\ (?:anterior|de\ antes)
        | (?:todo\ )?lo\ que\ (?:te\ |le\ )?(?:dije|decía|pregunt(?:é|aba)|he\ (?:dicho|preguntado))(?:\ antes)?
        | (?:todo\ )?lo\ que\ acabo\ de\ (?:decir|preguntar)(?:te|le)?
        | eso | esto | la\ (?:anterior|de\ antes)
        | (?:mi|la)\ (?:[úu]ltima\ )?pregunta(?:\ (?:anterior|de\ antes))?
    )
    | (?:olv[ií]d[ae]|d[eé]j[ae])lo | olv[ií]date\ de\ (?:eso|ello|lo\ anterior)
    | cambi(?:o|ando|emos)\ de\ tema | otra\ cosa
    """,
    opening=r"bueno|vale|bien|mira|no|ah|oye|por\ favor",
    please=r"por\ favor|porfa",
    then_tell=r"y\ (?:ahora\ )?dime",
    everything="todo",
    prepositions="a|con|de|en|para|por|desde|hasta",
    asking=r"""
    qué|que|quién|quien|quiénes|cuándo|cuando|dónde|donde|cómo|como|cuánt[oa]s?|cuant[oa]s?|cuál(?:es)?|cual(?:es)?
    | puedes|puede|podr[ií]as?|sabes|recuerdas
    """,
    abbreviations="[sd]ra?|srta",
)
