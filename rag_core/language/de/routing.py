"""German: phrases that route a question."""

from rag_core.language.routing import RoutingWording, any_of

_ROLES = any_of(
    r"""
    mutter mama vater papa schwester bruder sohn tochter kind(?:er)? ehefrau ehemann gatt(?:e|in) mann frau partner(?:in)?
    freund(?:in)? verlobte[rn]? tante onkel cousine? vetter nichte neffen? oma opa grossmutter grossvater enkel(?:in)? schwager
    schwagerin schwiegermutter schwiegervater schwiegersohn schwiegertochter pate patin patenkind nachbar(?:n|in)? chef(?:in|s)?
    vorgesetzte[rns]? \w*leiter(?:in|s)? stellvertreter(?:in|s)? assistent(?:in|en)? geschaftsfuhrer(?:in|s)? inhaber(?:in|s)?
    eigentumer(?:in|s)? besitzer(?:in|s)? vermieter(?:in|s)? mieter(?:in|s)? kolleg(?:e|en|in) mentor(?:in|s)? trainer(?:in|s)?
    lehrer(?:in|s)? arzt arztin anwalt anwaltin steuerberater(?:in|s)? berater(?:in|s)? lieferant(?:en|in)? kunde kunden
    ansprechpartner(?:in|s)? nachfolger(?:in|s)? vorganger(?:in|s)? arbeitgeber(?:in|s)? mitarbeiter(?:in|s)? grunder(?:in|s)?
    vorsitzende[rn]? sekretar(?:in)? betreuer(?:in|s)? beauftragte[rn]? \w+beauftragte[rn]?
    """
)
_MORE = (
    any_of(
        r"""
    besser schlechter grosser kleiner hoher niedriger langer kurzer schneller langsamer gunstiger billiger teurer alter junger
    starker schwacher lieber ofter haufiger seltener schwerer leichter warmer kalter neuer fruher spater naher mehr weniger
    erfahrener sicherer einfacher strenger genauer ruhiger sparsamer eher
    """
    )
    + r"(?:e[nrsm]?)?"
)
_ARTICLE = r"(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|vom|zum|zur|beim|im|unser\w*|mein\w*)"

