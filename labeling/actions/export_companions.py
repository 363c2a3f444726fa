"""Files that belong next to an export's own, made on request."""

from labeling.actions.exports import file_name, format_of
from labeling.errors import NotFound
from labeling.formats.exports.export_format import Companion
from labeling.models import Export


def companion_of(export: Export, name: str) -> bytes:
    """A file that belongs beside an export's own. Raises NotFound where its format has none of this name."""
    companion = format_of(export).companion(name)
    if companion is None:
        raise NotFound
    return written(companion, export)


def written(companion: Companion, export: Export) -> bytes:
    """The bytes of a companion; what it names is the export's file, unpacked."""
    return companion.write(export.format, file_name(export).removesuffix(".gz"))
