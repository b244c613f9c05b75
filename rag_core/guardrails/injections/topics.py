"""Topics of a sentence by the beginnings of its words, which decide the rules that are tried. Most sentences have none."""

import re
from collections.abc import Mapping
from functools import lru_cache

TOPICS: Mapping[str, re.Pattern[str]] = {
    "override": re.compile(
        "ignor|disreg|forget|overlo|neglec|overr|bypass|discard|dismiss|aside|attention|follow|obey|heed|comply|throw|eras|wip|drop|"
        "abandon|break|void|cancel|olvid|omit|desob|descart|desat|caso|sigas?$|obed|cumpl|respet|acat|tengas?$|seguir|pas[ae]$|salta|anul|"
        "prescind|sobresc|borr|elimin|rompe|verg[ei]ss|verges|mis+acht|umgeh|uberschr|verw[ei]rf|setz|hor[et]?$|halt|befolg|lass|ubergeh|oubl|"
        "tiens|tenez|prend|prenez|neglig|contourn|abstr|suis$|suivez|respect|desobei"
    ),
    "orders": re.compile(
        r"instru|direct|direkt|prompt|rule|regl|regel|guide|comman|kommand|orde|constr|contr|restri|program|train|entren|safe|guard|poli|limit|"
        r"context|kontext|messag|mensaj|nachr|convers|brief|indic|norm|paut|consign|\w{0,24}anweis|anleit|befehl|vorgab|richtl|vorschr|"
        r"\w{0,8}schrank|auftr|konfig|config|system"
    ),
    "task": re.compile(
        r"instru|order|direct|task|objec|prompt|role?$|goal|job|purpos|missi|identi|name|overri|supers|preced|replac|orden|tarea|papel|objet|"
        r"funci|\w{0,24}anweis|befehl|vorgab|aufgab|rolle|consign|tache"
    ),
    "obey": re.compile(
        "say|tell|ask|want|command|obey|listen|follow|dig|pid|orden|mand|obed|sigue|sag|will|befehl|verlang|mochte|gehorch|befolg|dis|demand|"
        "veux|ordon|obei"
    ),
    "model": re.compile(
        r"ais?$|assist|\w{0,6}bots?$|langu|llm|\w{0,6}gpt|model|person|versio|machin|agent|ia$|asist|intel|ki|sprachm|kunstl|claud|gemin|copil|modell"
    ),
    "limits": re.compile(
        r"restr|const|limit|filt|guid|rule|ethic|moral|bound|guard|safe|censor|inhib|scrup|direc|regla|norma|etic|censur|escr|\w{0,6}schrank|grenz|"
        r"richtl|regel|ethi|zens|skrup|contr|regl|content|moder|align|salvag|medid|polit|barr|schutz|sicherh|inhalt|garde|mesur"
    ),
    "ethics": re.compile("ethi|moral|safe|content|etic|segur"),
    "mode": re.compile(r"mode$|modo$|\w{0,12}modus|anyth|dan$|jailb"),
    "now": re.compile("now$|ahora$|jetzt$|nun$|sofort$|maintenant$|desormais$"),
    "above": re.compile("abov|befor|prior|prece|arrib|antes|anteri|previ|oben|obig|bisher|davor|vorher|darub|dessus"),
    "private": re.compile(
        "passw|kennw|creden|secret|api|token|privat|person|bank|credit|card|social|ssn|pins?$|login|accoun|chat|conver|note|data|mail|"
        "file|mess|cont|docum|confi|sensit|contra|clave|datos|tarj|cuent|numer|nota|histor|infor|corr|archi|zugang|anmeld|geheim|schlu|konto|"
        "kredit|vertrau|datei|nachr|kontak|gespr|daten|mots?$|ident|donn|coord|cles?$"
    ),
    "decode": re.compile("decod|decry|deciph|unscr|descif|desen|desco|dekod|entsch|dechi"),
    "shell": re.compile("shell|termin|bash|system|arbit|remot|malic"),
    "danger": re.compile("rm$|etc$|curl|wget|env$|drop$"),
    "rights": re.compile("admin|root$|devel|unrestr|superu"),
    "repeat": re.compile("repe|reci|echo|repi|wiederh"),
    "others": re.compile(r"user|tenant|custom|accou|usuari|inquil|client|cuenta|\w{0,6}nutzer|mandant|kund|utilis"),
    "role": re.compile("syst|sist|devel"),
    "covert": re.compile(
        "user|reader|anyon|anybo|this|that|these|them|it$|secret|covert|esto|nada|usuar|nadie|lector|estas|\\w{0,6}nutzer|anwend|leser|heiml"
    ),
    "output": re.compile(
        "respon|answer|repl|output|summar|compl|messag|text|analy|transl|respu|contes|salid|resum|mensaj|antwor|ausgab|zusamm|reakt|nachr|repon|sortie"
    ),
    "code": re.compile(
        r"base|b64|rot|hex|bina|morse|ascii|unico|leet|l33t|caes|ciph|latin|emoj|emot|anag|homop|symb|rever|backw|space|url|a1z|nato|down|altern|"
        r"vowel|sets|palin|acros|reves|espac|cifra|simb|codi|kodi|ruck|rueck|leerz|versch|geheim|envers|espac|chiff"
    ),
}
"""Beginnings of words that a rule on a topic requires; "markup" is a sign instead of a word."""


@lru_cache(maxsize=65_536)
def topics_of(word: str) -> frozenset[str]:
    """The topics that a word without accents, in lower case, may belong to; most words have none."""
    return frozenset(topic for topic, stems in TOPICS.items() if stems.match(word))
