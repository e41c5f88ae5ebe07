"""An authority of the tests' own, and a certificate of it for loopback, as files (PEM)."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Certified:
    """Files: the authority's certificate, and key and certificate of a server on 127.0.0.1."""

    authority: Path
    key: Path
    certificate: Path


def certified(folder: Path) -> Certified:
    """Make an authority, and let it sign a server's certificate."""
    folder.mkdir(parents=True, exist_ok=True)
    signing, serving = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("test authority", signing.public_key(), signing, "test authority", signs=True)
    server = _certificate("127.0.0.1", serving.public_key(), signing, "test authority", signs=False)
    made = Certified(folder / "authority.crt", folder / "private.key", folder / "public.crt")
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    made.certificate.write_bytes(server.public_bytes(serialization.Encoding.PEM))
    made.key.write_bytes(
        serving.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return made


def _certificate(
    name: str, key: ec.EllipticCurvePublicKey, by: ec.EllipticCurvePrivateKey, issuer: str, signs: bool
) -> x509.Certificate:
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named(issuer))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + _DAY)
        .add_extension(x509.BasicConstraints(ca=signs, path_length=None), critical=True)
    )
    if not signs:
        addresses = [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        made = made.add_extension(x509.SubjectAlternativeName(addresses), critical=False)
    return made.sign(by, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
