#!/usr/bin/env python3
"""Trains the digits classifier in testdata/programs/digits and writes the program, pictures and wanted answers.

Run by hand when the model is to change; the outputs are committed and nothing else in the project needs Python:

    python3 -m venv .venv
    .venv/bin/pip install jax==0.12.0.1 scikit-learn==1.9.1 numpy==2.5.5
    .venv/bin/python scripts/train_digits.py

Data: "Optical Recognition of Handwritten Digits" (E. Alpaydin, C. Kaynak, UCI Machine Learning Repository,
CC BY 4.0), the 1797 pictures of 8x8 pixels that scikit-learn ships.
"""

import json
import pathlib
import struct
import zlib

import jax
import jax.numpy as jnp
import numpy as np
from sklearn.datasets import load_digits

SEED = 2
TEST_PICTURES = 360
EPOCHS = 60
BATCH = 48
LEARNING_RATE = 4e-3
OUT = pathlib.Path(__file__).resolve().parent.parent / "testdata" / "programs" / "digits"


def load():
    """Pictures as uint8 [n, 8, 8] from 0 (paper) to 255 (ink), and their digits; training part, test part."""
    data = load_digits()
    pictures = np.rint(data.images * (255 / 16)).astype(np.uint8)
    order = np.random.default_rng(SEED).permutation(len(pictures))
    test, train = order[:TEST_PICTURES], order[TEST_PICTURES:]
    return (pictures[train], data.target[train]), (pictures[test], data.target[test])


def scale(pictures):
    """Pixels as the program takes them: float32 from 0 to 1."""
    return pictures.astype(np.float32) / np.float32(255)


def initial_weights(key):
    def layer(key, *shape):
        fan_in = np.prod(shape[:-1])
        return jax.random.normal(key, shape) * jnp.sqrt(2 / fan_in), jnp.zeros(shape[-1])

    keys = jax.random.split(key, 4)
    return {
        "conv1": layer(keys[0], 3, 3, 1, 8),
        "conv2": layer(keys[1], 3, 3, 8, 16),
        "dense1": layer(keys[2], 4 * 4 * 16, 32),
        "dense2": layer(keys[3], 32, 10),
    }


def convolve(x, layer):
    kernel, bias = layer
    y = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(y + bias)


def logits(weights, pictures):
    """Two 3x3 convolutions, a 2x2 maximum, two dense layers. pictures f32[n, 8, 8], result f32[n, 10]."""
    x = pictures[..., None]
    x = convolve(convolve(x, weights["conv1"]), weights["conv2"])
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = x.reshape(x.shape[0], -1)
    kernel, bias = weights["dense1"]
    x = jax.nn.relu(x @ kernel + bias)
    kernel, bias = weights["dense2"]
    return x @ kernel + bias


def loss(weights, pictures, digits):
    log_probabilities = jax.nn.log_softmax(logits(weights, pictures))
    return -jnp.mean(jnp.take_along_axis(log_probabilities, digits[:, None], axis=1))


@jax.jit
def step(state, pictures, digits, rate):
    """One step of Adam."""
    weights, m, v, t = state
    gradient = jax.grad(loss)(weights, pictures, digits)
    t = t + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
    v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradient)
    weights = jax.tree.map(
        lambda w, m, v: w - rate * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), weights, m, v
    )
    return weights, m, v, t


def shifted(pictures, rng):
    """Each picture moved by up to one pixel each way."""
    padded = np.pad(pictures, ((0, 0), (1, 1), (1, 1)))
    rows, columns = rng.integers(0, 3, (2, len(pictures)))
    return np.stack([p[r : r + 8, c : c + 8] for p, r, c in zip(padded, rows, columns)])


def train(pictures, digits):
    rng = np.random.default_rng(SEED)
    weights = initial_weights(jax.random.key(SEED))
    zeros = jax.tree.map(jnp.zeros_like, weights)
    state = (weights, zeros, zeros, jnp.float32(0))
    for epoch in range(EPOCHS):
        rate = LEARNING_RATE * (1 - epoch / EPOCHS)
        order = rng.permutation(len(pictures))
        for i in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[i : i + BATCH]
            state = step(state, shifted(pictures[batch], rng), digits[batch], rate)
    # 16 bits of mantissa at most are worth keeping in text; the program is exact about what it holds.
    return jax.tree.map(lambda w: np.asarray(w).astype(np.float16).astype(np.float32), state[0])


def write_png(path, picture):
    """An 8-bit grey PNG, ink black on white paper."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    height, width = picture.shape
    rows = b"".join(b"\0" + bytes(row) for row in 255 - picture)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    path.write_bytes(png)


def main():
    (train_pictures, train_digits), (test_pictures, test_digits) = load()
    weights = train(scale(train_pictures), train_digits)

    def classify(picture):
        """picture f32[8, 8], ink 0 to 1 -> probabilities f32[10], digit s32[]"""
        scores = logits(weights, picture[None])[0]
        return jax.nn.softmax(scores), jnp.argmax(scores).astype(jnp.int32)

    got = np.argmax(logits(weights, scale(test_pictures)), axis=1)
    right = int((got == test_digits).sum())
    accuracy = right / len(test_digits)
    print(f"{right} of {len(test_digits)} test pictures right: {accuracy:.1%}")
    if accuracy < 0.97:
        raise SystemExit("accuracy below 97 %: nothing written")

    compiled = jax.jit(classify)
    text = compiled.lower(jax.ShapeDtypeStruct((8, 8), jnp.float32)).as_text()
    pictures = OUT / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    (OUT / "module.mlir").write_text(text)

    # The first test picture of each digit, whether the model gets it right or not.
    probabilities = []
    for digit in range(10):
        picture = test_pictures[np.flatnonzero(test_digits == digit)[0]]
        write_png(pictures / f"{digit}.png", picture)
        np.save(pictures / f"{digit}.npy", scale(picture))
        probability, label = map(np.asarray, compiled(scale(picture)))
        probabilities.append(probability)
        print(f"picture of {digit}: {label} with probability {probability[label]:.4f}")
        if digit == 3:  # what `halo check testdata/programs` runs
            np.save(OUT / "input_0.npy", scale(picture))
            np.save(OUT / "expected_0.npy", probability)
            np.save(OUT / "expected_1.npy", label)
    np.save(pictures / "expected.npy", np.stack(probabilities))
    meta = {
        "file": "module.mlir",
        "tolerance": [{"rtol": 1e-4, "atol": 1e-6}, {"rtol": 0, "atol": 0}],
        "test_pictures": len(test_digits),
        "test_pictures_right": right,
        "made_by": f"scripts/train_digits.py, JAX {jax.__version__}",
    }
    (OUT / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")


if __name__ == "__main__":
    main()
