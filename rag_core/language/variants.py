"""Other forms of a query's words that stemming misses: irregular forms, numbers with a hyphen, parts of German compounds.

All here speaks of lexemes, as PostgreSQL's text search makes them: the index stays as it is, the query asks for more. What
was measured is in ``docs/decisions/0013-search-variants.md``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from rag_core.model.note import Language

_IRREGULAR = 0.3
_VOWEL_CHANGE = 0.3
_HYPHENED_NUMBER = 0.6
_PLURAL_OF_Z = 0.3
_UMLAUT = 0.9
_COMPOUND = 0.4

LEAST_COMPOUND_LETTERS = 5
"""A shorter part of a compound stands at the beginning of too many words that have nothing to do with it."""
_LEAST_REST_LETTERS = 4
_LINKS = ("en", "es", "er", "s", "n", "e", "")

_STEMS: Mapping[str, str] = {
    # Verbs whose stem changes: e to ie or i, o to ue or u, strong preterites, participles, first persons in -go and -zco.
    "es": """
    sent sient sint | ment mient mint | prefer prefier prefir | suger sugier sugir | divert diviert divirt |
    convert conviert convirt | advert adviert advirt | her hier hir | herv hierv hirv | diger digier digir |
    invert inviert invirt | consent consient consint | arrepent arrepient arrepint | requer requier requir |
    adquir adquier | refer refier refir | transfer transfier transfir | infer infier infir |
    difer difier difir | confer confier confir | inger ingier ingir | interfer interfier interfir |
    pens piens | cerr cierr | empez empiez empiec empec | comenz comienz comienc comenc | despert despiert |
    calent calient | sent sient | neg nieg | reg rieg | tembl tiembl | confes confies | gobern gobiern |
    acert aciert | apret apriet | atraves atravies | defend defiend | entend entiend | extend extiend |
    perd pierd | encend enciend | descend desciend | quer quier quis querr | tend tiend | atend atiend |
    recomend recomiend | manifest manifiest | merend meriend | nev niev | pleg plieg | quebr quiebr |
    sembr siembr | tropez tropiez tropec tropiec | freg frieg | enterr entierr | encerr encierr | hel hiel |
    alent alient | ascend asciend | despleg desplieg | tent tient | revent revient | ceg cieg |
    arrend arriend | encomend encomiend | ped pid | serv sirv | repet repit | vest vist | segu sig sigu |
    consegu consig consigu | persegu persig persigu | eleg elij elig | correg corrij corrig | med mid |
    compet compit | desped desp despid | imped impid | freir fri frit friend | reir rio riend |
    sonreir sonri sonr | rend rind | derret derrit | gem gim | conceb concib | cont cuent | encontr encuentr |
    mostr muestr | demostr demuestr | record recuerd | acord acuerd | soñ sueñ | vol vuel | prob prueb |
    cost cuest | acost acuest | almorz almuerz almorc almuerc | apost apuest | colg cuelg | rog rueg |
    rod rued | solt suelt | son suen | renov renuev | comprob comprueb | aprob aprueb | volv vuelv vuelt |
    devolv devuelv devuelt | resolv resuelv resuelt | envolv envuelv envuelt | revolv revuelv revuelt |
    mov muev | remov remuev | promov promuev | conmov conmuev | mord muerd | dol duel | llov lluev |
    pod pued pud podr | sol suel | torc tuerz tuerc | coc cuez cuec | oler huel oli | forz fuerz forc fuerc |
    esforz esfuerz esforc esfuerc | reforz refuerz reforc refuerc | pobl puebl | col cuel | consol consuel |
    tost tuest | mol muel | disolv disuelv disuelt | dorm duerm durm | mor muer mur muert | jug jueg |
    conten conteng contuv contien | manten manteng mantuv mantien | obten obteng obtuv obtien |
    sosten sosteng sostuv sostien | deten deteng detuv detien | reten reteng retuv retien |
    entreten entreteng entretuv entretien | andar anduv | hac hag hic hiz har hech |
    deshac deshag deshic deshiz deshech | satisfac satisfag satisfic satisfiz satisfech |
    dec dig dic dij dir dich | predec predig predij predich predic | bendec bendig bendij bendic |
    contradec contradig contradij contradic | tra traig traj | atra atraig atraj | extra extraig extraj |
    distr distraig distraj distra | conduc conduzc conduj | produc produzc produj | traduc traduzc traduj |
    reduc reduzc reduj | introduc introduzc introduj | deduc deduzc deduj | seduc seduzc seduj |
    induc induzc induj | reproduc reproduzc reproduj | pon pong pus pondr puest |
    compon compong compus compuest | dispon dispong dispus dispuest | expon expong expus expuest |
    impon impong impus impuest | opon opong opus opuest | propon propong propus propuest |
    supon supong supus supuest | ven veng vin vien vendr | preven preveng previn previen |
    interven interveng intervin intervien | conven conveng convin convien | proven proveng provin provien |
    sab se sup sabr | cab quep cup cabr | ver veo vi vist vei | prev preve previst | dar doy di dio dier de |
    ir voy vam iba ire vay yend | sal salg saldr | val valg valdr | caer caig cay cae caid |
    oir oig oye oyo oid | leer leo ley leid leyend | cre crey creid creyend | huir huy hui | conoc conozc |
    reconoc reconozc | parec parezc | aparec aparezc | crec crezc | nac nazc | ofrec ofrezc |
    agradec agradezc | pertenec pertenezc | establec establezc | obedec obedezc | merec merezc |
    permanec permanezc | desaparec desaparezc | padec padezc | fallec fallezc | abrir abro abiert |
    cubr cubiert | descubr descubiert | escrib escrit | describ descrit | inscrib inscrit | romp rot |
    imprim impres
    """,
    # Strong verbs and old plurals; not those with a form that is a word of its own (found, left, saw, wound, ground, bore).
    "en": """
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
    """,
}

# PostgreSQL's stop words hold the English ones and, of the Spanish ones, those without an accent and qué.
_QUESTION_WORDS = re.compile(
    r"\b(?:(?:a|de)?dónde|cuál(?:es)?|cuándo|cuánt[oa]s?|cómo|quién(?:es)?"
    r"|wann|warum|wer|weshalb|wieso|wieviele?|woher|wohin)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W_]")

_NUMBER = re.compile(r"\d[\d.,]*")
_LAST_VOWEL = re.compile(r"(.*?)(ie|ue|[eo])([^aeiou]+)")
_OTHER_VOWELS = {"e": ("ie", "i"), "o": ("ue", "u"), "ie": ("e",), "ue": ("o",)}
_UMLAUTS = re.compile(r"(?<![aeq])(ae|oe|ue)")
_PLAIN = re.compile("[aou]")


def lexeme_variants(lexeme: str, language: Language) -> dict[str, float]:
    """Further lexemes of the same word and what a match of each is worth beside the lexeme's own 1, in (0, 1).

    The lexeme itself is not among them; a word without irregular forms gives {}.
    """
    found: dict[str, float] = {}
    for variant, weight in _candidates(lexeme, language):
        if variant != lexeme:
            found[variant] = max(weight, found.get(variant, 0.0))
    return found


def without_question_words(query: str) -> str:
    """The query without the words that only ask ("cuándo", "wer"), which texts use for other things; all of it if no word is left."""
    rest = _QUESTION_WORDS.sub(" ", query)
    return rest if _LETTER.search(rest) else query


def compound_relatives(lexeme: str, longer: Iterable[str]) -> dict[str, float]:
    """German words of which one is the beginning of the other: of the ``longer`` ones those that add a word, and beginnings.

    What follows the shorter one, without a linking s, n, en, es, er or e, has at least four letters: less is an ending
    ("Urlauber"). Beginnings are not known to be words; those that no note has are not found and cost a look-up.
    """
    longest = len(lexeme) - _LEAST_REST_LETTERS
    beginnings = [lexeme[:end] for end in range(LEAST_COMPOUND_LETTERS, longest + 1)]
    return dict.fromkeys([word for word in longer if _adds_a_word(lexeme, word)] + beginnings, _COMPOUND)


def _adds_a_word(beginning: str, word: str) -> bool:
    rest = word.removeprefix(beginning)
    link = next(link for link in _LINKS if rest.startswith(link))
    return word.startswith(beginning) and len(rest) - len(link) >= _LEAST_REST_LETTERS


def _candidates(lexeme: str, language: Language) -> Iterator[tuple[str, float]]:
    yield from ((other, _HYPHENED_NUMBER) for other in _hyphened(lexeme))
    yield from ((other, _IRREGULAR) for other in _families(language).get(lexeme, ()))
    if language == "es":
        yield from ((other, _VOWEL_CHANGE) for other in _vowel_changes(lexeme))
        yield from ((other, _PLURAL_OF_Z) for other in _plurals_of_z(lexeme))
    if language == "de":
        yield from ((other, _UMLAUT) for other in _umlauts(lexeme))


@cache
def _families(language: Language) -> dict[str, frozenset[str]]:
    families: dict[str, frozenset[str]] = {}
    for line in _STEMS.get(language, "").split("|"):
        stems = frozenset(line.split())
        families |= {stem: stems | families.get(stem, frozenset()) for stem in stems}
    return families


def _hyphened(lexeme: str) -> Iterator[str]:
    """PostgreSQL reads the 19 of "COVID-19" and the 2020 of "2019-2020" as negative numbers."""
    if _NUMBER.fullmatch(lexeme):
        yield f"-{lexeme}"
    elif _NUMBER.fullmatch(lexeme[1:]) and lexeme[0] == "-":
        yield lexeme[1:]


def _vowel_changes(lexeme: str) -> Iterator[str]:
    if parts := _LAST_VOWEL.fullmatch(lexeme):
        before, vowel, after = parts.groups()
        yield from (before + other + after for other in _OTHER_VOWELS[vowel])


def _plurals_of_z(lexeme: str) -> Iterator[str]:
    if lexeme.endswith(("z", "c")):
        yield lexeme[:-1] + ("c" if lexeme.endswith("z") else "z")


def _umlauts(lexeme: str) -> Iterator[str]:
    """The stemmer drops the dots of an umlaut, and before PostgreSQL 18 it leaves its spelling with an e ("Maedchen")."""
    if _UMLAUTS.search(lexeme):
        yield _UMLAUTS.sub(lambda spelled: spelled[0][0], lexeme)
    for vowel in _PLAIN.finditer(lexeme):
        yield f"{lexeme[: vowel.end()]}e{lexeme[vowel.end() :]}"
