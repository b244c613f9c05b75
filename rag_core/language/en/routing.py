"""English: phrases that route a question."""

from rag_core.language.routing import RoutingWording

ROUTING = RoutingWording(
    procedural=(
        r"how (?:do|can|should|must|to|does one)|steps?|step by step|instructions|procedure|what do i have to do",
    ),
    relational=(
        r"who (?:leads|led|manages|managed|runs|ran|works|worked|reports|owns|is responsible|is in charge)",
        r"responsible|in charge|relationships?|related|connections?|connected|belongs? to|reports? to|involved",
        r"works? (?:for|with|at)|worked (?:for|with|at)",
    ),
    aggregative=(
        r"how many|how often|in total|number of|all (?:the|my|of)|sum of|average|overall",
        r"list|enumerate|overview|summar(?:y|ise|ize)|what \w+ are there",
    ),
    table=(
        r"tables?|columns?|rows?|cells?|quarters?|quarterly|revenues?|turnover|budgets?|balance sheet|statistics|price list",
        r"per (?:month|year|quarter|unit|person)|(?:amount|cost|price) of|percent(?:age)?",
    ),
    hops=(
        r"whose|after which|both .* and",
        r"and (?:who|what|when|where|why|which|how)",
        r"(?:the|a|an) \w+ (?:who|that|which)",
    ),
    between="between",
    links="and",
)
