"""Spanish: phrases that route a question."""

from rag_core.language.routing import RoutingWording, any_of

_ASKED = (
    r"(?:^\W*(?:(?:y|oye|pero|entonces) )*|(?<=[¿,:;])|(?<=[,:;] )|(?<=[¿]y )"
    r"|(?:dime|sabes|saber|recuerdas|recuerdo|acuerdo|explica\w*|ensena\w*|muestra\w*|cuenta\w*) )"
)
_ROLES = any_of(
    r"""
    madres? padres? herman[oa]s? hij[oa]s? ti[oa]s? prim[oa]s? abuel[oa]s? niet[oa]s? sobrin[oa]s? cunad[oa]s? suegr[oa]s? yernos?
    nueras? novi[oa]s? espos[oa]s? marido mujer pareja padrino madrina amig[oa]s? vecin[oa]s? companer[oa]s? soci[oa]s? jef[ea]s?
    director(?:a|es)? gerentes? administrador(?:a|es)? responsables? encargad[oa]s? duen[oa]s? propietari[oa]s? president[ea]s?
    secretari[oa] representantes? gestor(?:a|es)? abogad[oa]s? asesor(?:a|es)? tutor(?:a|es)? profesor(?:a|es)? medic[oa]
    proveedor(?:a|es)? cliente caser[oa] emplead[oa]s? fundador(?:a|es)? coordinador(?:a|es)? contacto
    """
)
_OF = r"(?:del?|de (?:la|los|las|mi|su|nuestr[oa]))"

