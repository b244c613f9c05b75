"""German: words that tell the type of a document."""

from rag_core.language.document_types import DocumentTypeWords
from rag_core.language.words import word_set

DOCUMENT_TYPES = DocumentTypeWords(
    words={
        "contract": word_set(
            """
            vertrag vertrags mietvertrag kaufvertrag arbeitsvertrag pachtvertrag vereinbarung parteien vertragsparteien vermieter
            vermieterin mieter pächter verpächter käufer verkäufer auftragnehmer auftraggeber arbeitgeber arbeitnehmer kündigung
            kündigungsfrist frist probezeit kaution gewährleistung haftung haftet gerichtsstand schriftform nebenabreden
            salvatorische nachfolgend vertragspartner unterschrift überlassung verpflichtet klausel eigentum miete pacht darlehen
            laufzeit bestimmung unwirksam eigentümer nutzer nutzung vertraglich zahlt verpflichten unterschrieben aussteigen
            ersetzt gegenstand leistung leistungen vergütung abnahme rechte ausschließlich überträgt lizenz lizenzgeber bürgschaft
            bürge zinsen rate raten rücktritt vertragsstrafe schadensersatz zustimmung wirksam bedingungen anlage_vertrag
            beiderseitig
            """
        ),
        "invoice": word_set(
            """
            rechnung rechnungsnummer rechnungsdatum rechnungsbetrag quittung mwst ust umsatzsteuer mehrwertsteuer netto brutto
            summe zwischensumme gesamtbetrag betrag zahlbar überweisen fällig iban bic kundennummer steuernr steuernummer pos menge
            einzelpreis skonto mahnung mahngebühr abschläge nachzahlung abgebucht bezahlt verbrauch grundpreis arbeitspreis
            begleichen berechnen gutschrift pfand gegeben zurück bediente bar kartenzahlung zu_zahlen stück preis rabatt
            lieferschein bestellnummer versand kosten gebühr gebühren konto verwendungszweck zahlungsziel stunden material anfahrt
            leistungszeitraum abrechnung eur euro faktor ziffer
            """
        ),
        "report": word_set(
            """
            bericht jahresbericht prüfbericht gutachten gutachter untersuchung studie ergebnis ergebnisse auswertung
            zusammenfassung fazit schlussfolgerung empfehlung empfohlen befund bewertung beurteilung mängel ursache tabelle
            abbildung proben daten vergleich vorjahr quartal geschäftsjahr umsatz erlöse stieg sank sanken gestiegen zunahme
            rückgang entwicklung ausblick mittel analyse anlass festgestellt methode befragten befragung nutzen nannten angaben
            beruhen anteil häufiger deutlich lag lagen erhoben messung gemessen unfallhergang hergang ausschließen wiederholung
            schaden zeigt zeigen gesamt rund prozent jahresvergleich erwartet beobachtet stichprobe durchgeführt statistik dürfte
            """
        ),
        "manual": word_set(
            """
            anleitung bedienungsanleitung gebrauchsanweisung handbuch e wartung schalten drücken stecken ziehen öffnen
            schließen wählen klicken tippen legen stellen füllen drehen reinigen prüfen starten trennen halten_gedrückt lesen_sie
            warnung achtung vorsicht hinweis gerät taste schalter schraube schrauben netzstecker einstellungen menü installieren
            störungen fehlerbehebung gebrauch schritt befestigen entfernen setzen klappe herausnehmen einschieben einsetzen
            abziehen herunterziehen ausrastet klickt passwort netzwerk neustart leuchtet blinkt anschließen aufladen kabel akku
            filter reinigung öl schlüssel lösen festziehen geben_sie wählen_sie drücken_sie achten_sie verwenden_sie niemals zuerst
            danach patrone
            """
        ),
        "presentation": word_set(
            """
            folie folien präsentation vortrag agenda gliederung inhalt überblick referent referentin fragen danke aufmerksamkeit
            vielen_dank kernbotschaften fazit nächste_schritte demo idee motivation diskussion ausgangslage produktvorstellung
            hallo_ich mythen thema themen ziele zielgruppe team markt wettbewerb strategie roadmap workshop impuls foto bild frage
            vorstellung ausblick zahlen chancen risiken
            """
        ),
        "correspondence": word_set(
            """
            liebe lieber geehrte geehrter hallo grüße gruß grüßen hochachtungsvoll betreff anbei anhang schreiben brief rückmeldung
            rückfragen bescheid danke_dir freundlichen_grüßen herzliche dein deine bestätige gefreut melde nachricht mitteilen
            voraus moin servus dir dich euch euer eure ihnen ihre ihrem kuss küsse umarmung lass sag schreib melde_dich bis_bald
            bis_dann danke päckchen wünsche herzlich mutti vati oma opa wie_geht zeit_mir gruß_aus verbleibe
            """
        ),
        "policy": word_set(
            """
            richtlinie richtlinien ordnung hausordnung benutzungsordnung betriebsvereinbarung regelung regeln grundsätze
            geltungsbereich gilt verboten untersagt gestattet zulässig erlaubt erlaubnis genehmigung verstöße verstößt mitarbeiter
            mitarbeitende beschäftigte verantwortlich datenschutz datenschutzhinweise personenbezogene verarbeiten dritte kraft
            einzuhalten verhaltenskodex ausnahmen vertraulich recht_auskunft satzung attest vorzulegen meldet meldung beantragt
            urlaub überstunden angeordnet betrieb gäste besucher müll ruhezeit hunde leine rauchen alkohol ausgeschlossen verhalten
            respekt belästigung melden pflicht pflichten berechtigt einhaltung zuständig anwendung widerruf einwilligung
            frist_einzureichen
            """
        ),
        "specification": word_set(
            """
            lastenheft pflichtenheft datenblatt spezifikation anforderung anforderungen technische_daten abmessungen maße gewicht
            nennspannung leistungsaufnahme spannung schutzart schutzklasse wirkungsgrad betriebstemperatur umgebungstemperatur
            toleranz norm din iso schnittstelle feld pflichtfeld endpunkt parameter schema json utf kodiert version zeichen
            mindestens höchstens maximal system anlage fehlercode format protokollversion material durchmesser prüfsumme byte bytes
            bit reserviert nachricht empfänger sender antwortzeit oberfläche klasse wandstärken liefermenge schallschutz abweichung
            breite höhe tiefe länge dicke farbe nach_din mm cm kg db bar hz ms fehlermeldung eingabe ausgabe wert werte typ
            verhalten_bei last
            """
        ),
        "meeting_notes": word_set(
            """
            protokoll sitzung besprechung versammlung vorstandssitzung elternversammlung meeting jour_fixe anwesend anwesende
            teilnehmer entschuldigt tagesordnung top beschluss beschlossen vereinbart einstimmig enthaltungen antrag aufgaben
            entscheidung entschieden nächstes_treffen nächste_sitzung offene_punkte wortmeldungen kümmert klärt protokollführer
            verschoben holt_ein dabei todo runde besprochen diskutiert hakt_nach macht_vorschlag bis_freitag bis_montag
            bis_mittwoch strittig offen_bleibt weiter_am vertagt telefonat call kickoff
            retro nächster_termin festgelegt zuständig_für rückblick wortmeldung abstimmung moderation
            """
        ),
    },
    first_person=word_set("ich mir mich mein meine heute gestern morgen mama papa war bin habe gefühl glaube"),
    second_person=word_set("du dir dich dein deine euch euer eure ihnen ihr ihre ihrem"),
    obligations=word_set(
        "muss müssen soll sollen darf dürfen ist_zu sind_zu verboten untersagt gestattet zulässig erforderlich bedarf bedürfen "
        "verpflichtet"
    ),
)
