"""Lines that set a task: harmless where one is asked, misplaced between the rows of a table."""

import re

from rag_core.guardrails.injections.answers import POLITE
from rag_core.guardrails.injections.rule import words

TASK = re.compile(
    rf"^[\s\"'“«¿¡]{{0,4}}{POLITE}"
    + words(
        r"""
        explain, describe, analy[sz]e, summari[sz]e, write, translate, determine, classify, compare, discuss
        provide, generate, create, compose, list, outline, define, calculate, suggest, recommend, evaluate, identify
        show me, tell me, give me, teach me, help me, assess, interpret, predict, design, develop, draft, illustrate
        find, categori[sz]e, detect, plan, schedule, automate, set up, convert, solve, elaborate, examine
        investigate, explore, review, rate, can you, could you, would you
        explica, describe, analiza, resume, escribe, traduce, determina, clasifica, compara, genera, crea, redacta
        enumera, define, calcula, sugiere, recomienda, muestrame, dime, dame, ensename, puedes, podrias
        erklare, beschreibe, analysiere, fasse, schreibe?, ubersetze, bestimme, klassifiziere, vergleiche, erstelle
        liste, definiere, berechne, empfiehl, zeig mir, sag mir, gib mir, kannst du, konntest du, konnen sie
        explique, decris, analyse, resume, ecris, traduis, determine, compare, genere, cree, redige, enumere
        calcule, montre-moi, dis-moi, donne-moi, peux-tu, pouvez-vous
        how (?:do|does|did|can|could|to|have|has|is|are|should|would)
        what(?: s| is| are| was| were| does| do| did)?, why (?:do|does|did|is|are|was|were)
        who (?:is|was|are|were|wrote|invented|discovered), when (?:did|was|is|were), which
        where (?:is|are|was|can|do)
        como (?:se|puedo|funciona|hago), que (?:es|son), cuales son, por que, quien (?:es|fue)
        wie (?:kann|funktioniert|macht|konnen), was (?:ist|sind), warum, wer (?:ist|war), comment, pourquoi
        qu est-ce
        """
    )
    + r"\b(?:\W{1,3}\w{1,30}){2}",
)
"""A line that sets a task or asks for knowledge, as one says it to an assistant."""
