"""Exports a TensorFlow function, as a case folder for halo check.

  python scripts/export/from_tensorflow.py DIR

tf.function with jit_compile hands its program over as XLA's HLO, text and proto, and as StableHLO; nothing runs on the
way. What the function captures, variables and constants, are parameters behind its arguments.
"""
import pathlib

import recipe

tf, np = recipe.need("tensorflow"), recipe.need("numpy")

FORMS = {"module.hlo": "hlo", "module.pb": "hlo_serialized", "module.mlir": "stablehlo"}


def captured(function):
    """The values of what a concrete function captures, in the order of its parameters."""
    variables = {id(v.handle): v for v in function.variables}
    return [variables[id(c)].numpy() if id(c) in variables else c.numpy() for c in function.captured_inputs]


def main(folder):
    rng = np.random.default_rng(0)
    kernel = tf.Variable(rng.standard_normal((6, 4)).astype("f4"))
    scale = tf.constant(rng.standard_normal((4,)).astype("f4"))

    @tf.function(jit_compile=True)
    def model(x):
        return tf.nn.softmax(tf.nn.relu(tf.matmul(x, kernel)) * scale + 1.0)

    x = rng.standard_normal((5, 6)).astype("f4")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, stage in FORMS.items():
        program = model.experimental_get_compiler_ir(tf.constant(x))(stage=stage)
        (folder / name).write_bytes(program if isinstance(program, bytes) else program.encode())
    inputs = [x] + captured(model.get_concrete_function(tf.constant(x)))
    recipe.finish(folder, inputs, [model(tf.constant(x)).numpy()])


if __name__ == "__main__":
    main(recipe.arguments(__doc__)[0])