ROUTING = RoutingWording(
    comparative=(
        r"\w*vergleich\w*|vergleiche\w*|verglichen|\w*unterschied\w*|unterscheide\w*|gegenuber\w+|im gegensatz",
        r"gegenuber|gemeinsamkeit\w*|gemeinsam|abweich\w*|(?:weicht|weichen) .*ab",
        r"^\W*(?:welche\w*|wer|was) (?:\w+ ){1,5}" + _MORE + r"\W*$|versus|vs|ahneln|ahnlich\w*",
        r"\w{3,}er(?:e[nrsm]?)? (?:\w+ ){0,4}als|" + _MORE + r" (?:\w+ ){0,6}(?:als|oder)",
        _MORE + r"(?: \w+)*[,:] (?:\w+ ){1,6}oder|(?:gleich|genauso|ebenso|so) \w+ wie (?!moglich)|dieselbe\w*",
        r"denselben|identisch\w*|ubereinstimm\w*|stimm(?:t|en) .*uberein|was spricht .*(?:fur|gegen)",
        r"vor ?- ?und nachteile|vorteile .*(?:gegenuber|nachteile)|nachteile",
        r"welche[rsmn]? (?:\w+ )?(?:der|von den|dieser|unserer|meiner) (?:beiden|zwei|drei|vier|funf|\d+)",
        r"wer von (?:den )?(?:beiden|uns|ihnen)",
        r"am (?!best(?:en)? (?:vor|mach))\w+sten(?= .*(?:oder|von den|der (?:beiden|drei|vier)))",
    ),
    when=(
        r"(?:seit|bis|ab|von|fur)? ?wann",
        r"welche[mnrs]? (?:jahr|monat|tag|woche|wochentag|datum|uhrzeit|zeitraum|quartal|jahreszeit|jahrzehnt|jahren|tagen)",
        r"wie lange|wie spat|um wie ?viel uhr|wie viel zeit",
        r"wie ?viele? (?:jahre|monate|tage|wochen|stunden) (?:ist|sind|dauert\w*|war|waren|lieg\w+|bleib\w+|noch|bis|vor|seit)",
        r"wie lang (?:dauert|ist es)",
    ),
    procedural=(
        (
            r"wie (?!(?:war|waren|hatte|hatten|heiss\w*|hiess\w*|oft|lange?|viele?|hoch|gross|alt|teuer|weit|schwer|spat"
            r"|haben|habe|hat|sind|ist|stehe\w*|fand\w*) )(?:\w+ )(?:ich"
            r"|man|wir|du)"
        ),
        r"wie (?:man|ich|wir)|wie (?:geht|ging) (?:das|man|ich|es (?:mit|um))",
        r"wie (?:wird|werden) (?!das wetter|es)\w+",
        r"wie (?:funktioniert|funktionieren|erfolgt|erfolgen|lauft .*ab|lasst sich|lassen sich)|\w*anleitung(?:en)?",
        r"was (?:brauch\w*|benotig\w*) (?:ich|man|wir) (?:alles )?(?:fur|um|zu\w*)|^\W*so \w+ (?:ich|man|wir)",
        r"schritte?n?|schritt fur schritt|vorgehen\w*|\w*ablauf|prozess|verfahren|vorgang|rezept|checkliste",
        r"was (?:muss|soll|sollte|kann) (?:ich|man|wir) (?:alles )?(?:tun|machen|beachten|vorlegen|.* (?:tun|machen|beachten|um))",
        r"was (?:mache|tue|machen|tun) (?:ich|wir)?|auf welche[mrn] (?:weg|weise|art)",
        r"(?:beste|richtige|einfachste|schnellste|korrekte)[nr]? (?:weg|methode|weise|art)",
        r"was ist (?:zu|beim|bei) .*(?:tun|beachten)",
    ),
    aggregative=(
        r"wie ?viele|wie oft|wie haufig|\w*anzahl|gesamtzahl|insgesamt|summe|summier\w*|zusammengerechnet|addier\w*",
        r"\w*durchschnitt\w*|im schnitt|im mittel|alle[rsnm]?(?! (?:zwei|drei|vier|\d+))|alles|samtliche[nrsm]?",
        r"jede[nrsm]?(?! (?:jahr|monat|woche|tag|quartal|nacht|mal|fall))|(?:auf)?list(?:e|en|et|ung)|auflist\w*",
        r"zahl(?:e)? (?:mal|mir|alle|bitte|die)|(?:zahle?|nenne?|liste) .*auf|aufzahl\w*|nenne?(?: mir)? (?:alle|die)",
        r"samm(?:le|eln|elt|el)|\w*uberblick|\w*ubersicht|\w*zusammenfass\w*|fass\w* .*zusammen|stell\w* .*zusammen",
        r"zusammenstell\w*|zusammen ?trag\w*|trag\w* .*zusammen|bundel\w*|quer durch|uber alle",
        (
            r"welche (?:\w+ ){1,3}?(?:gibt es|gab es|haben|hatten|sind|waren|stehen|standen|laufen|fehlen|wurden|kommen|enthalten"
            r"|erwahnen|tauchen|behandeln|betreffen|existieren|beschaftigen|bestehen)"
        ),
        r"welche \w+(?:s|en|er) habe[n]? (?:ich|wir)",
    ),
    limits=(
        r"mindestens|maximal\w*|hochstens|wenigstens",
        (
            r"wie ?viele (?:\w+ ){1,3}(?:muss|mussen|darf|durfen|brauch\w+|benotig\w+|stehen .* zu|hat (?:ein|eine|der|die|das)"
            r"|haben (?:die|das))"
        ),
    ),
    who=(r"wer|wem|wen|wessen",),
    relational=(
        r"zustandig\w*|verantwort\w*|beteiligt\w*|\w*beziehung(?:en)?|verbindung(?:en)?|verbunden|verbindet",
        r"verknupf\w*|zusammenhang\w*|(?:hang|hangt|hangen|hing\w*) .*zusammen|verhaltnis|zu tun|gehor(?:t|te|en|ten)",
        r"zugehorig\w*|unterstellt|untersteh\w*|bericht(?:et|en|ete) (?:\w+ )?an|verheiratet|verwandt|verschwagert",
        r"befreundet|verlobt|geschwister|liiert|zusammenarbeit\w*|arbeite(?:t|n|te|ten) .*zusammen",
        r"arbeite(?:t|n|te|ten) (?:\w+ ){0,3}(?:fur|mit|bei|an|im)",
        r"(?:fur|bei|mit|in|zu) welche[rmn]? (?:\w*firma|\w*unternehmen|team|\w*abteilung|\w*gruppe|verein|band|bereich|konzern)",
        r"angestellt|beschaftigt|leite(?:t|te|n|ten)|(?:be)?treu(?:t|te|en)|betreut\w*|vertritt|beliefert",
        r"besitz(?:t|en)|mitglied\w*|teil (?:von|des|der)|tochter(?:firma|gesellschaft|unternehmen)|kenn(?:t|en) sich",
        r"steht .*nahe|^\W*kenn(?:t|en)|welche (?:rolle|funktion|position|stelle) (?:hat|spielt|besetzt)",
        (
            r"(?:^\W*(?:(?:der|die|das|name de[rs]) )?"
            r"|wie (?:heisst|heissen|hiess|hiessen) (?:\w+ )?)"
            + _ROLES
            + r"(?: (?:von|vom|der|des|bei|fur|in)| \w+\W*$)"
        ),
        r"(?:ist|sind|war|waren) (?:\w+ ){1,3}?(?:die|der|das|ein|eine)? ?" + _ROLES + r" (?:von|vom|der|des)",
    ),
    times=(
        r"\w*datum|\w*daten? (?:fur|des) termins?|\w*termine?s?|\w*frist(?:en)?|\w+stag|gilt .*noch",
        r"(?:war|fand|kam) .*(?:vor|nach) (?:dem|der|den)|jubilaum|zuletzt|letzte[ns]? mal|erste[ns]? mal",
        r"(?:lauft|laufen|lief) .*(?:ab|aus)|ablaufdatum|gultig\w*|zeitpunkt|zeitplan|zeitraum|dauer|fallig\w*|beginn",
        r"ende (?:des|der)|\w*entwicklung|entwickelt\w*|chronolog\w*|\w*verlauf|verandert\w*|geandert|im laufe?",
        r"uber die (?:jahre|zeit)|mit der zeit|seit (?:19|20)\d\d|von (?:19|20)\d\d bis|zwischen (?:19|20)\d\d|trend",
        r"vorher oder nachher|gewachsen|historie|geschichte de[rs]",
        r"nachste[nrs]? (?:\w+ )?(?:mal|termin|treffen|prufung|wartung)",
    ),
    table=(
        r"\w*tabellen?|spalten?|zeilen?|zelle|excel\w*|csv|kennzahl\w*|\w*preislisten?|\w*statistik(?:en)?",
        r"bilanz(?:en)?|quartal\w*|tarif\w*",
    ),
    figures=(
        r"\w*umsatz\w*|\w*umsatze[ns]?|\w*budgets?|\w*betrag\w*|\w*betrage[n]?|\w*kosten|koste(?:t|te|n|ten)|gekostet",
        r"\w*preise?[ns]?|preis\w*|\w*gehalt\w*|\w*gehalter\w*|lohn\w*|\w*gebuhr(?:en)?|\w*miete|kaution",
        r"\w*rechnungssumme|honorar\w*|stundensatz\w*|\w*satz|rabatt\w*|\w*ausgaben|\w*einnahmen|gewinn\w*|kontostand",
        r"guthaben|(?:be)?zahl(?:t|en|te|ten)|bezahlt\w*",
        (
            r"wie ?viel (?:\w+ ){0,6}(?:geben|gibt|gab|gaben|ausgegeben|verdien\w*|spar\w*|schuld\w*|verbrauch\w*|zahl\w*|euro"
            r"|geld|bekomm\w*|einge\w+)"
        ),
        r"prozent\w*|euro|kwh|\w*verbrauch|pro (?:monat|jahr|quartal|stuck|person|stunde|nacht|woche|kopf)|teurer",
        r"billiger|gunstiger|teuerste\w*|billigste\w*|gunstigste\w*|am (?:teuersten|billigsten|gunstigsten)",
        r"\w*angebote? (?:der|von|fur)|wie (?:hoch|teuer)|rechnung \d+|zahlen (?:fur|von|zu)|nebenkosten|zinssatz\w*",
    ),
    counted=r"wie ?viele (?!euro)\w+",
    clauses=(
        (
            _ARTICLE
            + r" (?:\w+ ){0,2}[\w-]+, (?:(?:in|mit|bei|von|fur|an|auf|zu|uber|durch) )?(?:der|die|das|den|dem|deren"
            + r"|dessen|denen|welche\w*|wo)"
        ),
        r"deren|dessen",
    ),
    free_clauses=r"(?:der|die|das|den|dem|derjenige\w*|diejenige\w*|denjenigen), (?:der|die|das|den|dem|denen)",
    naming=(
        r"wie (?:heiss\w*|hiess\w*|nennt sich)|(?:namen?|titel) (?:de[rs]|vom)|wer (?:ist|war|sind) (?:der|die|das)",
        r"was (?:ist|war) (?:der|die|das)|welche[rsnm]? [\w-]+(?: \w+)? (?:war|ist) (?:es|das)|was hat .* gesagt",
    ),
    chains=(
        _ROLES + r" (?:von|vom|der|des|meiner|meines|unserer|unseres) (?:\w+s )?(?:\w+ ){0,1}?" + _ROLES,
        (
            r"(?!das|es|eines|was|alles|des)\w{3,}s (?!bis|von|in|an|auf|aus)"
            + _ROLES
            + r"s? (?:von|vom|der|des|hat|arbeitet"
            + r"|wohnt|lebt|fahrt)"
        ),
        (
            r"(?:nummer|adresse|telefonnummer|handynummer|mail|geburtstag|firma|alter|beruf|auto|strasse|arbeitgeber) (?:von|vom"
            r"|der|des) (?:\w+ )?(?:\w+s )?" + _ROLES + r"(?: (?:von|der|des) \w+)"
        ),
        r"(?<=\w\w )und,? (?:wer|was (?:ist|war|macht|hat|kostet)|wann|wo|warum|wieso|wie (?:lange|viel|oft|heisst))",
        r"(?<=\w\w, )und (?:wer|wann|wo)|nachdem|sowohl .* als auch",
    ),
    superlatives=(
        r"(?:unser\w*|mein\w*|von|vom|des|der|für|mit|bei|beim|zum|zur) (?:(?:der|die|das|dem|den|unser\w*|mein\w*) )?(?!erst"
        r"|letzt|nächst|best|meist|\w*zigst)[a-zäöüß]{3,}ste[nrsm] [A-ZÄÖÜ]\w+"
    ),
    vague="""
        macht machen machte gemacht geht ging gehen tun tut tat funktioniert funktionieren lauft bedeutet heisst
        gemeint meint sagt gesagt ding sache sachen dings genau jetzt nochmal noch mal nun dann da damals eigentlich
        denn so bitte weisst sag wieder anders gleich nur hier dort schon doch alles etwas stimmt passiert passierte
        los
    """,
    between="zwischen",
    links="und",
    alternatives="oder",
    before_names=(
        r"hat|hatte|haben|ist|war|sind|waren|wird|wurde|kann|kennen|kennt|sich|und|oder|bei|von|nach|mit|für|als|zu|an|über|zwischen|durch|gegen|hatten|arbeitet|wohnt|sagte|macht|gibt|oder|wo|wie|was|dass|ob|vor"
    ),
    noun_endings=(
        r"ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten|nis|nisse|zeit|zeiten|tag|tage|tagen|ern|ment|mente|ismus|geld|arbeit|schutz|leistung|plan|recht|raum|ende|urlaub|strom|wasser|kinder|kindern|eltern|freunde|freunden|jahr|jahren|jahre|hause|haus|uhr|euro|prozent|termin|termine|termine|kosten|fragen|daten|unterlagen|rechnungen"
    ),
)
