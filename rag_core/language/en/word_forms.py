"""English: forms of words that the stemmer does not join."""

from rag_core.language.word_forms import WordForms
from rag_core.language.words import families

WORD_FORMS = WordForms(
    # Strong verbs and old plurals; not those with a form that is a word of its own (found, left, saw, wound, ground, bore).
    irregular_stems=families(
        """
    aris aros arisen | awak awok awoken | beat beaten | becom becam | begin began begun | bend bent |
    bite bit bitten | bleed bled | blow blew blown | break broke broken | breed bred | bring brought |
    build built | burn burnt | buy bought | catch caught | choos chose chosen | cling clung | come came |
    creep crept | deal dealt | dig dug | draw drew drawn | dream dreamt | drink drank drunk |
    drive drove driven | eat ate eaten | fall fell fallen | feed fed | feel felt | fight fought | flee fled |
    fling flung | fli flew flown | forbid forbad forbidden | forget forgot forgotten | forgiv forgav forgiven |
    freez froze frozen | get got gotten | give gave given | go went gone | grow grew grown | hang hung |
    hear heard | hide hid hidden | hold held | keep kept | kneel knelt | know knew known | lay laid |
    lead led | lean leant | leap leapt | learn learnt | lend lent | light lit | lose lost | make made |
    mean meant | meet met | mow mown | pay paid | prove proven | ride rode ridden | ring rang rung |
    rise rose risen | run ran | say said | see saw seen | seek sought | sell sold | send sent | sew sewn |
    shake shook shaken | shine shone | shoot shot | show shown | shrink shrank shrunk | sing sang sung |
    sink sank sunk | sit sat | sleep slept | slide slid | smell smelt | sow sown | speak spoke spoken |
    spell spelt | spend spent | spill spilt | spin spun | spit spat | spring sprang sprung | stand stood |
    steal stole stolen | stick stuck | sting stung | strike struck | strive strove striven |
    swear swore sworn | sweep swept | swell swollen | swim swam swum | swing swung | take took taken |
    teach taught | tear tore torn | tell told | think thought | throw threw thrown | understand understood |
    wake woke woken | wear wore worn | weav wove woven | weep wept | win won | withdraw withdrew withdrawn |
    write wrote written | child children | man men | woman women | foot feet | tooth teeth | goos gees |
    mous mice | lous lice | ox oxen | person peopl | knife knive | life live | wife wive | half halv |
    wolf wolv | shelf shelv | thief thiev | loaf loav | calf calv | scarf scarv | crisi crise |
    analysi analys | thesi these | hypothesi hypothes | criterion criteria | phenomenon phenomena |
    datum data | medium media | index indic | appendix appendic | matrix matric | vertex vertic |
    cactus cacti | fungus fungi | nucleus nuclei | stimulus stimuli | alumnus alumni | bacterium bacteria |
    curriculum curricula
        """
    ),
)
