"""English: words around and in names."""

from rag_core.language.names import NameWords
from rag_core.language.words import word_set

NAMES = NameWords(
    given=word_set(
        """
        aaron abigail adam adrian agnes aisha alan albert alex alexander alexandra alfred alice alison amanda amber amelia amelie
        amy andrea andrew angela anita ann anna anne anthony arthur ashley audrey barbara ben benjamin bernard beth bethany betty
        bill bob bradley brenda brian bridget bruce cameron carl carol caroline catherine cecilia charles charlie charlotte chloe
        chris christian christina christine christopher claire clara colin connor craig cynthia daisy dan daniel danielle darren
        david dawn dean deborah declan denise dennis derek desmond dev diana diane dominic donald donna dorothy douglas duncan dylan
        edith edmund edward eileen elaine eleanor elena elizabeth ella ellen ellie emily emma eric erin ethan eva eve evelyn fatima
        felicity fiona florence frances francis frank fred freya gail gareth gary gavin gemma geoffrey george georgia gerald gillian
        gina glenn gloria gordon grace graham grant greg gregory guy hannah harold harriet harry hassan hazel heather helen henry
        holly howard hugh hugo ian imogen ingrid irene iris isaac isabel isabella isla ivan ivy jack jackie jacob jacqueline jake
        james jamie jane janet janice jason jasmine jay jean jeffrey jennifer jenny jeremy jessica jill jim jo joan joanna joe joel
        john jonathan jordan joseph joshua joyce judith judy julia julian julie june justin karen kate katherine kathleen katie
        keith kelly ken kenneth kevin kieran kim kirsty kwame kyle larry laura lauren lawrence leah lee leo leon leonard leslie
        lewis liam lily linda lisa lloyd logan lorna louis louise lucas lucy ludovic luke lydia lynn maeve malcolm marcus margaret
        maria marian marie marilyn marion marjorie mark martha martin mary mason matt matthew maureen max megan melanie melissa mia
        michael michelle mike miles miriam mohammed moira molly monica morgan muriel nadia nancy naomi natalie natasha nathan neil
        niall nicholas nick nicola nigel noah noel nora norman olive oliver olivia omar oscar owen pamela patricia patrick paul
        paula pauline penelope penny percy peter philip phoebe phyllis piers poppy priya rachel ralph raymond rebecca reginald rhys
        richard rita rob robert robin roger roland ronald rory rosalind rose rosemary ross rowan roy rupert russell ruth ryan sally
        sam samantha samuel sandra sarah scarlett scott sean sebastian sharon shaun sheila shirley siobhan sid sidney simon sophia
        sophie stacey stanley stella stephanie stephen steve steven stewart stuart sue susan suzanne sylvia ted terence teresa terry
        theo theresa thomas tiffany tim timothy tina toby todd tom tony tracey trevor tristan tyler ursula valerie vanessa vera
        veronica vicky victor victoria vincent virginia wayne wendy wilfred william winifred yasmin yvonne zachary zara zoe anil
        arjun deepa kavita meera nikhil raj rahul ravi sanjay sunita vikram yusuf ahmed ali chen mei sal jen becky katy maggie peggy
        nan nell bess ned ernie archie alfie finn evie elsie maisie ruby sienna freddie theodore stan reg vic bev trish tess abby
        """
    ),
    places=word_set(
        """
        england scotland wales britain uk united~kingdom great~britain northern~ireland ireland london birmingham manchester leeds
        glasgow sheffield bradford liverpool edinburgh bristol cardiff belfast leicester wakefield coventry nottingham newcastle
        sunderland brighton plymouth stoke stoke-on-trent wolverhampton derby swansea southampton salford aberdeen westminster
        portsmouth peterborough dundee lancaster oxford newport preston norwich chester cambridge salisbury exeter gloucester
        lisburn chichester winchester londonderry carlisle worcester durham lincoln hereford armagh inverness stirling canterbury
        lichfield newry ripon bangor truro ely st~albans hay-on-wye whitby scarborough harrogate blackpool bournemouth poole swindon
        slough luton milton~keynes northampton ipswich colchester southend dover folkestone hastings kent surrey sussex essex
        suffolk norfolk devon cornwall dorset somerset yorkshire lancashire cumbria hampshire berkshire dublin cork galway limerick
        paris lyon marseille france germany berlin munich hamburg cologne frankfurt dresden austria vienna salzburg switzerland
        zurich geneva basel italy rome milan florence venice naples turin verona spain madrid barcelona valencia seville portugal
        lisbon porto belgium brussels antwerp ghent netherlands amsterdam rotterdam utrecht luxembourg denmark copenhagen sweden
        stockholm norway oslo bergen finland helsinki poland warsaw krakow prague hungary budapest greece athens turkey istanbul
        russia moscow ukraine kyiv israel egypt cairo morocco nigeria lagos kenya nairobi china beijing shanghai hong~kong singapore
        japan tokyo kyoto korea seoul india mumbai delhi bangalore chennai pakistan usa united~states america new~york california
        chicago boston seattle san~francisco los~angeles texas washington canada toronto montreal vancouver mexico brazil argentina
        chile peru colombia australia sydney melbourne new~zealand auckland europe asia africa thames lake~district peak~district
        cotswolds dartmoor keswick ambleside kendal hexham alnwick berwick whitley hebden ilkley skipton buxton matlock ludlow
        shrewsbury telford leominster malvern evesham cheltenham stroud frome glastonbury minehead barnstaple bideford penzance
        falmouth torquay exmouth weymouth swanage lymington guildford woking epsom croydon brixton hackney islington camden
        greenwich lewes eastbourne margate ramsgate whitstable faversham aldeburgh southwold lowestoft cromer sheringham
        stamford grantham newark chesterfield rotherham barnsley halifax huddersfield stockport bolton wigan kendal dumfries
        galashiels perth oban skye orkney shetland aberystwyth tenby llandudno caernarfon monmouth abergavenny
        """
    ),
    titles=word_set("mr mrs ms miss dr prof professor sir dame lady lord rev mx doctor madam"),
    particles=word_set("van von der den de la le du da di af ten ter del bin al"),
    kin=r"boss|manager|sister|brother|mother|father|mum|mom|dad|daughter|son|aunt|uncle|cousin|grandmother|grandfather"
    r"|gran|grandma|grandad|grandpa"
    r"|wife|husband|partner|girlfriend|boyfriend|neighbour|neighbor|landlord|landlady|colleague|friend|niece|nephew|flatmate|housemate"
    r"|accountant|solicitor|lawyer|dentist|doctor|teacher|tutor|mentor|supervisor|therapist|godmother|godfather"
    r"|plumber|line manager|best friend",
    possessive=r"[Mm]y",
    is_kin=r",\s+|\s+(?:is|was)\s+|\s+\(",
    organisations=word_set(
        "university hotel bank ministry department cafe restaurant college institute council royal national office hm nhs innovate"
    ),
    last_words=word_set(
        """
        university college school council bank group holdings hotel hospital institute trust foundation association society agency
        authority office department ministry partners consulting catering audit analytics supplies services solutions systems
        heating builders brothers sons press publishing museum library theatre church union club cafe restaurant inn arms bakery
        brewery logistics engineering architects insurance bookshop books airways airlines rail trains motors garage energy water
        labs studio studios surgery practice pharmacy nursery kitchen pub tavern electrical plumbing centre center police fund
        records farm cleaners tyres legal solicitors accountants finance capital design media digital travel tours couriers foods
        stores gallery academy commission board committee network alliance federation tribunal bureau parliament printers joinery
        landscapes nurseries removals interiors dental vets optometrists
        """
    ),
    compound_ends=r"",
    projects=word_set("project projects programme"),
    products=word_set("version software app tool printer laptop phone camera server"),
    venues=word_set("company client supplier firm pub bar restaurant cafe hotel contractor"),
    people=word_set(
        """
        person people
        owner owners contact attendees attending present apologies absent from to cc author authors chair minutes speaker speakers
        candidate deputy lead signed reviewer assignee reporter tutor guests participants taught facilitator
        """
    ),
    companies=word_set("client supplier customer company vendor issuer payee landlord contractor insurer employer"),
    undertakings=word_set("project projects"),
    compared=r"(?:more|less|worse|\w{3,}er)(?: \w+){0,2} than",
    laws=(
        r"(?:Regulation|Directive|Decision) (?:\((?:EU|EC)\) )?(?:No\.? )?\d+/\d+(?:/E[UC])?",
        (
            r"(?:[A-Z][\w'’-]+ |(?:and|of|to|for) |\([A-Z]\w+\) )*(?:[A-Z][\w'’-]+ |\([A-Z]\w+\) )(?:Act|Regulations"
            r"|Bill)(?: \d{4})?(?!\w)"
        ),
        r"UK GDPR|Cyber Essentials(?: Plus)?",
    ),
    reading=r"(?:books?|novel|read|reading|finished|report|guide|handbook|manual|document|template|article|chapter|film|poem|paper|called|titled|entitled|page|lent|leaflet|brochure|catalogue|author|appendix|course|recommends)(?!\w)",
    saints=word_set("saint st"),
    documents=r"(?:[A-Z]\w+ )+(?:Agreement|Handbook|Guide|Report|Policy|Manual)(?: \d{4})?(?!\w)|(?:Invoice|Order|Quote"
    r"|Contract|Receipt|Ticket|Purchase Order|PO|Quotation|Statement)(?: (?:no\.|number|No\.))? [A-Z]*-?\d[\w/-]*",
    streets=(
        (
            r"\d+[a-z]? (?:[A-Z][\w'’]+ ){1,2}(?:Street|Road|Lane|Avenue|Square|Place|Terrace|Close|Drive|Way|Court"
            r"|Row|Hill|Crescent|Gardens|Mews|Walk|Quay)(?!\w)"
        ),
    ),
    quarters=(r"(?P<word>first|second|third|fourth|last) quarter of {year}",),
    dates=(
        r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? {month}(?:,? {year})?",
        r"{month} (?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d|[.:]\d)(?:,? {year})?",
        r"{month},? (?:of )?{year}",
    ),
    millions={
        "thousand": 1_000,
        "million": 1_000_000,
        "billion": 1_000_000_000,
        "m": 1_000_000,
        "k": 1_000,
        "grand": 1_000,
    },
    small_numbers={
        "one": 1,
        "two": 2,
        "three": 3,
        "four": 4,
        "five": 5,
        "six": 6,
        "seven": 7,
        "eight": 8,
        "nine": 9,
        "ten": 10,
        "eleven": 11,
        "twelve": 12,
        "fifteen": 15,
        "twenty": 20,
        "thirty": 30,
        "fifty": 50,
        "a hundred": 100,
    },
    towards=word_set("in"),
    links=word_set("of for and the"),
    papers=r"(?:plan|roadmap|kick-?off|retrospective|retro|sprint|milestone|demo|launch|release|backlog|board|spec"
    r"|specification|budget|start|finish|launch|ship|pause|deliver) (?:for |of )?",
    at=word_set("from of at"),
    ordinary=word_set(
        "hi hello thanks dear regards subject date total note notes minutes invoice plan actions i i'm i've i'll i'd"
        r""
    ),
)
