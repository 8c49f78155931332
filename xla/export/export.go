// Package export reads the containers of jax.export: a program as MLIR bytecode, and what its function's arguments and
// results are called, are made of, and run on.
package export

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// Exported is an exported function.
type Exported struct {
	// Function is the function's name.
	Function string
	// Inputs and Outputs are the leaves of the arguments and results, in order.
	Inputs, Outputs []Array
	// Kept are the numbers of the inputs that the program has parameters for; the others are not used.
	Kept []int
	// Platforms are what the function was exported for: "cpu", "cuda", "rocm", "tpu". With more than one the program's
	// first parameter is an s32[], the number of the platform in the list.
	Platforms []string
	Devices   int
	// CallingConvention is JAX's number for how the program takes its arguments.
	CallingConvention int
	// Checks are the safety checks that the exporter switched off; Effects are those that are ordered by tokens.
	Checks, Effects []string
	// JAXVersion is the release that wrote the container, "" before 0.10.
	JAXVersion string
	// Module is the program as MLIR bytecode, or as text; it shares the container's bytes.
	Module []byte
	// VJP is the function that gives the gradients, nil if it was not exported.
	VJP *Exported
}

// Array is one leaf of arguments or results.
type Array struct {
	// Name is the path to the leaf: "params/dense/kernel".
	Name string
	// Type is shape.Invalid for types that arrays do not have here, such as random keys; Kind is JAX's name for those.
	Type shape.ElementType
	Kind string
	// Dims are numbers, or expressions of symbols: "8", "b", "2*b + 1".
	Dims []string
	// Sharding says how the dimensions lie on a mesh, "" if nothing is said: "mesh(x=2,y=4) (x,None)".
	Sharding string
}

// String returns the array as "f32[b,128]".
func (a Array) String() string {
	name := a.Kind
	if a.Type != shape.Invalid {
		name = a.Type.String()
	}
	return name + "[" + strings.Join(a.Dims, ",") + "]"
}

// Shape returns the array's shape, with unbounded dimensions where a size is an expression.
func (a Array) Shape() shape.Shape {
	dims := make([]int64, len(a.Dims))
	for i, d := range a.Dims {
		n, err := strconv.ParseInt(d, 10, 64)
		if err != nil {
			n = shape.Unbounded
		}
		dims[i] = n
	}
	return shape.Array(a.Type, dims...)
}

// Is reports whether data is a container: it has no mark of its own, so that its table and the program in it are looked
// for.
func Is(data []byte) bool {
	module, err := guarded(data, func(t table) []byte { return t.bytes(fieldModule) })
	return err == nil && isModule(module)
}

// isModule reports whether b begins as programs in containers do.
func isModule(b []byte) bool {
	return bytes.HasPrefix(b, []byte("ML\xefR")) || bytes.HasPrefix(b, []byte("module ")) ||
		bytes.HasPrefix(b, []byte("#loc"))
}

// Parse reads a container. It fails with the path of the field at fault, or with the place of its table if the data are
// damaged. The result shares data's bytes.
func Parse(data []byte) (*Exported, error) {
	var fault error
	e, err := guarded(data, func(t table) *Exported {
		var e *Exported
		e, fault = parse(t, 0)
		return e
	})
	if err = errors.Join(err, fault); err != nil {
		return nil, fmt.Errorf("jax.export: %w", err)
	}
	return e, nil
}

// maxVJPs bounds how deep gradients of gradients nest.
const maxVJPs = 16

func parse(t table, depth int) (*Exported, error) {
	if depth > maxVJPs {
		return nil, fmt.Errorf("gradients nest deeper than %d", maxVJPs)
	}
	e := &Exported{
		Function: t.text(fieldFunction), Module: t.bytes(fieldModule), JAXVersion: t.text(fieldJAXVersion),
		Devices:           int(max(t.uint32(fieldDevices), uint32(t.uint16(fieldDevicesShort)))),
		CallingConvention: int(t.uint16(fieldConvention)), Platforms: t.texts(fieldPlatforms),
	}
	if !isModule(e.Module) {
		return nil, fmt.Errorf("mlir_module_serialized: %d bytes that are no program", len(e.Module))
	}
	for _, effect := range t.tables(fieldOrderedEffects) {
		e.Effects = append(e.Effects, effect.text(0))
	}
	for _, check := range t.tables(fieldChecks) {
		e.Checks = append(e.Checks, checkName(check))
	}
	var err error
	if e.Inputs, err = leaves(t, inputs); err != nil {
		return nil, err
	}
	if e.Outputs, err = leaves(t, outputs); err != nil {
		return nil, err
	}
	for _, n := range t.uint16s(fieldKept) {
		if int(n) >= len(e.Inputs) {
			return nil, fmt.Errorf("module_kept_var_idx: input %d, want less than %d", n, len(e.Inputs))
		}
		e.Kept = append(e.Kept, int(n))
	}
	if vjp, ok := t.table(fieldVJP); ok {
		if e.VJP, err = parse(vjp, depth+1); err != nil {
			return nil, fmt.Errorf("vjp: %w", err)
		}
	}
	return e, nil
}

var checkNames = []string{"platform", "custom_call", "shape_assertions"}

func checkName(t table) string {
	name := fmt.Sprint(t.int8(0))
	if k := t.int8(0); k >= 0 && int(k) < len(checkNames) {
		name = checkNames[k]
	}
	if target := t.text(1); target != "" {
		name += ":" + target
	}
	return name
}
