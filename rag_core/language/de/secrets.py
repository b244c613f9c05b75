"""German: words before passwords and keys."""

from rag_core.language.secrets import SecretWords

SECRETS = SecretWords(
    passwords=r"passw[oö]rt(?:e|er)?|passw[oö]rter|kennw[oö]rt(?:er)?|zugangscode|pin-nummer",
    keys=r"api[\s_-]?schl[uü]ssel|geheimnis",
    copula="ist|lautet",
    past_copula="war",
)
