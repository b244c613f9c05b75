"""Checks of what no address may hold, on any route."""

from fastapi import Request

from rag_core.api.errors import texts_in, tongue_for
from rag_core.errors import InvalidFieldError

SEARCH_PAGE = "/"
"""It says beside its form what cannot be searched."""


async def check_address(request: Request) -> None:
    """Refuse a NUL character in a part of the path or in a parameter: nothing that is stored can hold it.

    Raises:
        InvalidFieldError: names the parameter.
    """
    if request.url.path == SEARCH_PAGE:
        return
    part = texts_in(tongue_for(request)).PATH_PART
    given = [(part, value) for value in request.path_params.values()] + request.query_params.multi_items()
    for name, value in given:
        if "\0" in value:
            raise InvalidFieldError(f"{name} has a NUL character; remove it", field=name, problem="nul")
