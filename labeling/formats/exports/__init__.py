"""Every format that labels are exported in. To add one: a file here with its record, and its place in the list.

The command line, the API, the page's form, the manifest and docs/formats.md follow the list; the first is what is made
where nobody asks for another.
"""

from labeling.formats.exports import neutral, prm800k
from labeling.formats.exports.export_format import ExportFormat

EXPORT_FORMATS: dict[str, ExportFormat] = {format.name: format for format in (prm800k.FORMAT, neutral.FORMAT)}
