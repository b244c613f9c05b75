"""German: words around citations."""

import re

from rag_core.language.citing import CitingWords
from rag_core.language.words import word_set

CITING = CitingWords(
    source_words=("Quellen?", "Notiz(?:en)?", "Dokumente?", "Zitate?"),
    title_words=("Quelle",),
    joining_words=("und",),
    pages=("Seite", r"S\."),
    sections=("Abschnitt", "Blatt", "Folie"),
    about=("zu", "zur", "zum", "über"),
    copulas=("ist", "war"),
    denials=("nein",),
    lead=re.compile(
        r"(?<!\w)(?:laut|gemäß|siehe(?: auch)?|vgl\.)(?: (?:der|den|dem))?(?: (?:Notiz(?:en)?|Quellen?|Dokument(?:en)?))?:?[ \t]*$|"
        r"(?<=\()(?:Notiz(?:en)?|Quellen?):?[ \t]*$",
        re.IGNORECASE,
    ),
    naming_words=word_set("notiz notizen quelle quellen dokument laut gemäß erwähnt steht notiert"),
    aside_words=word_set(
        """
        hallo guten tag morgen abend danke dank gern gerne geschehen klar natürlich ordnung hier findest kommt kommen folgt folgende
        folgenden folgendes gefunden zusammenfassung zusammengefasst überblick hoffe hilft geholfen helfen hilfe möchtest willst
        magst brauchst sag sagen lass wissen kann einzelheiten details mehr weitere weiteren weiter information informationen
        antwort antworten frage fragen bescheid leider bitte tut leid nachsehen suchen liste rest deine deinen
        """
    ),
    label_verb=re.compile(
        r"\b(?:ist|war|wird|wurde|wurden|hat|haben|hatte|hatten|muss|soll|kann|konnte|starb|kam|ging|gab|nahm)\b|"
        r"\b[a-zäöüß]+[^\Wsz_]te[nt]?\b",
    ),
    replies=word_set("ja nein doch genau richtig stimmt korrekt natürlich klar"),
    indirect_question=re.compile(r"(?:wie|wann|wo\w*|wer|wen|wem|was|ob|welche\w*|warum|wieso|dass)\b", re.IGNORECASE),
    no_negation=re.compile(r"\bnicht nur\b|\bnoch (?!nie|nicht|kein)", re.IGNORECASE),
    name_openers=word_set("Herr Herrn Frau Dr Prof in aus nach von bei mit für"),
)
