"""One file into a bucket that speaks S3, signed with AWS Signature Version 4."""

import hashlib
import hmac
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx

PIECE = 2**20
PATIENCE = httpx.Timeout(60.0, write=600.0)
SIGNED = ("host", "x-amz-content-sha256", "x-amz-date")


def opened() -> httpx.Client:
    """A connection for several files."""
    return httpx.Client(timeout=PATIENCE)


def put_file(client: httpx.Client, url: str, path: Path, *, key: str, secret: str, region: str) -> httpx.Response:
    """PUT a file, read in pieces; S3 takes up to 5 GB so. `url` is the object's, with its bucket in the path."""
    digest = _sha256(path)
    headers = signed_headers("PUT", url, digest, key=key, secret=secret, region=region, at=datetime.now(UTC))
    headers["content-length"] = str(path.stat().st_size)
    return client.put(url, headers=headers, content=_pieces(path))


def signed_headers(
    method: str, url: str, payload: str, *, key: str, secret: str, region: str, at: datetime
) -> dict[str, str]:
    """The headers of a request whose body has this SHA-256 (hex). Pure."""
    address = urlsplit(url)
    stamp, day = at.strftime("%Y%m%dT%H%M%SZ"), at.strftime("%Y%m%d")
    headers = {"host": address.netloc, "x-amz-content-sha256": payload, "x-amz-date": stamp}
    listed = "".join(f"{name}:{headers[name]}\n" for name in SIGNED)
    request = "\n".join([method, quote(address.path), address.query, listed, ";".join(SIGNED), payload])
    scope = f"{day}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(request.encode()).hexdigest()])
    signing = f"AWS4{secret}".encode()
    for part in (day, region, "s3", "aws4_request"):
        signing = hmac.digest(signing, part.encode(), "sha256")
    signature = hmac.digest(signing, text.encode(), "sha256").hex()
    by = f"Credential={key}/{scope}, SignedHeaders={';'.join(SIGNED)}, Signature={signature}"
    return {**headers, "authorization": f"AWS4-HMAC-SHA256 {by}"}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece
