"""Exports a TensorFlow function, as a case folder for halo check.

  python scripts/export/from_tensorflow.py DIR

tf.function with jit_compile hands its program over as XLA's HLO; nothing runs on the way.
"""
import pathlib
import sys

import recipe

tf, np = recipe.need("tensorflow"), recipe.need("numpy")


def main(folder):
    rng = np.random.default_rng(0)
    w = tf.constant(rng.standard_normal((6, 4)).astype("f4"))

    @tf.function(jit_compile=True)
    def model(x):
        return tf.nn.softmax(tf.nn.relu(tf.matmul(x, w)) + 1.0)

    x = rng.standard_normal((5, 6)).astype("f4")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "module.hlo").write_text(model.experimental_get_compiler_ir(tf.constant(x))(stage="hlo"))
    recipe.finish(folder, [x], [model(tf.constant(x)).numpy()])


if __name__ == "__main__":
    main(sys.argv[1])
