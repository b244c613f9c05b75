"""Spanish: words around and in names."""

from rag_core.language.names import NameWords
from rag_core.language.words import word_set

NAMES = NameWords(
    given=word_set(
        """
        aaron abel adela adolfo adrian adriana agata agustin agueda aina ainhoa aitana aitor alba alberto aleix alejandra alejandro
        alfonso alfredo alicia alvaro amaia amalia amaya amelia amparo ana anabel andrea andreu andres angel angela angeles antonia
        antonio araceli arancha ariadna arnau aurora azucena barbara beatriz begona belen benito berta blanca blas borja bruno
        camila candela carla carles carlos carlota carme carmen carolina catalina cecilia celia cesar clara claudia claudio concha
        consuelo cristian cristina cristobal daniel daniela david diana diego dolores domingo eduardo elena elisa eloy elvira emilia
        emilio emma enrique eric ernesto esteban estefania esther eugenia eugenio eva fabian fatima federico felipe felix fermin
        fernanda fernando fidel francesc francisca francisco gabriel gabriela gemma gerardo german gloria gonzalo graciela gregorio
        guadalupe guillem guillermo gustavo hector helena hugo ignacio ignasi iker inaki ines inigo inmaculada irene iria isaac
        isabel ismael ivan izan jacinto jacobo jaime jaume javier jesus jimena joan joaquin joel jon jordi jorge jose josefa josep
        juan juana judith julia julian juliana julio laia laura leire leo leonor leticia lidia lola lorena lorenzo lourdes lucas
        lucia luis luisa luz macarena magdalena maite manuel manuela marc marcelo marcos margarita maria mariana mariano maribel
        marina mario marisa marisol marta martin martina mateo matias mauricio maximo mercedes merce miguel mikel milagros mireia
        miriam moises monica montserrat nadia natalia nerea nicolas nieves noa noelia nora nuria octavio olga oriol oscar pablo paco
        paloma pascual patricia patricio pau paula paulina pedro pepa pepe pilar quique rafael raimundo ramiro ramon raquel raul
        rebeca remedios ricardo roberto rocio rodrigo roger rogelio roman rosa rosalia rosario roser ruben salvador samuel sandra
        santiago sara saul sebastian sergi sergio silvia sofia sonia soledad susana tamara tania teo teodoro teresa tomas trinidad
        unai valentin valentina valeria vanesa vera veronica vicent vicente victor victoria violeta virginia xavi xavier ximena yago
        yolanda zoe andoni sole batiste feli quico chelo toni nacho paqui loli charo manolo curro ximo vicenta empar neus eulalia
        asuncion encarna encarnacion concepcion tere mari juanjo juanma josemi javi santi rafa nando edu dani fran alex lolita
        conchita puri mila nati maruja angelines rosita carmina trini fina pepita manoli visitacion isidro isidoro hilario saturnino
        evaristo fulgencio casimiro leandro abelardo bernardo bernardino blai llorenc miquel vicenc narcis estel ona jana nil pol
        biel joana aroa izaskun nekane garazi ane uxue eneko asier gorka aitziber koldo xabier jokin josu beñat iñaki
        """
    ),
    places=word_set(
        """
        espana madrid barcelona valencia sevilla zaragoza malaga murcia palma bilbao alicante cordoba valladolid vigo gijon granada
        oviedo elche badalona cartagena terrassa sabadell jerez pamplona almeria donostia burgos santander castellon albacete
        logrono badajoz salamanca huelva lleida tarragona leon cadiz jaen ourense girona lugo caceres melilla ceuta guadalajara
        toledo pontevedra palencia ciudad~real zamora avila cuenca huesca segovia soria teruel coruna la~coruna a~coruna
        san~sebastian gandia sagunto denia torrevieja benidorm xativa alcoy onda sollana peniscola ruzafa la~albufera el~palmar
        vitoria merida ibiza menorca mallorca tenerife lanzarote fuerteventura canarias galicia asturias cantabria euskadi navarra
        la~rioja aragon cataluna catalunya andalucia extremadura castilla~la~mancha castilla~y~leon baleares sierra~de~gredos
        sierra~nevada alcala~de~henares getafe leganes mostoles alcorcon fuenlabrada triana lisboa oporto portugal francia paris
        lyon marsella toulouse burdeos italia roma milan napoles turin venecia florencia alemania berlin munich hamburgo colonia
        francfort dresde stuttgart austria viena salzburgo suiza zurich ginebra basilea berna belgica bruselas amberes holanda
        paises~bajos amsterdam rotterdam reino~unido inglaterra escocia gales irlanda londres manchester edimburgo dublin liverpool
        polonia varsovia cracovia republica~checa praga hungria budapest grecia atenas dinamarca copenhague suecia estocolmo noruega
        oslo finlandia helsinki rusia moscu ucrania kiev turquia estambul marruecos rabat casablanca tanger egipto el~cairo israel
        china pekin shanghai japon tokio kioto corea seul india bombay estados~unidos eeuu nueva~york california chicago boston
        miami canada toronto montreal mexico ciudad~de~mexico monterrey argentina buenos~aires chile santiago~de~chile colombia
        bogota medellin peru lima uruguay montevideo brasil venezuela caracas ecuador quito bolivia cuba la~habana australia sidney
        europa asia africa america pirineos alpes andorra sueca paiporta alboraya albarracin benimaclet torrent alzira catarroja
        utiel algemesi cullera requena onteniente ontinyent mislata burjassot paterna manises morella barracas bretana normandia
        provenza toscana cerdena sicilia bretaña nazaret patraix campanar benicalap plasencia trujillo ronda marbella estepona nerja
        motril linares ubeda baeza algeciras tarifa calatayud tudela estella irun getxo barakaldo santurce eibar tolosa zarautz
        hondarribia reus figueres olot vic manresa igualada sitges cadaques calella blanes palamos finisterre ferrol
        """
    ),
    titles=word_set(
        "sr sra srta don dona dr dra d d.ª prof profesor profesora doctor doctora senor senora senorita ingeniero ingeniera"
    ),
    particles=word_set("de del la las los el da dos do"),
    kin=r"jef[ea]|hij[oa]|herman[oa]|madre|padre|abuel[oa]|t[ií][oa]|prim[oa]|suegr[oa]|cu[ñn]ad[oa]|sobrin[oa]"
    r"|niet[oa]|mujer|marido|espos[oa]"
    r"|pareja|novi[oa]|vecin[oa]|caser[oa]|compa[ñn]er[oa]|amig[oa]|dentista|médic[oa]|abogad[oa]|gestora?|profesora?"
    r"|director|directora"
    r"|soci[oa]|asesora?|colega|terapeuta|madrina|padrino|socorrista|fontaner[oa]|nuera|yerno|peluquer[oa]|mamá|papá",
    possessive=r"[Mm]i",
    is_kin=r",\s+|\s+(?:es|era|sigue siendo)\s+|\s+\(",
    organisations=word_set(
        """
        ayuntamiento universidad universitat banco caja hotel hostal restaurante bar cafe cafeteria taller talleres grupo editorial
        graficas imprenta clinica hospital colegio instituto academia fundacion asociacion sindicato ministerio consejeria
        generalitat diputacion junta agencia servicio puerto autoridad cooperativa bodegas ceramicas construcciones transportes
        seguros laboratorios farmacia libreria panaderia ferreteria inmobiliaria gestoria bufete casa industrias elevadores
        consultora tribunal juzgado camara federacion club museo teatro biblioteca escuela centro almacenes muebles suministros
        electricidad fontaneria altos mutua policia comisaria hacienda tesoreria cerveceria electronica informatica viajes mercado
        aguas autobuses astilleros conservas textiles papeleria floristeria notaria residencia asador pension parque estudio
        estudios consorcio confederacion autoescuela clinicas limpiezas carpinteria pinturas reformas fisioterapia optica dental
        gimnasio mensajeria sociedad compania correos radio television canal diario defensor consejo instituto oficina parlamento
        congreso senado xunta gobierno cabildo concejalia cofradia
        """
    ),
    last_words=frozenset(),
    compound_ends=r"",
    projects=word_set("proyecto proyectos piloto programa"),
    products=word_set("versión herramienta programa aplicación software movil portatil camara impresora servidor"),
    venues=word_set(
        "bar empresa cliente proveedor restaurante cafetería firma compañía tienda consultora editorial hotel hostal imprenta taller"
        r""
    ),
    people=word_set(
        """
        persona personas
        responsable responsables contacto asistentes asisten asistente ponente ponentes candidata candidato suplente para de cc
        autor autora autores firmado firma redacta modera presentes ausentes excusa excusan paciente tutor tutora invitados
        participantes acta
        """
    ),
    companies=word_set(
        "emisor cliente proveedor empresa taller aseguradora arrendador comprador vendedor imprenta destinatario banco"
    ),
    undertakings=word_set("proyecto proyectos"),
    compared=r"(?:más|menos|mejor|peor)(?: \w+){0,2} que",
    laws=(
        r"Ley(?: Orgánica)? \d+/\d{4}",
        r"Real Decreto(?:-ley)? \d+/\d{4}",
        r"(?:Reglamento|Directiva|Decisión) \((?:UE|CE|CEE)\) (?:n\.?º )?\d+/\d+",
        (
            r"(?:Ley(?: Orgánica| General)?|Reglamento|Código|Estatuto|Directiva|Convenio) (?:(?:de(?: la"
            r"| los| las|l)?|General|sobre|y) )*"
            r"[A-ZÁÉÍÓÚÑ]\w+(?: (?:(?:(?:de(?: la| los| las|l)?|y|a la|e) )*[A-ZÁÉÍÓÚÑ]\w+))*"
        ),
    ),
    reading=r"(?:libros?|novelas?|lee[rns]?|leí|leyendo|leído|terminé|empecé|título|titulad[oa]|informe|guía|manual|documento|dossier|modelo|artículo|capítulo|película|poema|plantilla|ficha|acta|material|autora?|anexo|pliego|folleto|catálogo|prestó)(?!\w)",
    saints=word_set("san santa santo"),
    documents=r"(?:Factura|Albarán|Pedido|Presupuesto|Contrato|Recibo|Expediente|Oferta|Acta)(?: (?:n\.?\s?º|nº|núm\."
    r"|número|n\.))? [A-Z]*-?\d[\w/-]*",
    streets=(
        (
            r"(?:[Cc]alle|[Aa]venida|[Aa]vda\.|[Pp]laza|[Pp]aseo|C/|Travesía"
            r"|[Cc]arrer)(?: (?:de|del|la|las|los|el))* "
            r"[A-ZÁÉÍÓÚÑ]\w+(?: (?:(?:de|del|la|las|los|y) )*[A-ZÁÉÍÓÚÑ]\w+)*(?:,? (?:n\.?º )?\d+(?:-\d+)?(?!\d| ?€))?"
        ),
    ),
    quarters=(
        r"(?P<word>primer|segundo|tercer|cuarto) trimestre (?:de(?:l)? )?(?:año )?{year}",
        r"(?P<number>[1-4])\.?º? trimestre (?:de(?:l)? )?{year}",
    ),
    dates=(
        r"(?P<day>\d{1,2}|primero)\.?º? de {month}(?: (?:de|del) {year})?",
        r"{month} (?:de |del )?{year}",
        r"{month} (?P<day>\d{1,2}), {year}",
    ),
    millions={"mil": 1_000, "millon": 1_000_000, "millones": 1_000_000, "mill.": 1_000_000},
    small_numbers={
        "un": 1,
        "una": 1,
        "dos": 2,
        "tres": 3,
        "cuatro": 4,
        "cinco": 5,
        "seis": 6,
        "siete": 7,
        "ocho": 8,
        "nueve": 9,
        "diez": 10,
        "once": 11,
        "doce": 12,
        "quince": 15,
        "veinte": 20,
        "treinta": 30,
        "cuarenta": 40,
        "cincuenta": 50,
        "cien": 100,
    },
    towards=word_set("en"),
    links=word_set("de del la las los el y e"),
    papers=r"(?:plan|hoja de ruta|arranque|retrospectiva|retro|sprint|hito|demo|lanzamiento|entrega|tablero|especificacion"
    r"|presupuesto|arrancar|terminar|lanzar|retomar|empezar|entregar|arrancamos|terminamos) (?:de |del |para )?",
    at=word_set("de"),
    ordinary=word_set(
        """
        hola gracias saludos saludo asunto fecha total nota notas reunion acta diario factura cliente puesto hito orden dios
        internet navidad semana pascua nochebuena nochevieja reyes estimado estimada querido querida atentamente correo presupuesto
        plan resumen acciones concepto licencias pendiente
        """
    ),
)
