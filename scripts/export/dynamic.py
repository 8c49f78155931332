"""Exports programs with symbolic dimensions from JAX, as case folders: halo check DIR runs them at three sizes.

  python scripts/export/dynamic.py DIR

Each folder DIR/NAME_SIZE has the program as module.mlir.bc and module.jax_export, inputs and JAX's answers for one
size. A folder DIR/NAME_refused has inputs that the program's shape assertions refuse, as JAX does.
"""
import pathlib

import recipe

jax, np = recipe.need("jax"), recipe.need("numpy")
jnp, lax, export = jax.numpy, jax.lax, jax.export

PROGRAMS = []


def program(spec, sizes, dtypes=None, refused=None, constraints=(), platforms=("cpu",)):
    """Registers a function: spec is the symbolic shapes of its arguments, sizes the values of the dimensions."""

    def register(f):
        PROGRAMS.append((f.__name__, f, spec, sizes, dtypes, refused, constraints, platforms))
        return f

    return register


@program(["b, 6", "6, 4"], [{"b": 1}, {"b": 5}, {"b": 64}])
def dense(x, w):
    return jax.nn.softmax(jnp.tanh(x @ w + jnp.arange(4.0)), axis=-1)


@program(["4*m, 3"], [{"m": 1}, {"m": 3}, {"m": 10}], refused={0: (6, 3)})
def divisible(x):
    return x.reshape(-1, 4, 3).sum(axis=1), jnp.concatenate([x, x[::2]]).mean(axis=0)


@program(["a, c"], [{"a": 3, "c": 5}, {"a": 7, "c": 2}, {"a": 4, "c": 4}])
def extremes(x):
    n, m = jax.core.min_dim(*x.shape), jax.core.max_dim(*x.shape)
    return x[:n, :n] * jnp.eye(n), jnp.pad(x, ((0, m - x.shape[0]), (0, m - x.shape[1])))


@program(["b, h, h, 2", "3, 3, 2, 4"], [{"b": 1, "h": 5}, {"b": 2, "h": 8}, {"b": 3, "h": 11}])
def convolution(x, k):
    y = lax.conv_general_dilated(x, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 1, 1), "VALID")


@program(["n"], [{"n": 2}, {"n": 9}, {"n": 33}], constraints=["n >= 2"])
def sorting(x):
    k, i = lax.sort_key_val(x, jnp.arange(x.shape[0])), jnp.argsort(-x)
    return k[0], i, jnp.cumsum(x), jnp.argmax(x), x.at[i[0]].set(0.0), lax.top_k(x, 2)[0]


@program(["t, d", "d, d"], [{"t": 1, "d": 3}, {"t": 6, "d": 4}, {"t": 20, "d": 2}])
def recurrence(x, w):
    def step(h, v):
        h = jnp.tanh(h @ w + v)
        return h, h * x.shape[0]

    return lax.scan(step, jnp.zeros(x.shape[1]), x)


@program(["n, n"], [{"n": 2}, {"n": 5}, {"n": 12}])
def loops(x):
    def body(i, c):
        return c @ x * 0.1 + lax.dynamic_slice_in_dim(x, i % x.shape[0], 1, 0)

    y = lax.fori_loop(0, x.shape[0] // 2 + 1, body, x)
    return lax.cond(y.sum() > 0, lambda v: v.T * 2, lambda v: v - x.shape[0], y), jnp.trace(y)


@program(["n, 4", "k"], [{"n": 3, "k": 1}, {"n": 8, "k": 5}, {"n": 2, "k": 30}], dtypes=["f4", "i4"])
def indexing(x, i):
    rows = x[i % x.shape[0]]
    back = jnp.zeros_like(x).at[i % x.shape[0]].add(rows)
    return rows, back, jnp.take_along_axis(x, jnp.argsort(x, axis=0), axis=0), jax.nn.one_hot(i % 3, x.shape[0])


@program(["s, d", "s, d"], [{"s": 2, "d": 4}, {"s": 7, "d": 3}, {"s": 16, "d": 8}])
def attention(q, k):
    scores = q @ k.T / jnp.sqrt(jnp.float32(q.shape[1]))
    mask = jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool))
    return jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1) @ k


@program(["a, b", "b, a"], [{"a": 2, "b": 3}, {"a": 1, "b": 1}, {"a": 6, "b": 4}])
def gradients(x, y):
    def loss(x, y):
        z = jnp.einsum("ab,bc->ac", x, y)
        return jnp.sum(jnp.sin(z) ** 2) / (x.shape[0] * x.shape[1] + 1)

    return jax.value_and_grad(loss, argnums=(0, 1))(x, y)


@program(["n + 1, 2*n"], [{"n": 1}, {"n": 4}, {"n": 9}], refused={0: (3, 5)})
def arithmetic(x):
    n = x.shape[0] - 1
    y = jnp.linspace(0.0, 1.0, n + 2)
    return y, x[1:, ::2] + jnp.broadcast_to(y[:n], (n, n)), jnp.tile(x, (1, 2)), x[-1, n // 2:], x.ravel()[:: n]


@program(["b, 8"], [{"b": 2}, {"b": 3}, {"b": 17}], refused={0: (1, 8)}, constraints=["b >= 2"])
def constrained(x):
    return jnp.flip(x, 0), jnp.roll(x, 1, axis=0), jnp.split(x, 2, axis=1)[1], jnp.stack([x, x], axis=1).var(axis=0)


@program(["n, 3"], [{"n": 1}, {"n": 4}, {"n": 20}], platforms=("cuda", "cpu"))
def platforms(x):
    return lax.platform_dependent(x, cpu=lambda v: v[::-1] * 2, default=lambda v: v - 1), x.sum(axis=0)


def arrays(shapes, dtypes, seed):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(s).astype("f4") if t == "f4" else rng.integers(0, 100, s).astype(t)
            for s, t in zip(shapes, dtypes)]


def shapes_of(args, values):
    scope = {}
    return [tuple(d if isinstance(d, int) else int(d._evaluate(values)) for d in a.shape) for a in args]


def main(out):
    for seed, (name, f, spec, sizes, dtypes, refused, constraints, platforms) in enumerate(PROGRAMS):
        scope = export.SymbolicScope(list(constraints))
        dtypes = dtypes or ["f4"] * len(spec)
        args = [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), t) for s, t in zip(spec, dtypes)]
        exported = export.export(jax.jit(f), platforms=platforms)(*args)
        for k, values in enumerate(sizes):
            inputs = arrays(shapes_of(args, values), dtypes, seed + k)
            answers = jax.tree.leaves(jax.jit(f)(*inputs))
            recipe.write(out / f"{name}_{k}", exported, inputs, answers, tolerance=2e-5)
        if refused:
            inputs = arrays([refused.get(i) for i in range(len(spec))], dtypes, 0)
            try:
                exported.call(*inputs)
                raise SystemExit(f"{name}: JAX takes what it should refuse")
            except ValueError:
                pass
            recipe.write(out / f"{name}_refused", exported, inputs, [])
    print(f"{len(PROGRAMS)} programs")


if __name__ == "__main__":
    main(pathlib.Path(recipe.arguments(__doc__)[0]))
