"""Files that belong next to an export's own file, made on request."""

from labeling.actions.exports import file_name, format_of
from labeling.errors import NotFound
from labeling.formats.exports.export_format import Companion
from labeling.models import Export


def companion_of(export: Export, name: str) -> bytes:
    """Return a file that belongs next to an export's own. Raises NotFound if its format has none of this name."""
    companion = format_of(export).companion(name)
    if companion is None:
        raise NotFound
    return written(companion, export)


def written(companion: Companion, export: Export) -> bytes:
    """Return the bytes of a companion. It refers to the export's file in its unpacked form."""
    return companion.write(export.format, file_name(export).removesuffix(".gz"))
