"""Names of a registry as types of the boundaries: fields of a schema, options of a command."""

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import PydanticCustomError, core_schema

from rag_core.plugins.registry import Registry


@dataclass(frozen=True)
class NameIn:
    """An annotation of a string field: it takes the names of a registry, as a ``Literal`` of them would."""

    registry: Registry[Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """The string's schema, then the check."""
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The string's JSON schema with the names that are known when it is made."""
        return {**handler(schema), "enum": list(self.registry.names())}

    def _checked(self, name: str) -> str:
        if self.registry.find(name) is None:
            *first, last = (repr(known) for known in self.registry.names())
            expected = f"{', '.join(first)} or {last}" if first else last
            raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})
        return name
