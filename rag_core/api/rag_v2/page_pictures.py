"""``GET /api/v2/documents/{documentId}/pages/{page}``: a page of the original as a picture. Errors are in German."""

import hashlib
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Response

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.rag_v2.documents import CHANGED, NO_SUCH_DOCUMENT, DocumentPath
from rag_core.api.schemas import ErrorBody, failures
from rag_core.errors import BusyError, ConflictError, DocumentFailedError, DocumentRefusedError, NotFoundError
from rag_core.model.document import Box
from rag_core.model.note import NoteId
from rag_core.parsing.page_pictures import MAX_SIDE, VERSION, PagePicture, PageWish, has_page_pictures
from rag_core.storage.cited_pages import FileOfNote, fetch_file_of_note
from rag_core.uploads.page_pictures import page_picture

MIN_WIDTH = 64
NO_SUCH_PAGE = "Diese Seite gibt es nicht; die Seiten des Dokuments sind 1 bis {pages}"
NO_PICTURES = "Seiten als Bild gibt es nur von Dateien in PDF, PNG und JPG; bitte den Text des Dokuments lesen"
NOT_DRAWN = "Die Seite lässt sich nicht als Bild zeigen; bitte den Text des Dokuments lesen oder das Original öffnen"
BUSY = "Es werden schon so viele Seiten gezeichnet, wie gleichzeitig gehen; bitte gleich noch einmal versuchen"
_NUMBER = r"-?\d{1,6}(\.\d{1,20})?"

router = APIRouter(prefix="/api/v2/documents", tags=["rag v2"])
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {}}, "description": "The page; headers have its size in points."},
    **failures(400, 404, 503),
    409: {"model": ErrorBody, "description": "The file of the folder is gone, or changed since it was read."},
    415: {"model": ErrorBody, "description": "The format has no pictures of pages, or this page cannot be drawn."},
}


def _wish(
    page: Annotated[int, Path(description="From 1.")],
    width: Annotated[int, Query(ge=MIN_WIDTH, le=MAX_SIDE, description="Pixels.")] = MAX_SIDE,
    box: Annotated[
        str | None,
        Query(pattern=rf"^{_NUMBER}(,{_NUMBER}){{3}}$", description="A citation's `box` to mark, with commas."),
    ] = None,
) -> PageWish:
    return PageWish(page=page, width=width, box=_box(box))


@router.get("/{document_id}/pages/{page}", response_class=Response, responses=_RESPONSES)
def read_page(
    document_id: DocumentPath,
    wish: Annotated[PageWish, Depends(_wish)],
    context: Context,
    if_none_match: Annotated[str, Header()] = "",
) -> Response:
    """A page of a PDF as it is shown, or the picture that the document is, as PNG; for uploads and for files of folders.

    The longer side has 1,600 pixels at most. `X-Page-Width` and `X-Page-Height` are the page's size in points, as boxes are measured.
    """
    with context.transaction() as connection:
        file = fetch_file_of_note(connection, context.tenant, NoteId(document_id))
    if file is None:
        raise ExplainedError(NO_SUCH_DOCUMENT, kind=NotFoundError)
    if not file.is_current:
        raise ExplainedError(CHANGED, kind=ConflictError)
    if not has_page_pictures(file.format):
        raise ExplainedError(NO_PICTURES, kind=DocumentRefusedError)
    if not 1 <= wish.page <= (file.pages or 0):
        raise ExplainedError(NO_SUCH_PAGE.format(pages=file.pages), kind=NotFoundError)
    headers = {"ETag": _tag(file, wish), "Cache-Control": "private, no-cache"}
    if headers["ETag"] in if_none_match:
        return Response(status_code=304, headers=headers)
    picture = _picture(context, file, wish)
    size = {"X-Page-Width": f"{picture.width:.10g}", "X-Page-Height": f"{picture.height:.10g}"}
    return Response(picture.png, media_type="image/png", headers=headers | size)


def _picture(context: RequestContext, file: FileOfNote, wish: PageWish) -> PagePicture:
    try:
        with explained(ConflictError, CHANGED), explained(BusyError, BUSY):
            return page_picture(context.database, context.tenant, context.settings, file, wish)
    except (DocumentRefusedError, DocumentFailedError) as error:  # no defect of ours: the file is what it is
        raise ExplainedError(NOT_DRAWN, kind=DocumentRefusedError) from error


def _box(written: str | None) -> Box | None:
    if written is None:
        return None
    left, top, right, bottom = map(float, written.split(","))
    return left, top, right, bottom


def _tag(file: FileOfNote, wish: PageWish) -> str:
    drawn = hashlib.sha256(repr((file.file_hash, wish, VERSION)).encode()).hexdigest()
    return f'"{drawn[:32]}"'
