"""Spanish: words before passwords and keys."""

from rag_core.language.secrets import SecretWords

SECRETS = SecretWords(
    passwords=r"contrase[ñn]as?|clave(?:\s(?:de\sacceso|del?\s(?:la\s)?wi-?fi|secreta))?|c[oó]digo\s(?:pin|de\sacceso)",
    keys=r"clave\s(?:de\s(?:la\s)?)?api|secreto",
    copula="es",
    past_copula="era",
    ambiguous="clave",
)
