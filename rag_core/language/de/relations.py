"""German: phrases that state a relation between two names."""

from rag_core.language.relations import RelationWords, relation_patterns

RELATIONS = RelationWords(
    negation="nicht|nie|niemals|keine?",
    joining=", | und |, und ",
    role=r"(?:geschaftsfuhrer|leiter|chef|inhaber|mitarbeiter|partner|vorstand|direktor|ingenieur|anwalt|anwalt|vertreter|sprecher"
    r"|ansprechpartner)(?:in)?(?: \w+)?",
    patterns=(
        *relation_patterns(
            "WORKS_FOR",
            r"SOURCE arbeite(?:t|n)GAP (?:bei|beim|fur) TARGET",
            r"SOURCE (?:ist|sind) bei TARGET (?:angestellt|beschaftigt)",
            r"SOURCE(?:,| ist)(?: der| die)? ROLE (?:bei|beim|von|vom|der|des) TARGET",
        ),
        *relation_patterns("WORKS_FOR", r"(?<!\ban )SOURCE (?:von|vom) TARGET", confidence=0.66),
        *relation_patterns(
            "MANAGES",
            r"SOURCE (?:leite(?:t|n)|fuhr(?:t|en)|koordinier(?:t|en)|verantworte(?:t|n)) TARGET",
            r"TARGET wird von SOURCE (?:geleitet|gefuhrt|koordiniert|verantwortet)",
            r"projektleit(?:ung|er|erin)[ :|*-]{1,4}SOURCE",
            r"SOURCE leite(?:t|n) das projektEND",
            r"verantwortlich fur TARGET (?:ist|sind) SOURCE",
            r"SOURCE (?:ist|sind) verantwortlich fur TARGET",
            r"SOURCE(?:,| ist)(?: der| die)? (?:projekt)?leiter(?:in)? (?:von|vom|der|des) TARGET",
        ),
        *relation_patterns(
            "REPORTS_TO",
            r"SOURCE berichte(?:t|n)(?: direkt)? an TARGET",
            r"TARGET(?:,| ist)(?: der| die)? (?:vorgesetzter?|chefin|chef) (?:von|vom) SOURCE",
            r"(?:vorgesetzter?|chefin|chef) (?:von|vom) SOURCE ist TARGET",
        ),
        *relation_patterns(
            "CREATED",
            r"SOURCE (?:schrieb|verfasste|erstellte|entwarf) TARGET",
            r"SOURCE (?:hat|haben) TARGET (?:geschrieben|verfasst|erstellt|entworfen)",
            r"TARGET (?:hat|haben) SOURCE (?:geschrieben|verfasst|erstellt|entworfen)",
            r"TARGET,?(?: wurde)? von SOURCE (?:geschrieben|verfasst|erstellt|entworfen)",
        ),
        *relation_patterns(
            "USES", r"SOURCE (?:nutzt|benutzt|verwendet|lauft (?:auf|mit)|basiert auf|setzt auf) TARGET"
        ),
        *relation_patterns(
            "PART_OF",
            r"SOURCE (?:ist|wird)(?: ein)? teil (?:von|vom|der|des) TARGET",
            r"SOURCE gehort zu[mr]? TARGET",
            r"SOURCE,(?: eine?)? (?:tochter|tochtergesellschaft|teilprojekt|sparte) (?:von|vom|der|des) TARGET",
        ),
        *relation_patterns(
            "APPROVED_BY",
            r"TARGET (?:genehmigte|billigte) SOURCE",
            r"TARGET hat SOURCE (?:genehmigt|freigegeben|gebilligt)",
            r"SOURCE (?:wurde|ist) von TARGET (?:genehmigt|freigegeben|gebilligt)",
        ),
        *relation_patterns(
            "COLLABORATES_WITH",
            r"SOURCE arbeite(?:t|n) mit TARGET zusammen",
            r"SOURCE kooperier(?:t|en) mit TARGET",
        ),
    ),
)
