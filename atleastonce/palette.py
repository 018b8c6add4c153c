"""Colours of pictures: people with any colour vision can tell them apart.

Okabe and Ito, *Color Universal Design* (2008). Each picture tells by a shape, a hatch
or a dash what it tells by a colour.
"""

BLUE, VERMILLION, ORANGE = "#0072B2", "#D55E00", "#E69F00"
GREEN, SKY, PURPLE = "#009E73", "#56B4E9", "#CC79A7"
#: Letters and edges; what stays in the background.
INK, PALE = "#222222", "#d9d9d9"
