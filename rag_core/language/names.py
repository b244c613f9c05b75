"""Words that tell names of persons, organisations, places and other things, by language; and names known in all of them."""

from dataclasses import dataclass

from rag_core.language.words import word_set


@dataclass(frozen=True, slots=True, kw_only=True)
class NameWords:
    """Words around and in names. Words are folded, patterns are matched with case unless said otherwise.

    ``given`` are first names, ``places`` cities, regions and countries. ``titles`` stand before a person, ``particles`` within a
    name. ``kin`` follows ``possessive``; ``is_kin`` joins a name and such words ("Inés es mi jefa"). ``organisations`` begin the
    name of one, ``last_words`` end it, ``compound_ends`` is a pattern of the ends of its first word; ``projects``, ``products`` and
    ``venues`` are words before a name that are no part of it. ``people``, ``companies`` and ``undertakings`` are labels before a
    colon. ``compared`` is a pattern of what stands before the second of two things that are compared. ``laws`` are patterns of
    regulations, ``documents`` of numbered papers, ``reading`` of words before a quoted title, ``saints`` begin names of places,
    ``streets`` of addresses, ``quarters`` of quarters with ``number`` and ``year``. ``millions`` are words that multiply an amount.
    ``links`` join the words of an organisation's name, and ``papers`` is a pattern of what a project has ("plan de"). ``towards``
    are prepositions before a place, ``at`` those between a person and an organisation. ``ordinary`` are words with a capital that
    are no names.
    """

    given: frozenset[str]
    places: frozenset[str]
    titles: frozenset[str]
    particles: frozenset[str]
    kin: str
    possessive: str
    is_kin: str
    organisations: frozenset[str]
    last_words: frozenset[str]
    compound_ends: str
    projects: frozenset[str]
    products: frozenset[str]
    venues: frozenset[str]
    people: frozenset[str]
    companies: frozenset[str]
    undertakings: frozenset[str]
    compared: str
    laws: tuple[str, ...]
    reading: str
    saints: frozenset[str]
    documents: str
    streets: tuple[str, ...]
    quarters: tuple[str, ...]
    dates: tuple[str, ...]
    millions: dict[str, int]
    small_numbers: dict[str, int]
    towards: frozenset[str]
    links: frozenset[str]
    papers: str
    at: frozenset[str]
    ordinary: frozenset[str]


LEGAL_FORMS = (
    r"S\.\s?L\.(?:\s?U\.)?|S\.\s?A\.|S\.\s?Coop\.|SLU|SL|SA|SAU|GmbH & Co\. KG|GmbH|gGmbH|AG|KG|OHG|UG|SE|e\. ?V\.|eG"
    r"|Ltd\.?|Limited|LLP|LLC|Inc\.?|PLC|plc|Corp\.?"
)
ROLE_ADDRESSES = word_set(
    """
    info contact contacto kontakt hello hola hallo office oficina buero sales ventas vertrieb support soporte service servicio admin
    administracion verwaltung billing invoices facturas facturacion rechnung rechnungen buchhaltung accounts contabilidad noreply
    no-reply newsletter press prensa presse jobs rrhh hr team equipo webmaster postmaster privacy datenschutz bookings reservas orders
    pedidos bestellung help ayuda hilfe mail post correo einkauf compras reception recepcion empfang marketing security
    """
)
REGULATIONS = word_set(
    """
    GDPR DSGVO RGPD LOPD LOPDGDD LSSI LOPDGDD BDSG BGB HGB StGB ZPO GoBD TTDSG TDDDG ArbZG KSchG UStG EStG AO UWG GWB LOE LAU LPH
    eIDAS NIS2 DORA HIPAA CCPA PSD2 MiCA UWG GwG BetrVG SGB WEG VOB PECR COPPA SOX PCI-DSS
    """
)
KNOWN_ORGANISATIONS = word_set(
    """
    BMW Lufthansa Renfe Iberdrola Telefónica Mercadona Inditex Endesa Repsol Santander BBVA CaixaBank Kutxabank Correos Adif Iberia
    Vueling Ryanair Siemens Bosch SAP Volkswagen Daimler BASF Bayer Allianz Telekom Aldi Lidl Rewe Edeka ZDF ARD DHL Google Microsoft
    Amazon IBM Apple Oracle Tesco Sainsbury's Barclays HSBC Vodafone BBC NHS HMRC ICO AEPD AEAT OCU INE DGT IHK TÜV DIN BaFin BSI BKA
    EASA ESA NASA UNESCO ONU UNO OMS WHO NATO OTAN Fraunhofer Ikea Zara Airbus Samsung Sony Nestlé Deloitte KPMG Accenture
    Shelter Ofcom Sparkasse Commerzbank Finanzamt Facebook Meta Netflix Airbnb Uber
    """
)
KNOWN_PRODUCTS = word_set(
    """
    PostgreSQL MySQL MariaDB Oracle SQLite MongoDB Redis Kafka Docker Kubernetes Nextcloud Owncloud Jira Confluence Trello Asana Slack
    Notion Obsidian Figma Photoshop Odoo Salesforce HubSpot Snowflake Databricks Keycloak Grafana Prometheus Jenkins GitLab GitHub
    DocuSign AutoFirma Xero QuickBooks DATEV Lexware Excel Word Outlook PowerPoint Teams Zoom Windows Linux Ubuntu Debian Android iOS
    macOS iPhone iPad MacBook ThinkPad Surface Kindle Kobo Tolino Raspberry FRITZ!Box Django Python Java Node.js React Angular WordPress
    Shopify Stripe PayPal Bizum WhatsApp Telegram Signal ChatGPT Mattermost Elasticsearch OpenSearch RabbitMQ Nginx Apache Terraform
    Ansible Zabbix Moodle LibreOffice LaTeX Zotero Dropbox OneDrive SharePoint Tableau Metabase Airflow Dagster Sage Contaplus Holded
    Miro Canva Firefox Chrome Thunderbird Proxmox VMware Tesseract SAP Zendesk Mailchimp Airtable Bitwarden Wireguard
    """
)
BRANDS = word_set(
    """
    Dell HP Lenovo Logitech Canon Nikon Sony Epson Brother Samsung LG Philips Bosch Michelin Citroën Renault Seat Opel Ford Toyota
    Volkswagen VW Audi Worcester Vaillant Buderus Miele Garmin Fitbit Intel AMD NVIDIA Cisco Netgear Synology Ubiquiti Asus Acer
    Apple Google Microsoft Huawei Xiaomi Fujifilm Leica Peugeot Fiat Škoda Honda Yamaha Raspberry Jabra Bose Kyocera Fujitsu
    """
)
ORDINARY_CAPITALS = word_set(
    """
    PDF CSV URL USB IVA VAT TODO FAQ API HTML SQL XML JSON IT KI IA AI OK PS CEO CTO CFO UE EU RRHH HR ITV DNI NIF CIF IBAN BIC PIN
    SMS GPS LED TV PC ID FYI ASAP RE FW FWD AW WG CC BCC TBD WC DVD CD KW MwSt USt Nr GB MB TB KB IP VPN SSD RAM CPU UTC CET PM AM
    """
)
PARTICLE_ABBREVIATIONS = {"v.": "von", "d.": "der", "v": "von", "d": "der", "z.": "zu"}
