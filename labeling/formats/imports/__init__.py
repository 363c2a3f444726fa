"""Every format that files are imported from. To add one: a file here with its record, and its place in the list.

Detection, the command line, the API, the page's form and docs/formats.md follow the list, in its order.
"""

from labeling.formats.imports import neutral, prm800k, problems, processbench
from labeling.formats.imports.agents import RUN_FORMATS
from labeling.formats.imports.import_format import ImportFormat

IMPORT_FORMATS: dict[str, ImportFormat] = {
    format.name: format
    for format in (neutral.FORMAT, prm800k.FORMAT, processbench.FORMAT, *RUN_FORMATS, problems.FORMAT)
}
