"""croissant.json: a release's files and columns in Croissant 1.0, the JSON-LD that dataset catalogues read. Pure."""

import json
import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from labeling.formats.exports.containers import NUMBER, TEXT, WHOLE, YES_NO, Columns
from labeling.formats.release_card import LICENCES, Card

Json = dict[str, Any]
CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
NAMES = {TEXT: "sc:Text", WHOLE: "sc:Integer", NUMBER: "sc:Float", YES_NO: "sc:Boolean"}
# Readers detect gzip themselves. With `application/gzip` they would take the file for an archive.
FORMATS = {".jsonl": "application/jsonlines", ".jsonl.gz": "application/jsonlines", ".parquet": "application/x-parquet"}
# Readers of JSON lines convert columns with such names to dates, whatever type is declared, and then fail on that type.
TAKEN_FOR_DATES = re.compile(r"(?i)timestamp.*|modified|date|datetime|.*(_at|_time)")
Plain = dict[str, tuple[str, bool]]  # a column's type, and whether it is a list of that type


class FileFacts(NamedTuple):
    """A file of rows: its path in the folder, its hash, and its plain columns."""

    path: str
    sha256: str
    bytes: int
    columns: Plain


def croissant(card: Card, files: Iterable[FileFacts], *, published: str, page: str) -> Json:
    """Return the description. Columns of objects and of times are left out: the files contain them, and Croissant need
    not name every column. `page`: where the release is shown, if known; an address given as contact takes precedence.
    """
    files = list(files)
    licence, contact = card.said("licence"), card.said("contact")
    address = contact if contact.startswith("https://") else page
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": card.name,
        "description": card.said("purpose"),
        "version": f"{card.version}.0.0",
        "datePublished": published,
        "license": LICENCES.get(licence.lower(), licence),
        **({"url": address} if address else {}),
        "citeAs": f"{card.name} v{card.version}, made with Stepmark",
        "creator": {"@type": "sc:Organization", "name": card.project},
        "rai:dataCollection": card.said("labels_produced"),
        "rai:annotatorDemographics": card.said("people"),
        "distribution": [_file_object(file) for file in files],
        "recordSet": [_record_set(file) for file in files if file.columns],
    }


def plain_columns(columns: Columns) -> Plain:
    """Return the plain columns of a format."""
    lists = {name: column[0] if isinstance(column, list) else column for name, column in columns.items()}
    return {
        name: (NAMES[column], isinstance(columns[name], list))
        for name, column in lists.items()
        if isinstance(column, str) and not TAKEN_FOR_DATES.fullmatch(name)
    }


def written(description: Json) -> bytes:
    """Return the description as the bytes of the file."""
    return json.dumps(description, indent=2, ensure_ascii=False).encode() + b"\n"


def _id_of(path: str) -> str:
    return path.rpartition("/")[2]


def _file_object(file: FileFacts) -> Json:
    ending = "".join(PurePosixPath(file.path).suffixes)
    return {
        "@type": "cr:FileObject",
        "@id": _id_of(file.path),
        "name": _id_of(file.path),
        "contentUrl": file.path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": FORMATS.get(ending, "application/octet-stream"),
        "sha256": file.sha256,
    }


def _record_set(file: FileFacts) -> Json:
    name = _id_of(file.path).split(".")[0]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "field": [_field(file, name, column, *kind) for column, kind in file.columns.items()],
    }


def _field(file: FileFacts, record_set: str, column: str, data_type: str, repeated: bool) -> Json:
    source = {"fileObject": {"@id": _id_of(file.path)}, "extract": {"column": column}}
    about = {"@type": "cr:Field", "@id": f"{record_set}/{column}", "name": f"{record_set}/{column}"}
    return {**about, "dataType": data_type, **({"repeated": True} if repeated else {}), "source": source}
