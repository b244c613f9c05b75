"""What the settings say of questions and answers, contract by contract. Pure."""

from collections.abc import Mapping

from rag_core.guardrails import RedactionPolicy

# People ask for the telephone number in their own notes. Only the contract that serves a company's documents to many hides it.
DEFAULT_REDACTION: Mapping[str, RedactionPolicy] = {"rag_v2": "redact"}


def redaction_policy(contract: str, setting: RedactionPolicy | None) -> RedactionPolicy:
    """The setting where there is one; else "redact" for the contract RAG V2 and "warn" for the others."""
    return setting or DEFAULT_REDACTION.get(contract, "warn")
