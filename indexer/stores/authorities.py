"""Certificate authorities of one's own: which servers' certificates are trusted beside the system's."""

from __future__ import annotations

import os
import ssl

from ..errors import StoreError

QDRANT_CA = "TREEGRAPH_QDRANT_CA"
NEO4J_CA = "TREEGRAPH_NEO4J_CA"


def authority(variable: str) -> str | None:
    """The file (PEM) of the authority that the environment's ``variable`` names; None: the system's.

    Raises StoreError where there is no such file, or no certificate in it.
    """
    path = os.environ.get(variable)
    if not path:
        return None
    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:  # SSLError is one
        unread = isinstance(error, ssl.SSLError)
        cause = "there is no certificate in it" if unread else error.strerror
        raise StoreError(
            f"{variable} names {path}, which cannot be used: {cause}; name a file of certificates (PEM)"
        ) from error
    return path


def untrusted(error: BaseException) -> bool:
    """Whether a call failed since nobody that is trusted vouches for the server's certificate."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(seen):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
