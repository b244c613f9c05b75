"""Charts of evaluation figures as SVG, drawn from values. No I/O, no colours, no language.

Colours and light or dark come from the page's style sheet by class; words and the way figures are written come from the
caller. A drawing's units are CSS pixels: it is drawn once for wide windows and once for narrow ones, so that its letters
are legible on both (``for_both_widths``). Every drawing has a title and a description for those who do not see it.
"""
