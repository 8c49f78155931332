"""Exports a PyTorch module, as a case folder for halo check.

  python scripts/export/from_torch.py DIR [--by torchax|onnx]

The way by torchax gives StableHLO of the module that torch.export traced, weights apart under the names of its
state_dict. Where torchax does not fit the installed PyTorch, the module goes by ONNX and JAX.
"""
import sys

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


def by_torchax(folder, net, x):
    export = recipe.need("torchax.export")
    weights, function = export.exported_program_to_jax(torch.export.export(net, (x,)))
    exported = jax.export.export(jax.jit(function))(weights, (x.numpy(),))
    names = list(net.state_dict())
    given = {name: np.asarray(w) for name, w in zip(names, jax.tree.leaves(weights))}
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
            import torchax.export  # noqa: F401
            way = "torchax"
        except Exception:
            way = "onnx"
    {"torchax": by_torchax, "onnx": by_onnx}[way](folder, net, x)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else None)
