"""Views of evaluations: values for the templates, with their charts. No I/O and no routes.

``rag_core.api.pages.evaluation.runs`` loads what is shown here, and ``brain report`` writes the same as a file.
"""
