"""Exports a PyTorch module, as a case folder for halo check.

  python scripts/export/from_torch.py DIR [--by torchax|onnx]

The way by torchax gives StableHLO of the module that torch.export traced, weights apart under the names of its
state_dict. Where torchax is not installed or does not fit PyTorch, the module goes by ONNX and JAX.
"""
import contextlib

import recipe

torch, jax, np = recipe.need("torch"), recipe.need("jax"), recipe.need("numpy")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.out = torch.nn.Linear(64, 10)

    def forward(self, x):
        x = torch.nn.functional.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        return torch.softmax(self.out(x.flatten(1)), -1)


class Removed:
    """Stands for an operator that PyTorch no longer has."""

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name

    def __getattr__(self, key):
        if key.startswith("_"):
            raise AttributeError(key)
        return Removed(f"{self.name}.{key}")


@contextlib.contextmanager
def removed_operators():
    """Lets torchax 0.0.13 load with PyTorch 2.15: its tables name operators of arrays with named dimensions, and old
    ones of linear algebra, that are gone. Programs cannot hold them either, so that nothing is lost."""
    kinds = torch._ops.OpOverloadPacket, torch._ops._OpNamespace
    before = [kind.__getattr__ for kind in kinds]

    def lookup(find):
        def get(self, key):
            try:
                return find(self, key)
            except AttributeError:
                if key.startswith("_") or not str(self).startswith("aten") and getattr(self, "name", "") != "aten":
                    raise
                return Removed(f"aten.{key}")
        return get

    for kind, find in zip(kinds, before):
        kind.__getattr__ = lookup(find)
    try:
        yield
    finally:
        for kind, find in zip(kinds, before):
            kind.__getattr__ = find


def torchax_export():
    with removed_operators():
        import torchax.export
        torchax.default_env()  # loads the tables
    return torchax.export


def by_torchax(folder, net, x):
    export = torchax_export()
    program = torch.export.export(net, (x,))
    weights, function = export.exported_program_to_jax(program)
    exported = jax.export.export(jax.jit(function))(weights, (x.numpy(),))
    names = [*program.graph_signature.parameters, *program.graph_signature.buffers]
    given = {name: np.asarray(w) for i, (name, w) in enumerate(zip(names, jax.tree.leaves(weights)))
             if i in exported.module_kept_var_idx}  # what nothing uses is no argument
    recipe.write(folder, exported, [x.numpy()], [net(x).detach().numpy()], given)


def by_onnx(folder, net, x):
    import from_onnx

    recipe.need("onnxscript")
    program = torch.onnx.export(net, (x,), dynamo=True, verbose=False)
    from_onnx.export(folder, program.model_proto, {"x": x.numpy()}, [net(x).detach().numpy()])


def main(folder, way=None):
    torch.manual_seed(0)
    net, x = Net().eval(), torch.randn(3, 1, 8, 8)
    if way is None:
        try:
            torchax_export()
            way = "torchax"
        except Exception:
            way = "onnx"
    {"torchax": by_torchax, "onnx": by_onnx}[way](folder, net, x)


if __name__ == "__main__":
    folder, *way = recipe.arguments(__doc__)
    main(folder, way[1] if len(way) > 1 else None)
