"""What a command shows the running API of its home."""

from rag_core.access.pseudonyms import Pseudonyms
from rag_core.terminal.home_proof import environment_of


def test_passwords_and_keys_are_sent_concealed() -> None:
    variables = {
        "BRAIN_SECRET": "secret-1",
        "BRAIN_ALERT_URLS": "mailto://secret-2",
        "DATABASE_URL": "postgresql://brain:secret-3@localhost/brain",
        "BRAIN_CHAT_API_KEY": "secret-4",
        "BRAIN_CHAT_URL": "https://user:secret-5@example.org/v1",
        "BRAIN_TIMEZONE": "UTC",
        "HOME": "/root",
    }

    sent = environment_of(variables, Pseudonyms(secret=b"of the home"))

    assert "secret" not in str(sent)
    assert set(sent) == {"DATABASE_URL", "BRAIN_CHAT_API_KEY", "BRAIN_CHAT_URL", "BRAIN_TIMEZONE"}
