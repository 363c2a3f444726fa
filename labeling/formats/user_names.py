"""User names that look alike: what of a name the eye sees, and names of letters that do not belong together.

After Unicode's UTS #39, with the letters that matter in a name instead of its ten thousand signs. Look-alikes within
A to Z and 0 to 9 (l and 1, rn and m) are not folded: people are really called so.
"""

import re
import unicodedata
from typing import NamedTuple

USER_NAME = re.compile(r"[\w.@+-]{1,150}")
PART = re.compile(r"[^\W\d_]+")  # ivan.иванов@example.org has parts of two scripts, and none that mixes them
SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")  # with letters that look like another's

# Letters, and what they look like.
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
    """A part of a name, and the two scripts that its letters are of."""

    part: str
    scripts: tuple[str, str]


def skeleton(name: str) -> str:
    """What of the name the eye sees, in small letters: two names with one skeleton look the same."""
    return unicodedata.normalize("NFKC", name).translate(_SEEN).translate(_A_TO_Z)


def mixed_scripts(name: str) -> MixedScripts | None:
    """The first part of the name with letters of two scripts that look alike; None where each is of one script."""
    for part in PART.findall(unicodedata.normalize("NFKC", name)):
        found = [script for script in SCRIPTS if any(_is_of(letter, script) for letter in part)]
        if len(found) > 1:
            return MixedScripts(part, (found[0].capitalize(), found[1].capitalize()))
    return None


def _is_of(letter: str, script: str) -> bool:
    return unicodedata.name(letter, "").startswith(script)
