"""What the recipes share: what they need, and how a case folder is written."""
import importlib
import json
import pathlib
import struct
import sys

MISSING = 3  # the exit code when a package is not installed


def need(name):
    """Imports a package, or ends the script with MISSING and a sentence."""
    try:
        module = importlib.import_module(name)
        if name == "jax":
            import jax.export  # noqa: F401
        return module
    except Exception as error:
        print(f"{name} cannot be used here: {error}", file=sys.stderr)
        sys.exit(MISSING)


def arguments(text):
    """Returns the script's arguments, or ends it with its text, which says what they are, if there are none."""
    given = sys.argv[1:]
    if not given or given[0] in ("-h", "--help"):
        print(text.strip(), file=sys.stderr)
        sys.exit(0 if given else 2)
    return given


def write(folder, exported, inputs, answers, weights=None, tolerance=1e-5):
    """Writes a container of jax.export with its inputs and answers; weights, by name, are the first parameters."""
    import numpy as np

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "module.jax_export").write_bytes(exported.serialize())
    if len(exported.platforms) == 1:  # else the program itself has a parameter more, the number of the platform
        (folder / "module.mlir.bc").write_bytes(exported.mlir_module_serialized)
    finish(folder, inputs, answers, weights, tolerance)


def finish(folder, inputs, answers, weights=None, tolerance=1e-5):
    """Writes inputs, answers, weights and meta.json of a case folder that has its program."""
    import numpy as np

    folder = pathlib.Path(folder)
    for stem, arrays in (("input", inputs), ("expected", answers)):
        for i, a in enumerate(arrays):
            np.save(folder / f"{stem}_{i}.npy", np.asarray(a))
    meta = {"name": folder.name, "tolerance": {"rtol": tolerance, "atol": tolerance}}
    if weights:
        safetensors(folder / "weights.safetensors", weights)
        meta["weights"] = {"file": "weights.safetensors", "parameters": list(weights)}
    (folder / "meta.json").write_text(json.dumps(meta))


def safetensors(path, arrays):
    """Writes arrays of f32, i32 or i64 by name: a length, a header in JSON, and the elements."""
    types = {"float32": "F32", "int32": "I32", "int64": "I64"}
    header, data = {}, b""
    for name, a in arrays.items():
        end = len(data) + a.nbytes
        header[name] = {"dtype": types[str(a.dtype)], "shape": list(a.shape), "data_offsets": [len(data), end]}
        data += a.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
