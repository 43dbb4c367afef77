"""Writes protobuf fields, for the few messages that model files need.

The wire format in short: a field is a key (number · 8 + type) and a value, either a varint
(type 0), four bytes (type 5), or a length and that many bytes (type 2).
"""

import struct


def _varint(value: int) -> bytes:
    """Return `value` with seven bits a byte, lowest first; a negative one in two's complement."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number_field(field: int, value: int) -> bytes:
    """Return an integer field."""
    return _varint(field << 3) + _varint(value)


def float_field(field: int, value: float) -> bytes:
    """Return a float32 field."""
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def bytes_field(field: int, value: bytes | str) -> bytes:
    """Return a field of bytes, of a text or of another message."""
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw
