"""One end of a handshake, run by another implementation of Noise (dissononce), for src/secure/interoperation.rs.

Lines in, lines out, bytes in hexadecimal digits, `-` for none:
    begin PATTERN ROLE PROLOGUE SECRET_KEY KEY_OF_THE_OTHER SHARED_SECRET
    write PAYLOAD -> the message
    read MESSAGE -> the payload, or `forged`
    end -> a text sealed with each of the two keys
"""
import sys

from dissononce.cipher.chachapoly import ChaChaPolyCipher
from dissononce.dh.x25519.private import PrivateKey
from dissononce.dh.x25519.public import PublicKey
from dissononce.dh.x25519.x25519 import X25519DH
from dissononce.hash.sha256 import SHA256Hash
from dissononce.processing.handshakepatterns.interactive.IK import IKHandshakePattern
from dissononce.processing.handshakepatterns.interactive.NN import NNHandshakePattern
from dissononce.processing.handshakepatterns.interactive.XX import XXHandshakePattern
from dissononce.processing.impl.cipherstate import CipherState
from dissononce.processing.impl.handshakestate import HandshakeState
from dissononce.processing.impl.symmetricstate import SymmetricState
from dissononce.processing.modifiers.psk import PSKPatternModifier

PATTERNS = {
    "XX": XXHandshakePattern,
    "IK": IKHandshakePattern,
    "NNpsk0": lambda: PSKPatternModifier(0).modify(NNHandshakePattern()),
}


def begin(pattern, role, prologue, secret, other, shared):
    dh = X25519DH()
    state = HandshakeState(SymmetricState(CipherState(ChaChaPolyCipher()), SHA256Hash()), dh)
    keys = None if secret == "-" else dh.generate_keypair(PrivateKey(bytes.fromhex(secret)))
    known = None if other == "-" else PublicKey(bytes.fromhex(other))
    psks = None if shared == "-" else [bytes.fromhex(shared)]
    state.initialize(PATTERNS[pattern](), role == "initiator", bytes.fromhex(prologue), s=keys, rs=known, psks=psks)
    return state


def main():
    state, keys = None, None
    for line in sys.stdin:
        command, *words = line.split()
        out = bytearray()
        if command == "begin":
            state = begin(*words)
            continue
        if command == "write":
            keys = state.write_message(bytes.fromhex(words[0]) if words else b"", out) or keys
            print(out.hex(), flush=True)
        elif command == "read":
            try:
                keys = state.read_message(bytes.fromhex(words[0]), out) or keys
                print(out.hex() or "-", flush=True)
            except Exception:
                print("forged", flush=True)
        elif command == "end":
            print(*(key.encrypt_with_ad(b"", b"the end").hex() for key in keys), flush=True)


main()
