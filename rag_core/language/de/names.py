"""German: words around and in names."""

from rag_core.language.names import NameWords
from rag_core.language.words import word_set

NAMES = NameWords(
    given=word_set(
        """
        achim adrian agnes albert alexander alexandra alfred alina alma amelie andrea andreas angela angelika anja anke ann anna
        annalena anne annegret annelie annette annika anton antonia arne arno astrid axel barbara bastian beate ben benedikt
        benjamin bernd bernhard bert bettina birgit birte bjorn bodo boris brigitte britta bruno burkhard carina carla carolin
        carsten caspar charlotte christa christian christiane christina christine christoph clara clemens conrad cornelia dagmar
        daniel daniela david dennis detlef dieter dietmar dirk dominik doris dorothea eberhard eckhard edith egon elena eleonore
        elfriede elias elisabeth elke ella ellen emil emilia emma emre enno eric erich erik erika ernst erwin esther eva evelyn
        fabian felix ferdinand finn florian frank franz franziska frauke fred frederik frieda friederike friedrich frieder fritz
        gabriele georg gerd gerda gerhard gerlinde gernot gert gesa gesine gisela gottfried gregor greta gudrun gunnar gunter
        gunther gustav hanna hannah hannelore hannes hans harald hartmut heide heidi heike heiko heiner heinrich heinz helena helene
        helga helge helmut hendrik henning henriette henrik henry herbert hermann hilde hildegard holger horst hubert hugo ida ilona
        ilse ines inga inge ingeborg ingo ingrid irene iris irma isabel isabell isabella jakob jan jana janine jannik jannis jens
        jessica joachim johann johanna johannes jonas jorg josef judith julia julian juliane jurgen jutta kai karin karl karla
        karolin karsten kaspar katharina kathrin katja katrin kerstin kilian kirsten klara klaus konrad konstantin konstanze kristin
        kristina kurt lara lars laura lea lena leo leon leonard leonie levin lena lina linda linus lisa lorenz lotte louisa louis
        luca luisa ludwig luis lukas lutz lydia magdalena maike maja malte mandy manfred manuel manuela mara marc marcel marco
        marcus mareike maren margarete margit margot maria marie marina mario marion marius mark marko markus marlene marta martha
        martin martina mathilde matthias matthis max maximilian mechthild mehmet meike melanie mia michael michaela mila mira miriam
        mirko mona monika moritz nadine nadja natalie nele nico nicola nicole niklas nils nina noah nora norbert olaf ole oliver
        oskar otto pascal patrick paul paula peter petra philipp pia rainer ralf ralph ramona raphael rebecca regina reiner reinhard
        reinhold renate renke richard rita robert robin roland rolf roman ronja rosa rosemarie rudiger rudolf rupert ruth sabine
        sabrina samuel sandra sarah saskia sascha sebastian sibylle siegfried sigrid silke silvia simon simone sina sofia sonja
        sophia sophie stefan stefanie steffen stella stephan stephanie susanne sven svenja swantje sybille sylvia tamara tanja tanja
        theo theodor theresa thomas thorsten tilman tim timo tina tobias tom toni torben torsten traute udo ulf ulla ulrich ulrike
        ursula ute uta uwe valentin vanessa vera verena veronika viktor viktoria vincent volker walburga waltraud walter waltraut
        wanja werner wiebke wilfried wilhelm willi wolf wolfgang wolfram yannick yvonne ayse fatma mustafa ali hasan leyla elif
        yusuf murat cem deniz aylin bea mimi steffi susi uschi gabi moni tobi basti flo matze hanno fiete jette lotta mathilda frida
        thea smilla leni mats jonte bela levi milan luan tomasz agnieszka piotr giulia luigi
        """
    ),
    places=word_set(
        """
        deutschland berlin hamburg munchen muenchen koln koeln frankfurt stuttgart dusseldorf duesseldorf leipzig dortmund bremen
        dresden hannover nurnberg nuernberg duisburg bochum wuppertal bielefeld bonn munster muenster karlsruhe mannheim augsburg
        wiesbaden monchengladbach gelsenkirchen braunschweig aachen kiel chemnitz magdeburg freiburg krefeld mainz lubeck luebeck
        erfurt oberhausen rostock kassel hagen potsdam saarbrucken hamm ludwigshafen oldenburg osnabruck leverkusen heidelberg
        solingen darmstadt herne neuss regensburg paderborn ingolstadt wurzburg wuerzburg ulm heilbronn pforzheim wolfsburg
        gottingen goettingen bottrop reutlingen erlangen bremerhaven koblenz remscheid bamberg bayreuth passau landshut rosenheim
        kempten konstanz lindau landau tubingen tuebingen weimar jena gera zwickau cottbus schwerin greifswald stralsund flensburg
        hanau giessen marburg fulda siegen trier worms speyer offenbach hildesheim luneburg goslar gorlitz bautzen plauen ansbach
        schweinfurt coburg bayern sachsen thuringen hessen niedersachsen brandenburg saarland schleswig-holstein baden-wurttemberg
        nordrhein-westfalen rheinland-pfalz mecklenburg-vorpommern sachsen-anhalt franken schwaben allgau schwarzwald harz eifel
        rugen sylt usedom bodensee ostsee nordsee chiemsee osterreich oesterreich wien salzburg graz linz innsbruck tirol karnten
        steiermark schweiz zurich zuerich basel bern genf luzern winterthur frankreich paris lyon strassburg marseille italien rom
        mailand venedig florenz neapel sudtirol bozen meran spanien madrid barcelona valencia sevilla mallorca portugal lissabon
        belgien brussel bruessel antwerpen niederlande amsterdam rotterdam luxemburg danemark kopenhagen schweden stockholm norwegen
        oslo finnland helsinki polen warschau krakau danzig breslau tschechien prag brunn ungarn budapest slowenien kroatien
        griechenland athen turkei istanbul ankara grossbritannien england schottland london manchester edinburgh irland dublin
        russland moskau ukraine kiew kyjiw israel agypten kairo marokko china peking schanghai japan tokio indien usa amerika
        new~york kalifornien chicago boston kanada toronto mexiko brasilien argentinien australien sydney europa asien afrika alpen
        rhein donau elbe spree erlenbach aschaffenburg miltenberg bensheim weinheim rastatt offenburg lorrach singen friedrichshafen
        ravensburg biberach memmingen kaufbeuren garmisch berchtesgaden straubing deggendorf amberg weiden hof kulmbach kronach
        forchheim furth schwabach neumarkt gotha eisenach suhl altenburg dessau wittenberg halberstadt wernigerode quedlinburg
        stendal neubrandenburg wismar gustrow lubben eberswalde neuruppin husum heide itzehoe neumunster cuxhaven emden aurich leer
        papenburg lingen nordhorn meppen vechta cloppenburg delmenhorst verden nienburg hameln detmold gutersloh lippstadt soest
        iserlohn ludenscheid arnsberg limburg wetzlar friedberg gelnhausen
        """
    ),
    titles=word_set(
        "herr herrn frau dr prof dipl.-ing professor professorin doktor hr fr kollege kollegin kollegen pfarrer"
    ),
    particles=word_set("von van der den de dem zu zur zum vom v d"),
    kin=r"Chefin|Chef|Oma|Opa|Mutter|Vater|Mama|Papa|Schwester|Bruder|Bruders|Tochter|Sohn|Tante|Onkel|Cousine|Cousin"
    r"|Großmutter|Großvater|Frau|Mann"
    r"|Freundin|Freund|Nachbarin|Nachbar|Vermieterin|Vermieter|Kollegin|Kollege|Kollegen|Nichte|Neffe|Neffen"
    r"|Enkelin|Enkel|Schwiegermutter|Schwiegervater"
    r"|Schwägerin|Schwager|Partnerin|Partner|Ärztin|Arzt|Zahnärztin|Zahnarzt|Steuerberaterin|Steuerberater|Anwältin"
    r"|Anwalt|Lehrerin|Lehrer"
    r"|Trainerin|Trainer|Mitbewohnerin|Mitbewohner|Patentante|Patenonkel|Therapeutin|Therapeut|Hausärztin|Hausarzt",
    possessive=r"[Mm]ein(?:e|er|em|en|es)?",
    is_kin=r",\s+|\s+(?:ist|war|wird|bleibt)\s+|\s+\(",
    organisations=word_set(
        """
        universitat hochschule fachhochschule landkreis stadt gemeinde hotel gasthof gasthaus wirtshaus restaurant cafe autohaus
        druckhaus druckerei verlag bank stiftung verein institut klinik klinikum krankenhaus amt amtsgericht landgericht ministerium
        bundesministerium bundesamt landesamt landratsamt ig tu th fh backerei metzgerei buchhandlung apotheke praxis kanzlei
        fraunhofer-institut max-planck-institut stadtwerke autohof pension brauerei gruppe spedition tischlerei schreinerei elektro
        werkstatt messe museum theater bibliothek volkshochschule handwerkskammer finanzamt jugendamt rathaus gymnasium grundschule
        bezirksamt weingut bistro trattoria bundesagentur polizei
        """
    ),
    last_words=word_set(
        "gruppe werke bank messe verlag stiftung institut holding versicherung bau logistik technik druck reisen"
    ),
    compound_ends=r"(?:werke?|bank|kasse|verlag|verein|verband|institut|amt|klinik|klinikum|schule|gruppe|anstalt|kammer|gericht"
    r"|stiftung|museum|zentrum|betriebe?|genossenschaft|versicherung|brauerei|backerei|buro|haus|kanzlei|apotheke"
    r"|agentur|ministerium|behorde|druckerei|bau|hof|laden)\Z",
    projects=word_set("projekt projekts projekte projektes teilprojekt"),
    products=word_set("version software programm app tool drucker notebook kamera server"),
    venues=word_set("firma kunde lieferant unternehmen gaststatte kneipe bar restaurant cafe hotel"),
    people=word_set(
        """
        person personen
        verantwortlich ansprechpartner ansprechpartnerin vertretung teilnehmer teilnehmende teilnehmerinnen anwesend abwesend
        entschuldigt referentin referent bewerberin bewerber von an cc autor autorin protokoll protokollfuhrung moderation leitung
        unterschrift kontakt gast gaste patient betreuerin betreuer benachrichtigt dabei
        """
    ),
    companies=word_set(
        "kunde lieferant auftraggeber auftragnehmer aussteller absender empfanger firma vermieter kaufer verkaufer hersteller"
    ),
    undertakings=word_set("projekt projekte"),
    compared=r"(?:mehr|weniger|\w{3,}er)(?: \w+){0,2} als",
    laws=(
        r"Verordnung \((?:EU|EG)\) (?:Nr\. )?\d+/\d+",
        r"Richtlinie (?:\((?:EU|EG)\) )?\d+/\d+(?:/(?:EU|EG))?",
        (
            r"(?!(?:Gesetz|Verordnung|Richtlinie)\b)[A-ZÄÖÜ][\wäöüß-]*(?:gesetz|verordnung|Verordnung|-Gesetz|gesetzbuch"
            r"|Grundverordnung|Richtlinie)(?:e?s)?(?!\w)"
        ),
        r"Bürgerliche[sn]? Gesetzbuch(?:s|es)?|Grundgesetz(?:es)?|Gesetz (?:über|zur|zum|gegen) (?:(?:die|den|das|der) )?[A-ZÄÖÜ]\w+",
    ),
    reading=r"(?:Buch|Bücher|Roman|lese|lesen|gelesen|las|beendet|angefangen|Bericht|Leitfaden|Handbuch|Dokument|Vorlage|Artikel|Kapitel|Film|Gedicht|Unterlagen|Heft|Titel|Anhang|Merkblatt|Broschüre|Katalog|Autorin|Autor|Seminar|Ratgeber|Protokoll)(?!\w)",
    saints=word_set("sankt st"),
    documents=r"(?:Rechnung|Angebot|Bestellung|Auftrag|Lieferschein|Vertrag|Mahnung|Ticket|Gutschrift|Aktenzeichen)(?: (?:Nr\."
    r"|Nummer|No\.))? [A-Z]*-?\d[\w/-]*",
    streets=(
        (
            r"(?:[A-ZÄÖÜ]\w+[ -]){0,2}(?:[A-ZÄÖÜ]\w+(?:straße|strasse|str\.|gasse|platz|ufer|damm|allee|ring|weg|hof"
            r"|markt)|(?:Straße|Allee|Platz|Weg|Ufer|Ring|Markt|Gasse)) \d+[a-z]?(?!\d)"
        ),
        r"(?:An der|Am|Im|Zum|Zur|Auf der|Auf dem|Unter den) [A-ZÄÖÜ]\w+ \d+[a-z]?(?![\w.:]|\s?(?:€|%|Uhr))",
    ),
    quarters=(
        r"(?P<number>[1-4])\. Quartal {year}",
        r"(?P<word>erste[ns]?|zweite[ns]?|dritte[ns]?|vierte[ns]?) Quartal(?:s)? {year}",
    ),
    dates=(r"(?P<day>\d{1,2})\. ?{month}(?: {year})?", r"{month} {year}"),
    millions={
        "tausend": 1_000,
        "million": 1_000_000,
        "millionen": 1_000_000,
        "mio.": 1_000_000,
        "mio": 1_000_000,
        "milliarden": 1_000_000_000,
    },
    small_numbers={
        "eine": 1,
        "einen": 1,
        "zwei": 2,
        "drei": 3,
        "vier": 4,
        "funf": 5,
        "sechs": 6,
        "sieben": 7,
        "acht": 8,
        "neun": 9,
        "zehn": 10,
        "elf": 11,
        "zwolf": 12,
        "zwanzig": 20,
        "dreissig": 30,
        "funfzig": 50,
        "hundert": 100,
    },
    towards=word_set("in nach aus bei ab uber"),
    links=word_set("fur der des die das und"),
    papers=r"(?:plan|fahrplan|kick-?off|retrospektive|retro|sprint|meilenstein|start|budget|pflichtenheft|lastenheft"
    r"|stand|starten|startet|beenden) (?:fur |von |zu |zum )?",
    at=word_set("von vom bei beim"),
    ordinary=word_set("hallo danke gruss grusse betreff datum summe heute gestern morgen liebe lieber sehr guten"),
)
