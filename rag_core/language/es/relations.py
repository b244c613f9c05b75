"""Spanish: phrases that state a relation between two names."""

from rag_core.language.relations import RelationWords, relation_patterns

RELATIONS = RelationWords(
    negation="no|nunca|jamas|tampoco",
    joining=", | y | e |, y ",
    role=r"(?:director|jef[ea]|gerente|soci[oa]|fundador|president|responsable|consejer[oa]|tecnic[oa]|ingenier[oa]|abogad[oa]"
    r"|comercial|emplead[oa]|portavoz|representante|coordinador)[ae]?(?: \w+){0,2}",
    patterns=(
        *relation_patterns(
            "WORKS_FOR",
            r"SOURCE (?:trabajan?|curran?)GAP (?:en|para) TARGET",
            r"SOURCE(?:,| es)(?: la| el| una?)? ROLE (?:del?|en) TARGET",
        ),
        *relation_patterns("WORKS_FOR", r"(?<!\ba )SOURCE del? TARGET", confidence=0.66),
        *relation_patterns(
            "MANAGES",
            r"SOURCE (?:dirigen?|lideran?|coordinan?|gestionan?|llevan?) TARGET",
            r"TARGET l[oa]s? (?:dirigen?|lideran?|coordinan?|gestionan?|llevan?)GAP SOURCE",
            r"TARGET,?(?: esta)? (?:dirigid|liderad|coordinad)[oa] por SOURCE",
            r"(?:responsable|directora?|jef[ea]|coordinadora?) del proyecto[ :|*-]{1,4}SOURCE",
            r"SOURCE (?:dirigen?|lideran?|coordinan?|llevan?) el proyectoEND",
            r"responsables? del? TARGET(?: es| son|:) SOURCE",
            r"SOURCE(?:,| es)(?: la| el)? (?:responsable|jef[ea]|directora?|coordinadora?) del? TARGET",
        ),
        *relation_patterns(
            "REPORTS_TO",
            r"SOURCE (?:reportan?|rinden? cuentas)(?: \w+mente)? al? TARGET",
            r"(?:jef[ea]|superiora?) del? SOURCE(?: es|,) TARGET",
            r"TARGET(?:,| es)(?: la| el)? (?:jef[ea]|superiora?) del? SOURCE",
        ),
        *relation_patterns(
            "CREATED",
            r"SOURCE (?:escribio|redacto|preparo|elaboro|(?:ha|han) (?:escrito|redactado|preparado|elaborado)) TARGET",
            r"TARGET, de SOURCEEND",
            r"TARGET l[oa]s? (?:escribio|redacto|preparo|elaboro|(?:ha|han) (?:escrito|redactado|preparado|elaborado)) SOURCE",
            r"TARGET,?(?: fue| esta| ha sido)? (?:escrit|redactad|elaborad|preparad)[oa] por SOURCE",
        ),
        *relation_patterns("USES", r"SOURCE (?:usa|utiliza|emplea|funciona con|corre sobre|se apoya en) TARGET"),
        *relation_patterns(
            "PART_OF",
            r"SOURCE (?:forma|es) parte del? TARGET",
            r"SOURCE pertenece al? TARGET",
            r"SOURCE,(?: una?)? (?:filial|subproyecto|modulo|parte|division) del? TARGET",
        ),
        *relation_patterns(
            "APPROVED_BY",
            r"TARGET (?:aprobo|autorizo|ha (?:aprobado|autorizado)) SOURCE",
            r"SOURCE,?(?: fue| esta| ha sido)? (?:aprobad|autorizad)[oa] por TARGET",
        ),
        *relation_patterns("COLLABORATES_WITH", r"SOURCE (?:colaboran?|trabajan?) con TARGET"),
    ),
)
