"""Exports a JAX function with its parameters, as a case folder for halo check.

  python scripts/export/from_jax.py DIR

DIR gets module.jax_export and module.mlir.bc, the parameters in weights.safetensors under their paths in the tree, the
rest of the inputs as input_N.npy and JAX's answers as expected_N.npy.
"""
import recipe

jax, np = recipe.need("jax"), recipe.need("numpy")
jnp = jax.numpy


def model(params, x):
    for name in ("hidden", "out"):
        x = x @ params[name]["kernel"] + params[name]["bias"]
        if name == "hidden":
            x = jax.nn.gelu(x)
    return jax.nn.softmax(x)


def main(folder):
    rng = np.random.default_rng(0)
    array = lambda *dims: rng.standard_normal(dims).astype("f4")
    params = {"hidden": {"kernel": array(6, 8), "bias": array(8)}, "out": {"kernel": array(8, 3), "bias": array(3)}}
    x = array(5, 6)
    batch, = jax.export.symbolic_shape("b")  # the program takes any number of rows
    shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), params)
    exported = jax.export.export(jax.jit(model))(shapes, jax.ShapeDtypeStruct((batch, 6), jnp.float32))
    names = ["/".join(k.key for k in path) for path, _ in jax.tree_util.tree_leaves_with_path(params)]
    weights = dict(zip(names, jax.tree.leaves(params)))
    recipe.write(folder, exported, [x], [np.asarray(model(params, x))], weights)


if __name__ == "__main__":
    main(recipe.arguments(__doc__)[0])
