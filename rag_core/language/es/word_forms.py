"""Spanish: forms of words that the stemmer does not join."""

from rag_core.language.word_forms import WordForms
from rag_core.language.words import families

WORD_FORMS = WordForms(
    # Verbs whose stem changes: e to ie or i, o to ue or u, strong preterites, participles, first persons in -go and -zco.
    irregular_stems=families(
        """
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
        """
    ),
    # PostgreSQL's stop words hold, of the Spanish ones, those without an accent and qué.
    question_words=r"(?:(?:a|de)?dónde|cuál(?:es)?|cuándo|cuánt[oa]s?|cómo|quién(?:es)?)",
    short_plural="s",
    has_vowel_changes=True,
)
