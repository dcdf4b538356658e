"""Bytes of a file, changed as damage, bad luck and malice change them."""

from __future__ import annotations

HOSTILE = (
    b'"',
    b'""',
    b"\0",
    b"\r",
    b"\n\n",
    b",",
    b";;",
    b"\t",
    b"'",
    b"=1+1",
    b"nan",
    b"inf",
    b"-1e999",
    b"9007199254740993",
    b"9" * 400,
    b"1" * 30_000,
    b"0,5",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"%s%n",
    b"{0}",
    b":99999999:1",
    b"-1:1",
    b"!",
    b"#",
    b"{" * 2000,
    b"\xff" * 8,
    b"\x80\x00\x00\x00",
    b"\x7f\xff\xff\xff\xff\xff\xff\xff",
)


def truncated(data, rng):
    return data[: rng.randrange(len(data) + 1)]


def flipped(data, rng):
    """Some bits the other way round."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 64))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def overwritten(data, rng):
    """A run of zeros, ones or noise."""
    start, size = span(data, rng)
    fill = rng.choice((bytes(size), b"\xff" * size, rng.randbytes(size)))
    return data[:start] + fill + data[start + size :]


def deleted(data, rng):
    start, size = span(data, rng)
    return data[:start] + data[start + size :]


def repeated(data, rng):
    start, size = span(data, rng)
    return data[: start + size] + data[start : start + size] * rng.choice((1, 1, 50)) + data[start + size :]


def swapped(data, rng):
    """Two runs in each other's place."""
    cut = sorted(rng.randrange(len(data) + 1) for _ in range(4))
    a, b, c, d = cut
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def inserted(data, rng):
    """Something hostile, here and there."""
    for _ in range(rng.choice((1, 1, 1, 5))):
        place = rng.randrange(len(data) + 1)
        data = data[:place] + rng.choice(HOSTILE) + data[place:]
    return data


def counted_wrong(data, rng):
    """A number of four or eight bytes that is far too large, or below zero."""
    size = rng.choice((4, 8))
    place = rng.randrange(max(1, len(data) - size))
    number = rng.choice((-1, -5, 0, 2**30, 2**31 - 1, 2 ** (8 * size - 1) - 1))
    return data[:place] + number.to_bytes(size, "little", signed=True) + data[place + size :]


def extended(data, rng):
    return data + rng.choice((b"\0", b"\n", rng.randbytes(100), data))


def span(data, rng):
    """A run somewhere: where it begins, and how long it is."""
    size = min(len(data), rng.choice((1, 2, 8, 60, 500, 5000)))
    return rng.randrange(len(data) - size + 1), size


MUTATIONS = (
    truncated,
    flipped,
    overwritten,
    deleted,
    repeated,
    swapped,
    inserted,
    inserted,
    counted_wrong,
    extended,
)


def mutated(data, rng):
    """Bytes changed in one to three ways, and what was done."""
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not data:
            break
        change = rng.choice(MUTATIONS)
        data = change(data, rng)
        done.append(change.__name__)
    return data, ", ".join(done)
