"""A device with one passkey, as in WebAuthn: a browser's answers to challenges of the site, really signed."""

import hashlib
import json
import os
import struct
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_encode

ORIGIN = "http://testserver"
HOST = hashlib.sha256(b"testserver").digest()
PRESENT, VERIFIED, MADE = 0x01, 0x04, 0x40


class Authenticator:
    """A device that knows its owner. `count` is how often it claims to have been used: always 0, like a passkey kept on
    several devices, unless a test counts.
    """

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = os.urandom(16)
        self.count = 0

    def make(self, options: dict[str, Any], *, empty: bool = False) -> dict[str, Any]:
        """Return the credential for `public_key` of the site's answer; `empty`: signed, but without a key in it."""
        public = cbor.encode(dict(ES256.from_cryptography_key(self.key.public_key())))
        about = bytes(16) + struct.pack(">H", len(self.credential_id)) + self.credential_id + public
        data = HOST + bytes([PRESENT | VERIFIED | (0 if empty else MADE)]) + self._counted() + (b"" if empty else about)
        made = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options)
        return self._credential({"clientDataJSON": websafe_encode(client), "attestationObject": websafe_encode(made)})

    def use(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the signature over the challenge."""
        data, client = HOST + bytes([PRESENT | VERIFIED]) + self._counted(), self._client("webauthn.get", options)
        signed = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        parts = {"clientDataJSON": client, "authenticatorData": data, "signature": signed}
        return self._credential({name: websafe_encode(part) for name, part in parts.items()})

    def _counted(self) -> bytes:
        return struct.pack(">I", self.count)

    def _client(self, kind: str, options: dict[str, Any]) -> bytes:
        return json.dumps({"type": kind, "challenge": options["challenge"], "origin": ORIGIN}).encode()

    def _credential(self, response: dict[str, str]) -> dict[str, Any]:
        name = websafe_encode(self.credential_id)
        return {"id": name, "rawId": name, "type": "public-key", "response": response, "clientExtensionResults": {}}
