"""Pictures and tables in a recorder's files: in a message's parts, an observation, or files next to the rows. Pure.

A picture is in the file itself, as Base64 or a data URL, or is a member of the archive that holds the rows. Pictures
at a web address are left out, as nothing is fetched.
"""

import base64
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from labeling.formats.containers import opened_member
from labeling.formats.images import LARGEST, Picture, picture_in
from labeling.formats.json_texts import texts_changed

Json = dict[str, Any]
KINDS = ("image", "image_url", "input_image", "blob", "media", "screenshot")
PLACES = ("image_url", "image", "source", "inline_data", "inlineData", "url", "data", "path", "content", "screenshot")
ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MOST_IN_A_STEP = 20
MOST_ROWS, MOST_COLUMNS = 500, 50


def is_picture(part: Any) -> bool:
    """Return whether a part of a message is a picture, wherever it is stored."""
    return isinstance(part, dict) and (part.get("type") in KINDS or "inline_data" in part or "inlineData" in part)


def pictures_in(value: Any) -> list[Picture]:
    """Return the pictures of a content, in order."""
    parts = value if isinstance(value, list) else [value]
    found = [picture for part in parts if is_picture(part) and (picture := _picture(part)) is not None]
    return found[:MOST_IN_A_STEP]


def _picture(value: Any) -> Picture | None:
    if isinstance(value, str):
        return picture_in(value)
    if not isinstance(value, dict):
        return None
    return next((found for name in PLACES if name in value and (found := _picture(value[name])) is not None), None)


def table_of(value: Any) -> Json | None:
    """Return a table as steps store it: {columns, rows}, with texts as cells. None if the value is not a table."""
    if isinstance(value, dict) and isinstance(value.get("rows"), list):
        columns, rows = value.get("columns") or value.get("header"), value["rows"]
    else:
        columns, rows = None, value
    if not isinstance(rows, list) or not rows:
        return None
    if all(isinstance(row, dict) for row in rows):
        columns = columns or list(dict.fromkeys(name for row in rows for name in row))
        rows = [[row.get(name) for name in columns] for row in rows]
    if not isinstance(columns, list) or not all(isinstance(row, list) for row in rows):
        return None
    kept = [[_cell(cell) for cell in row[:MOST_COLUMNS]] for row in rows[:MOST_ROWS]]
    table: Json = {"columns": [_cell(name) for name in columns[:MOST_COLUMNS]], "rows": kept}
    return table | ({"left_out": len(rows) - MOST_ROWS} if len(rows) > MOST_ROWS else {})


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def taken(steps: list[Json]) -> Iterator[Picture]:
    """Take the pictures out of steps that were just read. The steps then only keep the pictures' names."""
    for step in steps:
        pictures = step.pop("pictures", None)
        if pictures:
            step["images"] = [picture.named for picture in pictures]
            yield from pictures
        yield from taken(step.get("nested", []))


class Beside:
    """The pictures of an archive by name, to be put into the rows that name them."""

    def __init__(self, archive: zipfile.ZipFile, rows: str) -> None:
        """`rows`: the member that holds the rows. Names may be relative to its folder."""
        folder = rows.rpartition("/")[0]
        self._archive = archive
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in archive.infolist():
            if is_picture_file(member) and member.file_size <= LARGEST:
                self._members[member.filename] = member
                if folder and member.filename.startswith(f"{folder}/"):
                    self._members[member.filename.removeprefix(f"{folder}/")] = member

    def put_into(self, row: Mapping[str, Any]) -> tuple[Json, int]:
        """Return the row with its pictures, and how many bytes they add. Raises what `opened_member` does."""
        added = 0

        def held(text: str) -> str:
            nonlocal added
            member = self._members.get(text.removeprefix("./")) if len(text) < 1_000 else None
            if member is None:
                return text
            with opened_member(self._archive, member) as file:
                data = base64.b64encode(file.read(LARGEST)).decode()  # no more, whatever size it claims to have
            added += len(data)
            return f"data:image/png;base64,{data}"

        found: Json = texts_changed(dict(row), held)
        return found, added


def is_picture_file(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is a picture, judged by its name."""
    return not member.is_dir() and member.filename.lower().endswith(ENDINGS)
