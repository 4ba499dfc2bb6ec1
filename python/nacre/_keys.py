"""Keys: who an end is."""

from __future__ import annotations

import ctypes

from . import _interface as c
from ._interface import library
from ._values import NacreError, sized, text_of


class Keys:
    """The secret key that says who an end is. Whoever has `secret` (32 bytes) can take its place."""

    def __init__(self, secret: bytes) -> None:
        self.secret = sized("a secret key", secret, 32)
        public = ctypes.create_string_buffer(32)
        library.nacre_keys_public(self.secret, public)
        #: The public key, 32 bytes.
        self.public: bytes = public.raw

    @staticmethod
    def generate() -> Keys:
        """New keys."""
        secret = ctypes.create_string_buffer(32)
        if library.nacre_keys_new(secret) != c.OK:
            raise NacreError("the system has no random bytes")
        return Keys(secret.raw)

    def __repr__(self) -> str:
        return f"<nacre.Keys {key_text(self.public)}>"


def key_text(key: bytes) -> str:
    """A public key as text: 52 letters and digits."""
    text = ctypes.create_string_buffer(53)
    library.nacre_key_text(sized("a public key", key, 32), text)
    return text.value.decode()


def key_read(text: str) -> bytes:
    """The public key of a text; ValueError if it is none."""
    key = ctypes.create_string_buffer(32)
    if library.nacre_key_read(text_of("a public key", text), key) != c.OK:
        raise ValueError("the text is no public key: expected 52 letters and digits")
    return key.raw
