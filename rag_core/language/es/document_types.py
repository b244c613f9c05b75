"""Spanish: words that tell the type of a document."""

from rag_core.language.document_types import DocumentTypeWords
from rag_core.language.words import word_set

DOCUMENT_TYPES = DocumentTypeWords(
    words={
        "contract": word_set(
            """
            contrato acuerdo convenio cláusula reunidos exponen estipulan estipulaciones convienen acuerdan partes vendedor
            comprador arrendador arrendatario arrendamiento inquilino fianza renta prestamista prestatario contratante contratista
            prestador firmantes incumplimiento resolver rescindir vigencia prorrogable prórroga preaviso obligan compromete
            juzgados tribunales litigio jurisdicción adelante_denominado una_parte fuero pacto pactado primera segunda tercera
            duplicado conformidad suscriben suscribe titular exclusivo cede cedente cesionario derechos autor editorial garantía
            responsabilidad daños términos condiciones pagaderos abonará indemnización plazo transmite adquiere propietario
            propietaria entrega devolver firma firmado anexo extinción caducidad penalización usufructo hipoteca aval avalista
            comparecen
            """
        ),
        "invoice": word_set(
            """
            factura recibo iva importe subtotal total base_imponible cif nif unidades uds precio concepto cliente vencimiento
            transferencia cargo cargará pagar pagado honorarios minuta irpf retención cuota consumo ticket albarán proforma adeudo
            abonar impuesto impuestos descuento derrama recargo ingresar ingreso suma resto entregado_cuenta operarios materiales
            presupuesto_aceptado importe_total efectivo cambio pedido envío abonado saldo deuda domiciliado referencia tarifa
            unidad cantidad mano_obra euros demora
            """
        ),
        "report": word_set(
            """
            informe memoria estudio resultados conclusiones conclusión recomendaciones recomienda recomendamos método metodología
            muestra muestras datos análisis analiza tabla gráfico figura trimestre semestre ejercicio aumento aumentaron creció
            crecieron descendió bajaron evolución media porcentaje respecto peritaje inspección diagnóstico causas hallazgos
            balance perspectivas objetivos indicadores encuesta evaluación visitamos observó observan midieron midió retraso juicio
            hallazgo antecedentes encuestados registraron registró contabilizaron detectó causa recuento incidente incidencia
            avance obras situación comparación anterior anual aproximadamente concluye estimación tendencia riesgo valoración
            """
        ),
        "manual": word_set(
            """
            manual instrucciones guía pulse presione gire introduzca retire inserte compruebe apriete abra cierre seleccione
            haga_clic conecte desconecte encienda apague espere limpie instale instalar descargue consulte reinicie mantenga
            utilice use lea coloque extraiga aparato dispositivo botón tecla tornillo tornillos advertencia precaución atención
            mantenimiento montaje paso vacíe llene solución_problemas menú ajustes puesta_marcha desenchufe enrosque desenrosque
            nivele filtro manguera grifo parpadea luz_roja pantalla toque escriba guarde elija deslice arrastre copie ejecute
            comando reinicie_aparato uso batería cargador piezas llave afloje ajuste vierta agite engrase sustituya aparece_error
            código_error ruta
            """
        ),
        "presentation": word_set(
            """
            diapositiva diapositivas presentación agenda índice ponente charla ponencia jornada preguntas dudas gracias ideas_clave
            demo contexto próximos_pasos visión equipo lo_falta lo_tenemos cuánto_cuesta quiénes_somos quiénes ponentes taller
            resumen objetivo reto retos oportunidad mercado propuesta impacto roadmap pitch inversión sesión_preguntas foto mitos
            ventajas
            """
        ),
        "correspondence": word_set(
            """
            querido querida estimado estimada estimados hola saludo saludos atentamente cordialmente abrazo abrazos beso besos
            asunto adjunto carta muy_señores quedo_espera agradezco agradecería escribo dirijo_ustedes espero respuesta confírmame
            confirmáis cordial_saludo remite posdata mamá papá besitos queremos llegamos os_llamo buenos_días buenas_tardes señor
            señora sr sra ruego le_confirmo hablamos_teléfono te_cuento cuéntame dime perdona disculpa felicidades recuerdos
            escríbeme llámame avísame ustedes usted vosotros contestar
            """
        ),
        "policy": word_set(
            """
            política norma normas normativa reglamento directriz directrices prohibido prohíbe obligatorio permitido permite
            permitirá autorización autorizado empleados personal socios usuarios incumpla disciplinarias sancionado sanción ámbito
            se_aplica responsable cumplimiento protección_datos tratamiento derechos vigor excepciones código_conducta privacidad
            acceso vecinos reembolso sanciones patronato aceptará aceptan publicarán rige regirá régimen artículo plazo_máximo
            solicitar solicitud horario silencio perros basura invitados socios_deberán expulsar conducta respeto acoso denunciar
            confidencial menores prioridad quien deberán_comunicar
            """
        ),
        "specification": word_set(
            """
            especificación especificaciones requisito requisitos ficha_técnica técnica técnicas dimensiones peso tensión potencia
            capacidad material tolerancia diámetro rendimiento norma formato campo campos esquema versión json utf bytes entero
            cadena endpoint protocolo interfaz máximo máxima mínimo mínima temperatura alimentación deberá sistema codifican
            cifradas disponibilidad grado_protección octetos octeto trama receptor emisor suma_control reservados milisegundos ms
            espesor absorción resistencia clase lote calibre suministrará ancho alto longitud píxeles resultados_máximo parámetro
            parámetros respuesta error códigos tipo valor valores puerto frecuencia hz mm cm kg db
            """
        ),
        "meeting_notes": word_set(
            """
            acta reunión junta asisten asistentes asistencia orden_día acuerdos aprueba aprueban unanimidad pendiente pendientes
            tareas tarea decisión decisiones decidimos decidió acordó quedamos quedado encarga próxima_reunión sesión ruegos
            propuso votación reunimos sync acción participan se_levanta hablamos se_habló prepara mira vemos volvemos_ver
            reunidos_hoy asistí asistió conclusión_reunión siguiente moderador secretario
            quórum punto puntos turno ayuntamiento_martes videollamada llamada kickoff retrospectiva repaso se_ocupa
            queda_pendiente falta aplaza descarta
            """
        ),
    },
    first_person=word_set("me mi mis yo hoy ayer mañana anoche papá mamá fui estuve tengo siento creo quiero"),
    second_person=word_set("tú te ti tu tus os vosotros vuestro vuestra usted ustedes le les contigo dime"),
    obligations=word_set(
        "deberá deberán debe deben podrá podrán obligatorio prohibido permitido queda_prohibido requiere requieren exige permite"
    ),
)
