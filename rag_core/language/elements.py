"""Names of the elements of HTML, SVG and MathML that a text may have as tags."""

from rag_core.language.words import word_set

ELEMENTS = word_set(
    """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button canvas
    caption center cite code col colgroup command data datalist dd del details dfn dialog dir div dl dt em embed fencedframe fieldset
    figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex
    kbd keygen label legend li link listing main map mark marquee menu menuitem meta meter nav nobr noembed noframes noscript object ol
    optgroup option output p param picture plaintext portal pre progress q rb rp rt rtc ruby s samp script search section select slot
    small source span strike strong style sub summary sup table tbody td template textarea tfoot th thead time title tr track tt u ul
    var video wbr xmp
    svg animate animatemotion animatetransform circle clippath defs desc ellipse filter foreignobject g lineargradient line marker mask
    path pattern polygon polyline radialgradient rect set stop switch symbol text textpath tspan use view
    math maction merror mfrac mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr
    munder munderover semantics
    """
)
