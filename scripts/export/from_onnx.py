"""Exports an ONNX model by way of JAX, as a case folder for halo check.

  python scripts/export/from_onnx.py DIR [MODEL.onnx]

Without a model it makes a small one. The answers are ONNX Runtime's if it is installed, else those of the onnx
package's own evaluator.
"""
import recipe

jax, np, onnx = recipe.need("jax"), recipe.need("numpy"), recipe.need("onnx")


def sample():
    """A multilayer perceptron with a residual connection."""
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    constants = [numpy_helper.from_array(rng.standard_normal(s).astype("f4"), n)
                 for n, s in (("w1", (6, 16)), ("b1", (16,)), ("w2", (16, 6)), ("b2", (6,)))]
    nodes = [helper.make_node("Gemm", ["x", "w1", "b1"], ["h"]), helper.make_node("Relu", ["h"], ["r"]),
             helper.make_node("Gemm", ["r", "w2", "b2"], ["g"]), helper.make_node("Add", ["g", "x"], ["s"]),
             helper.make_node("Softmax", ["s"], ["y"], axis=-1)]
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [5, 6])
    graph = helper.make_graph(nodes, "mlp", [value("x")], [value("y")], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def answers_of(model, inputs):
    try:
        import onnxruntime
        session = onnxruntime.InferenceSession(model.SerializeToString())
        return session.run(None, inputs)
    except ImportError:
        from onnx.reference import ReferenceEvaluator
        return ReferenceEvaluator(model).run(None, inputs)


def export(folder, model, inputs, answers):
    call = recipe.need("jaxonnxruntime.call_onnx")
    function, weights = call.call_onnx_model(model, inputs)
    shapes = {name: jax.ShapeDtypeStruct(a.shape, a.dtype) for name, a in inputs.items()}
    weights = {name: np.asarray(w) for name, w in weights.items()}
    exported = jax.export.export(jax.jit(lambda w, x: function(w, x)))(weights, shapes)
    kept = [sorted(weights)[i] for i in exported.module_kept_var_idx if i < len(weights)]
    recipe.write(folder, exported, list(inputs.values()), answers, {name: weights[name] for name in kept})


def main(folder, path=None):
    model = onnx.load(path) if path else sample()
    rng = np.random.default_rng(1)
    inputs = {}
    for value in model.graph.input:
        dims = [d.dim_value or 1 for d in value.type.tensor_type.shape.dim]
        inputs[value.name] = rng.standard_normal(dims).astype("f4")
    export(folder, model, inputs, answers_of(model, inputs))


if __name__ == "__main__":
    main(*recipe.arguments(__doc__)[:2])