ROUTING = RoutingWording(
    comparative=(
        r"compar(?!t)\w+|contrast[ae]\w*|diferenci\w+|distingu\w+|(?:se )?parecen?|similitud(?:es)?|semejanzas?",
        r"versus|vs|frente a",
        (
            r"(?:mas|menos|mejor(?:es)?|peor(?:es)?|mayor(?:es)?|menor(?:es)?) (?:\w+ ){0,4}(?:que|o) (?!hay|teng\w+|tien\w+|he"
            r"|hemos)\w+"
        ),
        r"(?:mas|menos|mejor|peor|mayor|menor)\w*(?: \w+)*, (?:\w+ ){1,4}o|(?:l[oa]s?|el) mism[oa]s? (?:\w+ ){0,4}que",
        r"igual(?:es)? (?:que|a)|tant[oa]s? (?:\w+ ){0,4}como|tan \w+ como",
        r"(?:cual|quien|que \w+) de (?:los|las|est[oa]s|es[oa]s) (?:dos|tres|cuatro|cinco|\d+)",
        r"distint[oa]s? (?:al?|del?)|diferentes? (?:al?|del?|entre)",
        r"(?:pros|ventajas) (?:y|e) (?:contras|desventajas|inconvenientes)|supera\w*|prefer\w+ .* o|coinciden?",
        r"en comun|contradic\w+|discrepan\w+|^\W*(?!que|quien|como|donde)\w+ o \w+",
        r"^\W*(?:que|cual|quien) (?:\w+ ){1,4}(?:mas|menos|mejor|peor)(?: \w+)?\W*$",
    ),
    when=(
        _ASKED + r"(?:(?:desde|hasta|para|de|a partir de) )?cuando|(?:desde|hasta|para|a partir de) cuando",
        (
            r"(?:en|de|a|desde|hasta|para|por)? ?(?:que|cual) (?:\w+ )?(?:dias?|mes|meses|anos?|fechas?|horas?|semanas?|epocas?"
            r"|decadas?|siglos?|plazos?)"
        ),
        r"cuant[oa]s? (?:mas )?(?:tiempo|tard\w+|dur(?:a|an|o|aron)|falta\w*)|hace cuant[oa]s?",
        r"cuant[oa]s (?:anos|meses|dias|semanas|horas) (?:hace|llev\w+|falta\w*|qued\w+|dur\w+|estuv\w+|pas[aoe]\w*|viv\w+|tard\w+)",
    ),
    procedural=(
        (
            _ASKED
            + r"como(?= (?!(?:se|te|le|me|nos|os)? ?(?:llam|apellid|titul|denomin|conoc|encuentr|sient|qued|va[ns]? |fue|sal)"
            r"|(?:es|era|son|eran|esta|estan|estaba|estuvo|fue|fueron|va|van|iba|ha|han|he|hemos|acabo|termino|evoluciono"
            r"|cambi(?:o|aron|aba)|afect\w+|influ\w+)(?!\w)))"
        ),
        r"pasos|paso a paso|instrucciones|procedimiento|protocolo|tutorial|receta|guia(?:me)? (?:para|de)|tramites?",
        r"pautas|de que (?:manera|modo|forma)|proceso (?:de|para)",
        r"(?:manera|forma|modo|metodo) (?:\w+ )?(?:de|para) \w+(?:ar|er|ir)(?:se|lo|la|los|las|me)?",
        (
            r"que (?:hay que|tengo que|tenemos que|tiene que|debo|debemos|se debe|deberia|hago|hacemos"
            r"|se hace)(?: hacer)?(?= (?:para|si|cuando|con|en caso))"
        ),
        r"que (?:hay que|tengo que|tenemos que|debo|debemos) hacer",
        r"que (?:\w+ )?(?:necesit[oa]\w*|hace[n]? falta|se necesita\w*|tengo que \w+r) para",
    ),
    aggregative=(
        r"cuant[oa]s|en total|en conjunto|(?:numero|cantidad) (?:total )?de \w{3,}s|recuento|inventario|listado",
        r"panorama|vision (?:general|global)|tod[oa]s?(?: (?:l[oa]s?|mis|nuestr[oa]s|est[oa]s|es[oa]s|aquell[oa]s))?",
        r"cada (?!vez|mes|ano|dia|semana|hora|trimestre|cuanto)\w+|cualquier\w*|lista(?:me|r|nos)?|enumer\w+|resum\w+",
        r"recopil\w+|recog[ei]\w*|reun[ei]\w*|junt[ae]\w*|agrup\w+|sinte\w+|cont(?:ar|abiliza\w*)|suma(?:r|me)?",
        r"sumando|promedio|(?:media|gasto medio|precio medio|coste medio|consumo medio)(?: \w+)?|de media",
        (
            r"que (?!(?:(?:tien|hac|dic|quier|pued|deb|sab|cre)es|menos|\w+mos|(?:piens|opin)as|gafas|llaves)(?!\w))\w{3,}s(?= \w)"
        ),
        r"que (?:me|nos) (?:falta|queda)\w*|con que frecuencia|cada cuanto|pendientes",
        r"cuales (?:son|eran|fueron|han|de|estan|siguen|tengo|tenemos)",
        r"(?:dame|muestra\w*|ensena\w*|saca\w*|busca\w*|quiero) (?:l[oa]s|un[oa]s)",
    ),
    limits=(
        r"minim[oa]s?|maxim[oa]s?|como mucho|al menos",
        (
            r"(?:cuant[oa]s) (?:\w+ ){1,3}(?:debe\w*|puede\w*|hay que|hace[n]? falta|necesit\w+|permit\w+|correspond\w+"
            r"|tiene[ns]? (?:el|la|un|una))"
        ),
    ),
    who=(r"(?:^\W*|(?<=¿)|(?<=, )|(?:y|de|a|con|por|para|dime|sabes|saber|recuerdas) )quien(?:es)?",),
    relational=(
        r"relacion(?:es)?|relacionad[oa]s?|parentesco|vincul\w+|conexion(?:es)?|conect\w+|pertenec\w+",
        r"tiene[n]? que ver|depend\w+ de|emparentad[oa]s?|trabaj(?:a|an|aba|aban|o|aron) (?:\w+ ){0,2}(?:para|con|en)",
        (
            r"(?:para|con|en) que (?:\w+ )?(?:empresas?|equipos?|departamentos?|grupos?|companias?) (?:trabaj|particip|jueg|cant"
            r"|toc|colabor)\w+"
        ),
        r"colabor(?:a|an|o|aron|aba)|particip(?:a|an|o|aron|aba)|dirig(?:e|en|ia|io)|lider(?:a|an|aba|o)",
        r"coordin(?:a|an|aba|o)|gestion(?:a|an|aba|o)|representa[n]?|casad[oa]s?|divorciad[oa]s?|prometid[oa]s?",
        r"(?:es|son|era|eran) (?:\w+ ){0,2}" + _ROLES + r"(?: del?|$|\W*$)|emplea|contrat(?:a|o) a|miembros? de",
        r"filial(?:es)?|form[ao]n? parte|a cargo|al frente|subordinad[oa]s?|reporta\w*",
        r"^\W*(?:(?:nombre|el|la) (?:del? |de la )?)?" + _ROLES + r" " + _OF,
        r"como se llam\w+ (?:el|la|los|las) " + _ROLES + r" de (?!l[oa]s?)\w+",
        r"^\W*(?:son|eran|es|era) (?:\w+ ){0,3}" + _ROLES + r"|que (?:\w+ )?une(?:n)? al?|conoce[n]? (?:\w+ )?al?",
        r"que (?:papel|rol|cargo|puesto|funcion) (?:tiene|tuvo|ocupa|desempen\w+|hace)",
    ),
    times=(
        r"fechas?|plazos?|venc\w+|caduc\w+|expir\w+|cumpleanos|aniversario",
        r"(?:ultima|primera|proxima) (?:vez|cita|revision|reunion)|calendario|horarios?|evolu\w+|cronolog\w+",
        r"historial|(?:fue|era|ocurrio|paso) (?:\w+ )?(?:antes|despues)|a lo largo de|con el (?:tiempo|paso)",
        r"(?:ha|han) (?:ido )?(?:cambiad|variad|subid|bajad|crecid|aumentad)\w+|tendencia",
        r"(?:desde|entre|de) (?:19|20)\d\d|antes o despues|antes de que|todavia (?:es )?valid\w+|vigente hasta",
        r"duracion|sigue (?:vigente|en vigor)|proxim[oa]s?",
    ),
    table=(
        r"tablas?|columnas?|filas?|celdas?|hojas? de calculo|excel|csv|estadisticas?|tarifas?|trimestres?",
        r"trimestral(?:es)?",
    ),
    figures=(
        r"importes?|cost(?:e|es|os|o|aron|aba|ara|ado)|cuesta[n]?|precios?|sueldos?|salarios?|nominas? de|fianza",
        r"cuotas?|saldos?|balances?|ventas|facturacion|ingresos|gast(?:o|os|e|amos|ado|aron|an|a)|presupuestos?",
        r"porcentajes?|por ciento|cifras?|euros|kwh|beneficios?|margen(?:es)?|descuentos?|comision(?:es)?|honorarios",
        (
            r"(?:a )?cuanto (?:\w+ ){0,3}(?:pag\w+|cobr\w+|vale[n]?|deb\w+|asciend\w+|factur\w+|gan\w+|ahorr\w+|sub\w+|consum\w+"
            r"|vendi\w+|invert\w+)"
        ),
        r"(?:mas|menos) (?:car|barat|rentabl|economic)\w+|recaud\w+|sum\w+ .*(?:facturas|recibos|tickets|pagos)",
        r"total (?:de la|del|de) (?:factura|recibo|presupuesto|pedido|ticket)s?",
        r"por (?:mes|ano|trimestre|unidad|persona|metro)",
    ),
    counted=r"cuant[oa]s (?!euros)\w+",
    clauses=(
        (
            r"(?:el|la|los|las|del|al|un|una) (?!que|mism)\w+(?: (?:de|del|la|\w+)){0,2}? (?:que|a quien|donde"
            r"|(?:con|en|por|para|a|de) (?:el|la|los|las) (?:que|cual)) (?!era\W*$|es\W*$|hay que)\w+"
        ),
        r"cuy[oa]s?|quien(?:es)? (?:fue|era|dirige|lleva) (?:el|la) que",
    ),
    free_clauses=r"(?:el|la|los|las) que (?!mas\b|menos\b)\w+",
    naming=(
        r"como se (?:llam\w+|titul\w+)|(?:nombre|titulo) del?|quien (?:es|era|fue) (?:el|la)",
        r"(?:cual|que) (?:es|era|fue) (?:el|la)|que (?:dijo|dice|puso|contaba)|tod[oa]s? l[oa]s?(?: \w+)? que|lo que",
    ),
    chains=(
        _ROLES + r" " + _OF + r" (?:\w+ )?" + _ROLES,
        (
            r"(?:telefono|numero|correo|direccion|calle|edad|cumpleanos|empresa|trabajo|ciudad|coche|sueldo"
            r"|profesion) (?:\w+ ){0,2}?(?:del?|de la|de los) (?:\w+ )?" + _ROLES + r" (?:del?) (?!mi|la|el)\w+"
        ),
        r"(?<=\w\w )y,? (?:quien|cuando|donde|por que|cual|cuanto|como se|a quien|de quien|en que)",
        r"(?<=\w\w )y que (?:relacion|hizo|hace|dijo|cargo|papel)|despues de que|tanto .* como",
    ),
    superlatives=r"(?:del?|al?|para|con|por|en) (?:(?:el|la|los|las|nuestr[oa]|mi) )?\w+ (?:más|menos) \w+",
    vague="""
        hace hacer hizo hacia haces hago ser era fue estaba dice decia dijo significa quiere decir pasa paso pasaba
        cosa cosas tema asunto eso esto aquello ello exactamente ahora entonces mismo funciona va iba sirve vale bien
        mal asi tal aqui ahi alli ya tambien luego mas ver otra vez igual trata recuerdas sabes favor
    """,
    between="entre",
    links="y|e",
    alternatives="o|u",
    before_names="",
    noun_endings="",
)
