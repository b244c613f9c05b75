"""Rules for attempts to command a language model in Spanish, German, English and French, one a kind of attempt.

A rule is a pattern over text in lower case without accents, and how much it says about a question and about a note, in [0, 1]. Patterns
join a verb to what it is done to over a bounded stretch of the same sentence; a word by itself says little or nothing, because people
write "ignore", "system" and "instructions" for good reasons. The rules are general: none repeats a sentence of any collection.

``rule`` is their form, ``topics`` what a sentence must have words of before one is tried; a module each for what they are about
(``orders``, ``roles``, ``leaks``, ``code``, ``answers``), all languages together, since an attack may mix them. ``tasks`` tells what
is a command only where it does not belong, ``plain`` which question asks nothing of whoever answers.
Not here: reading a text by them (``rag_core.guardrails.injection``), how people drop a subject
(``rag_core.guardrails.subject_changes``).
"""

from rag_core.guardrails.injections import answers, code, leaks, orders, roles
from rag_core.guardrails.injections.rule import InjectionRule
from rag_core.guardrails.injections.tasks import TASK
from rag_core.guardrails.injections.topics import TOPICS, topics_of

__all__ = ["RULES", "TASK", "TOPICS", "InjectionRule", "topics_of"]

RULES: tuple[InjectionRule, ...] = (*orders.RULES, *roles.RULES, *leaks.RULES, *code.RULES, *answers.RULES)
