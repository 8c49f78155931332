"""Prints the table of xla/hlo/fft_bits_test.go: hashes of the bits of transforms of 32-bit numbers.

The oracle is scipy's FFT (tried: numpy 2.4.6, scipy 1.17.1), built without fused multiply-add: for these lengths its
arithmetic is that of the library under XLA on CPUs. Complex transforms go one dimension at a time, innermost first,
which is XLA's order.

    python scripts/oracle_fft.py
"""

import numpy as np
import scipy.fft

LENGTHS = [2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 22, 23, 32, 33, 48, 63, 97, 100, 113, 128, 143, 180, 256, 300]
DIMS = [[2, 3], [9, 10], [4, 9, 10], [15, 16, 17], [3, 5, 32]]


def numbers(count):
    k = np.arange(count, dtype=np.uint64)
    top = (k * np.uint64(2654435761) + np.uint64(12345)) % np.uint64(1 << 32) >> np.uint64(8)
    return (top.astype(np.float64) / (1 << 23) - 1).astype(np.float32)


def fnv(a):
    h = 0xCBF29CE484222325
    for b in np.ascontiguousarray(a).tobytes():
        h = (h ^ b) * 0x100000001B3 % (1 << 64)
    return h


def complex_one_by_one(x, axes, inverse):
    for d in reversed(axes):
        x = scipy.fft.ifft(x, axis=d, norm="forward") if inverse else scipy.fft.fft(x, axis=d)
        if inverse and d == axes[-1]:
            x = x * np.float32(1 / np.prod([x.shape[i] for i in axes]))
    return x


def results(length):
    axes = list(range(1, len(length) + 1))
    n = int(np.prod(length))
    x = numbers(4 * n).view(np.complex64).reshape([2] + length)
    half = length[:-1] + [length[-1] // 2 + 1]
    h = numbers(4 * int(np.prod(half))).view(np.complex64).reshape([2] + half)
    yield complex_one_by_one(x, axes, False)
    yield complex_one_by_one(x, axes, True)
    yield scipy.fft.rfftn(numbers(2 * n).reshape([2] + length), axes=axes)
    yield scipy.fft.irfftn(h, s=length, axes=axes)


for length in [[n] for n in LENGTHS] + DIMS:
    hashes = ", ".join("0x%016x" % fnv(r) for r in results(length))
    print("\t{dims(%s), [4]uint64{%s}}," % (", ".join(map(str, length)), hashes))
