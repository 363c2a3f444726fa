"""Look-alike user names: a form that is equal for names that look the same, and names that mix scripts.

A small version of Unicode's UTS #39: only letters that matter in names, not its ten thousand characters. Look-alikes
within A to Z and 0 to 9 (l and 1, rn and m) are not folded, because real names differ only in these.
"""

import re
import unicodedata
from typing import NamedTuple

USER_NAME = re.compile(r"[\w.@+-]{1,150}")
PART = re.compile(r"[^\W\d_]+")  # ivan.иванов@example.org has parts in two scripts, but none mixes them
SCRIPTS = (
    "LATIN",
    "CYRILLIC",
    "GREEK",
    "ARMENIAN",
    "CHEROKEE",
    "COPTIC",
)  # these have letters that look like another's

# Letters, and the letters they look like.
_PAIRS = {
    "АВЕЅІЈКМНОРСТУХЬ": "ABESIJKMHOPCTYXb",
    "аеѕіјорсухһԁԛԝ": "aesijopcyxhdqw",
    "ӒӓӦӧЁёЇїӔӕӨө": "ÄäÖöËëÏïÆæƟɵ",
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ": "ABEZHIKMNOPTYX",
    "αικνορυϳ": "aikvopuj",
    "άίόύϊΐϋΰΆΈΉΊΌΎΪΫ": "áíóúïïüüÁÉHÍÓÝÏŸ",
    "օոսհցզԼՕՍՏ": "onuhgqLOUS",
    "ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᏀᏃᏏᏒᏔᏙᏚᏞᏟᏢᏦᏴ": "DRTiAJEWMHYGZbRWVSLCPKB",
    "ⲟⲞⲣⲢⲥⲤ": "oOpPcC",
    "ıİȷɡɑɩƖ": "iIjgaiI",
}
LOOKS, LIKE = "".join(_PAIRS), "".join(_PAIRS.values())
_SEEN = str.maketrans(LOOKS, LIKE)
_A_TO_Z = str.maketrans({capital: capital.lower() for capital in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})


class MixedScripts(NamedTuple):
    """A part of a name, and the two scripts of its letters."""

    part: str
    scripts: tuple[str, str]


def skeleton(name: str) -> str:
    """Return a lower-case form that is equal for names that look the same (UTS #39: skeleton)."""
    return unicodedata.normalize("NFKC", name).translate(_SEEN).translate(_A_TO_Z)


def mixed_scripts(name: str) -> MixedScripts | None:
    """Return the first part of the name that mixes look-alike scripts, or None."""
    for part in PART.findall(unicodedata.normalize("NFKC", name)):
        found = [script for script in SCRIPTS if any(_is_of(letter, script) for letter in part)]
        if len(found) > 1:
            return MixedScripts(part, (found[0].capitalize(), found[1].capitalize()))
    return None


def _is_of(letter: str, script: str) -> bool:
    return unicodedata.name(letter, "").startswith(script)
