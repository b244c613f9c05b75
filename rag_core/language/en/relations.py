"""English: phrases that state a relation between two names."""

from rag_core.language.relations import RelationWords, relation_patterns

RELATIONS = RelationWords(
    negation="not|never|no|former|formerly|onetime|once|late|retired",
    joining=", | and |, and ",
    role=r"(?:director|manager|head|partner|founder|owner|president|chair|lawyer|engineer|employee|spokesperson|representative)"
    r"(?: \w+)?",
    patterns=(
        *relation_patterns(
            "WORKS_FOR",
            r"SOURCE works?GAP (?:for|at) TARGET",
            r"SOURCE (?:is|are) (?:employed by|working (?:for|at)) TARGET",
            r"SOURCE(?:,| is)GAP ROLE (?:of|at|for|from) TARGET",
        ),
        *relation_patterns("WORKS_FOR", r"(?<!\bto )SOURCE (?:from|of) TARGET", confidence=0.66),
        *relation_patterns(
            "MANAGES",
            r"SOURCE (?:leads?|runs?|manages?|heads?|coordinates?|(?:is|are) (?:in charge of|responsible for)) TARGET",
            r"project (?:lead|leader|manager|owner)[ :|*-]{1,4}SOURCE",
            r"SOURCE (?:leads?|runs?|manages?|heads?) the projectEND",
            r"TARGET is (?:led|run|managed|headed|coordinated) by SOURCE",
            r"SOURCE(?:,| is)(?: the)? (?:project )?(?:lead|head|manager|owner) (?:of|for|on) TARGET",
        ),
        *relation_patterns(
            "REPORTS_TO",
            r"SOURCE reports?(?: directly)? to TARGET",
            r"SOURCE['\u2019]s (?:line )?(?:manager|boss|supervisor)(?: is|,) TARGET",
            r"TARGET(?:,| is) SOURCE['\u2019]s (?:line )?(?:manager|boss|supervisor)",
        ),
        *relation_patterns(
            "CREATED",
            r"SOURCE (?:wrote|drafted|prepared|authored|(?:has|have) (?:written|drafted|prepared)) TARGET",
            r"TARGET by SOURCE",
            r"TARGET,?(?: was| is)? (?:written|drafted|prepared|authored) by SOURCE",
        ),
        *relation_patterns("USES", r"SOURCE (?:uses|runs on|is built (?:on|with)|relies on|depends on) TARGET"),
        *relation_patterns(
            "PART_OF",
            r"SOURCE is(?: a)? part of TARGET",
            r"SOURCE belongs to TARGET",
            r"SOURCE,(?: a| the)? (?:subsidiary|division|unit|part|subproject) of TARGET",
        ),
        *relation_patterns(
            "APPROVED_BY",
            r"TARGET (?:approved|signed off|has (?:approved|signed off)) SOURCE",
            r"SOURCE,?(?: was| is)? (?:approved|signed off) by TARGET",
        ),
        *relation_patterns(
            "COLLABORATES_WITH",
            r"SOURCE (?:works?|collaborates?|partners|(?:is|are) (?:working|collaborating|partnering)) with TARGET",
        ),
    ),
)
