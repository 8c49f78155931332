package lapack_test

import (
	"context"
	"fmt"

	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/hlo"
)

// A program with a call of LAPACK, as JAX exports it, runs on the reference evaluator.
func Example() {
	m, err := hlo.Parse([]byte(`HloModule m
ENTRY e {
  a = f64[2,2] constant({{4, 2}, {2, 5}})
  ROOT r = (f64[2,2]{0,1}, s32[]) custom-call(a), custom_call_target="lapack_dpotrf_ffi",
    operand_layout_constraints={f64[2,2]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}
}`), "cholesky.hlo")
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := hlo.Evaluate(context.Background(), m, nil, hlo.EvalOptions{Handlers: lapack.Handlers{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Elems()[0], out.Elems()[1])
	// Output: f64[2,2] { { 2, 2 }, { 1, 2 } } s32[] 0
}
