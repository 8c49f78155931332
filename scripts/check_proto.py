#!/usr/bin/env python3
"""Checks that JAX reads and runs what halo writes as HloModuleProto, with the answers that the programs have.

    python3 -m venv .venv
    .venv/bin/pip install jax==0.12.0.1
    .venv/bin/python scripts/check_proto.py HALO FOLDER...

HALO is the tool. Each folder below FOLDER with a program, input_N.npy and expected_N.npy is a case, as halo check has
it. Its program is converted to a HloModuleProto, read by the XLA inside JAX, and run on the CPU.
--part 1/3 takes the first of every three cases; the parts are all of them.
"""

import sys

import check_bytecode  # before JAX, whose environment it sets
import jax
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib import _hlo, _jax
from jaxlib.mlir import ir


def load(path):
    """Returns the program compiled, and the element types of its arguments."""
    proto = path.read_bytes()
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    text = _hlo.HloModule.from_serialized_hlo_module_proto(proto).to_string(options)
    if "is_composite=true" in text:  # XLA's own way to StableHLO, on which JAX compiles, fails for several results
        proto = _hlo.hlo_module_from_text(text.replace(", is_composite=true", ""))
        proto = proto.as_serialized_hlo_module_proto()
    with mlir.make_ir_context():
        module = ir.Module.parse(_jax.mlir.hlo_to_stablehlo(proto))
        device = jax.devices("cpu")[0]
        devices, options = xla_client.DeviceList((device,)), xla_client.CompileOptions()
        return device.client.compile_and_load(module, devices, options), check_bytecode.types(module)


if __name__ == "__main__":
    sys.exit(check_bytecode.main(__doc__, "hlo-proto", load))
