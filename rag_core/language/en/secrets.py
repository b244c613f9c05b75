"""English: words before passwords and keys."""

from rag_core.language.secrets import SecretWords

SECRETS = SecretWords(
    passwords="passwords?|passwd|pwd|passphrase|passcode|pin(?:-code)?",
    keys=(
        r"api[\s_-]?key|secret(?:[\s_-]?key)?|access[\s_-]?key|client[\s_-]?secret|(?:access|auth|api|refresh)[\s_-]?token|token"
    ),
    copula="is",
    past_copula="was",
)
