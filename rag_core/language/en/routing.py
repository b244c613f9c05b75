"""English: phrases that route a question."""

from rag_core.language.routing import RoutingWording, any_of

_ROLES = (
    any_of(
        r"""
    mother mum mom father dad sister brother sibling son daughter child kid wife husband spouse partner fiance fiancee girlfriend
    boyfriend aunt uncle cousin niece nephew grandmother grandfather grandma grandad godmother godfather godchild in\slaw friend
    neighbour neighbor flatmate roommate boss manager supervisor assistant deputy secretary director head chair chairman
    chairwoman ceo founder owner landlord landlady tenant colleague mentor coach teacher tutor doctor dentist lawyer solicitor
    accountant agent employer employee supplier client customer contractor successor predecessor sponsor trustee member
    parent\scompany subsidiary lead leader representative contact
    """
    )
    + r"s?"
)
_MORE = any_of(
    r"""
    better worse higher lower cheaper dearer older younger bigger larger smaller longer shorter faster slower quicker stronger
    weaker earlier later nearer closer safer easier harder newer heavier lighter warmer colder quieter stricter nicer happier
    busier more less fewer
    """
)

ROUTING = RoutingWording(
    comparative=(
        r"compar(?:e|es|ed|ing|ison|isons|able)|contrast\w*|differ(?:s|ed|ence|ences)?|different (?:from|than|to)",
        r"versus|vs|similar(?:ities|ity)?|distinguish\w*|alike|stack up",
        r"(?:\w{3,}er|more|less|fewer|worse) (?:\w+ ){0,4}than|" + _MORE + r" (?:\w+ ){0,5}or(?! (?:not|less|more))",
        _MORE + r"(?: \w+)*, (?:\w+ ){1,5}or",
        r"which (?:one |\w+ )?(?:of|out of|among) (?:the|these|those|our|my) (?:two|three|four|five|\d+)",
        r"(?:the )?same (?:\w+ ){0,4}as|as (?!soon|long|far|well)\w+ as(?! possible)|pros and cons",
        r"advantages? (?:of|over)|outperform\w*|in common|contradict\w*|discrepanc\w+",
        r"^\W*(?!what|who|how|where|when)\w+ or \w+|^\W*(?:which|what|who) (?:\w+ ){1,5}" + _MORE + r"(?: \w+)?\W*$",
        r"(?:like|liked|enjoy(?:ed)?) .* or .*more|prefer .* (?:or|to)|instead of .* or",
    ),
    when=(
        (
            r"(?:^\W*(?:(?:and|so|but|hey|ok|by|since|until|till|from) )*|(?<=[,?:] )"
            r"|(?:remember|recall|know|tell me|by|since|until|till|from|exactly) )when(?! (?:i|we|you) (?!last)\w+,)"
        ),
        r"(?:what|which) (?:\w+ )?(?:day|date|year|month|time|week|weekend|century|decade|season|hour)s?(?! (?:of|sheet))",
        r"what(?: is| s)? .*(?:date|deadline)",
        r"how (?:long|recently|soon|early|late)(?! (?:is|are) (?:the|our|my) \w+(?:\W*$))",
        r"how many (?:years|months|weeks|days|hours) (?:ago|until|since|have|has|did|till|left|before)",
    ),
    procedural=(
        (
            r"how (?:do|can|could|should|must|shall|would|might|d) (?:i|we|you|one|they|people|someone|somebody|employees|staff"
            r"|customers)"
        ),
        r"how to|how does one|how (?:is|are) .*(?:done|made|set up|submitted|handled)",
        r"how (?:do|does) (?:\w+ ){1,5}work|steps?|step by step|instructions|procedure|process (?:for|of|to)",
        r"work ?flow for|guide (?:to|for|on)|tutorial|recipe|(?:explain|tell me|show me|describe) how",
        r"how did (?:\w+ ){1,3}(?:make|cook|bake|prepare|fix|do)|what (?:\w+ )?do (?:i|we|you) need (?:to|for)",
        r"walk me through|checklist for|(?:right|best|correct|proper|easiest|quickest|only|a|any) way (?:to|of)",
        r"method (?:for|of|to)",
        r"what (?:do|should|must) (?:i|we|you) (?:have to |need to )?do (?:to|if|when|about|in case|after|before)",
        r"what do i have to do|what (?:is|s) involved in",
        r"^\W*(?!during|opening)\w{3,}ing (?:up|down|off|out|on|a|an|the|my|our|your)",
    ),
    aggregative=(
        r"how many|how often|how frequently|in total|altogether|(?:total )?number of (?!the|my|our|your)(?:\w+ )?\w+s",
        r"count(?: of)?|tally|on average|average|sum of|add(?:ing)? up|all(?: (?:the|my|our|of|these|those|\w+s))",
        r"every(?:thing|one)|(?:every|each) (?!other|day|week|month|year|quarter|night|time)\w+|list(?: \w+)?|listing",
        r"enumerate|overview|summar(?:y|ise|ize|ies|ising|izing)|round ?up|recap|roundup",
        r"across (?:my|all|our|the|every)|pull(?:ed|ing)? (?:\w+ )?together",
        r"(?:collect|gather|compile|collate|put together|combine)(?: \w+)?",
        (
            r"(?:what|which) (?:of (?:our|my|the|these) )?(?:(?!is|was|does|did|do)\w+ ){0,2}(?!does|was|has|goes|ties|links"
            r"|connects|binds|unites)\w{2,}[^\Wsui]s (?!is|was|does)\w+"
        ),
        r"what (?:is|s) (?:still )?(?:left|outstanding|pending|missing|open)",
    ),
    limits=(
        r"minimum|maximum|at least|at most",
        r"how many (?:\w+ ){1,4}(?:must|may|can|allowed|required|needed|need|entitled|permitted)",
        r"how many (?:\w+ ){1,3}(?:does|do) (?:a|an|the|it|each|one)",
    ),
    who=(r"who|whom|whose|who s|whos",),
    relational=(
        r"responsible|in charge|relation(?:s|ship|ships)?|related|connect(?:ion|ions|ed|s)?",
        r"link(?:s|ed)? (?:to|with|between)|links|tie[sd]?|belong(?:s|ed)?|involved (?:in|with)|affiliat\w+",
        r"associated with|(?:work|works|worked|working) (?:\w+ )?(?:for|with|under|alongside)|works? at|worked at",
        r"report(?:s|ed|ing)? to|answers? to|manage[sd]|married|engaged|siblings?|cousins|owned by|owns|owner of",
        r"member of|part of the|subsidiary|parent company|employ(?:s|ed|er)|represent(?:s|ed)|supervis\w+",
        r"collaborat\w+|partner(?:s|ed)? with|(?:play|plays|sing|sings|plays) (?:for|with|in)|acquainted",
        r"know each other|^\W*(?:does|do|did) (?:\w+ ){1,3}know",
        r"(?:what|which) (?:role|position|job|part) (?:does|did|has)",
        r"(?:^\W*|^\W*the |name of the )" + _ROLES + r" (?:of|at|for|to)",
        r"(?:name of|what is|what s|called) \w+ s " + _ROLES + r"\W*$",
        r"^\W*\w+ s " + _ROLES + r"\W*$",
        (
            r"(?:team|band|club|company|department|group|firm|choir|committee) (?:is|was|does|did) (?:\w+ ){1,3}(?:in|on|with|for"
            r"|at|belong to)"
        ),
        r"^\W*(?:is|are|was|were) \w+(?: s)?(?: \w+(?: s)?){0,3} " + _ROLES + r"(?: of .*)?\W*$",
    ),
    times=(
        r"dates?|deadlines?|due(?! to)|expir\w+|expiry|birthday|anniversary",
        r"(?:last|first|next) (?:time|visit|appointment|meeting|service|inspection|check)|schedule|timeline",
        r"how (?:has|have|did) (?:\w+ ){1,4}(?:chang\w+|evol\w+|develop\w*|grow\w*|var(?:y|ied))",
        r"^\W*(?:was|were|is|did) .*(?:before|after)|history of|duration|how old",
        r"(?:still|remain|stay) (?:valid|in force|current)|valid (?:until|till|in)",
        r"over (?:time|the (?:years|months|last))|chang(?:e|ed|es|ing) (?:since|over|between)|evol\w+|trends?",
        r"since (?:19|20)\d\d|before or after|develop(?:ed|ment) (?:of|since|over)|from (?:19|20)\d\d (?:to|until)",
        r"between (?:19|20)\d\d and|upcoming|run(?:s)? out|next \w+ (?:appointment|meeting|service)|grown",
        r"chronolog\w+",
    ),
    table=(
        r"tables?|columns?|rows?|cells?|spreadsheets?|excel|csv|statistics|price list|quarters?|quarterly",
        r"balance sheet",
    ),
    figures=(
        r"amounts?|cost(?:s|ed|ing)?|price[sd]?|pricing|fees?|rates?|hourly rate|salary|salaries|wages?",
        r"(?:the|our|my|monthly|s) rent|deposit|takings|revenues?|turnover|sales|profits?|margins?|budgets?|expenses",
        r"expenditure|spend(?:ing)?|spent|pay (?:for|each|per|a|in)|do (?:we|i|you|they) pay|paid|invoice \d+",
        r"(?:invoice|bill|quote|order|receipt)s? total",
        r"total (?:of|on|for) (?:the )?(?:invoice|bill|quote|order|receipt)|figures?|percent(?:age)?",
        r"how much (?:\w+ ){0,5}(?:earn|owe|save|charge|make|cost|pay|raise|use|consume|is|was|did|does)\w*",
        r"per (?:month|year|quarter|unit|person|hour|night|head|week)|pounds|euros|dollars|kwh|discount|interest rate",
        r"balance|premium|charge(?:s|d)?|cheaper|cheapest|more expensive|most expensive|earn(?:s|ed|ings)?|income",
    ),
    counted=r"how many (?!euros|pounds|dollars)\w+",
    clauses=(r"(?:the|a|an|our|my) (?:\w+ ){0,2}\w+,? (?:who|that|which|whom|where) (?!was called)\w+|whose",),
    free_clauses=r"(?:the|that) one (?:who|that|which|whom)|those who|whoever",
    naming=(
        r"(?:what|which) (?:is|was|s) the name|(?:name|title) of the|called\W*$|who (?:is|was|are|s) the",
        r"what (?:is|was|s) (?:the|that) \w+ (?:that|which|where|who)|what did .* say|everything (?:that )?",
    ),
    chains=(
        r"\w+ s " + _ROLES + r" s \w+|" + _ROLES + r" of (?:the )?(?:\w+ ){0,2}(?:\w+ s )?" + _ROLES,
        (
            r"(?:number|address|phone|email|birthday|age|company|employer|job|street|car|house|salary|name|dog|cat) (?:of"
            r"|for) (?!my|the|our|your)\w+(?: \w+)? s " + _ROLES
        ),
        r"(?:does|did|is|was) (?!my|our|the|your)\w+ s " + _ROLES + r" \w+",
        r"(?<=\w\w )and,? (?:who|when|where|why|which|how (?:long|many|much|do|does|did)|what (?:is|was|did|does|s|are))",
        r"after which|both .* and",
    ),
    superlatives=(
        r"(?:of|for|with|by|from|at|to|in) (?:the|our|my) (?!latest|best|west|guest|test|request|forest|interest"
        r"|rest )(?:[a-z]{2,}est|most [a-z]+|least [a-z]+) \w+|(?:the|a|an|our"
        r"|my) [a-z]+ [A-Z][\w'’]+(?: [A-Z][\w'’]+)? (?!is|was|has|does|did|and|or|are|will|in|of|on|at|as|its|this"
        r"|last)[a-z]+(?:ed|s|t|ew|an|ught|ade|ent)"
    ),
    vague="""
        do does did done doing make makes made go goes went going work works mean means meant thing things stuff one
        ones exactly now then again really actually please tell know remember say says said happen happens happened
        like look get gets got mine yours here there just mean matter about works so anyway else
    """,
    between="between",
    links="and",
    alternatives="or",
    before_names="",
    noun_endings="",
)
