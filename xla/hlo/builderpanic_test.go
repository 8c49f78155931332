package hlo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// anyArguments makes arguments for builder methods, most of them wrong.
type anyArguments struct {
	r            *rand.Rand
	b            *Builder
	operands     []*Instruction
	computations []*Computation
}

var anyShapes = []shape.Shape{
	shape.Array(shape.F32), shape.Array(shape.S32), shape.Array(shape.Pred), shape.Array(shape.F32, 2, 3),
	shape.Array(shape.F32, 4), shape.Array(shape.C64, 2, 2), shape.Array(shape.U64, 2), shape.Array(shape.U64),
	shape.Array(shape.S64, 2, 2), shape.Array(shape.F32, 0, 3), shape.Array(shape.F32, 1, 1, 5), shape.TokenShape(),
	shape.TupleOf(), shape.TupleOf(shape.Array(shape.F32), shape.TokenShape()), shape.Array(shape.BF16, 1<<40, 1<<40),
	{Type: shape.F32, Dims: []int64{4, 3}, Dynamic: []bool{true, false}},
	{Type: shape.F32, Dims: []int64{shape.Unbounded}, Dynamic: []bool{true}}, {Type: shape.Opaque},
}

func newAnyArguments(t *testing.T, r *rand.Rand) *anyArguments {
	a := &anyArguments{r: r, b: NewBuilder("any"), computations: []*Computation{nil}}
	for i, s := range anyShapes {
		a.operands = append(a.operands, a.b.Parameter(int64(i), s, ""))
		a.computations = append(a.computations, identity(t, s))
	}
	for _, op := range []Opcode{Add, Maximum} {
		a.computations = append(a.computations, numBinary(t, op, shape.F32))
	}
	return a
}

func oneOf[T any](r *rand.Rand, v ...T) T { return v[r.IntN(len(v))] }

// make returns a value of type t; depth bounds slices in slices.
func (a *anyArguments) make(t reflect.Type, depth int) reflect.Value {
	switch t {
	case reflect.TypeFor[*Instruction]():
		return reflect.ValueOf(oneOf(a.r, append(a.operands, nil, nil)...))
	case reflect.TypeFor[*Computation]():
		return reflect.ValueOf(oneOf(a.r, a.computations...))
	case reflect.TypeFor[shape.Shape]():
		return reflect.ValueOf(oneOf(a.r, append(anyShapes, shape.Shape{})...))
	case reflect.TypeFor[shape.ElementType]():
		return reflect.ValueOf(oneOf(a.r, shape.Invalid, shape.Tuple, shape.Token, shape.F32, shape.F32, shape.S32,
			shape.C64, shape.Pred))
	case reflect.TypeFor[*literal.Literal]():
		return reflect.ValueOf(oneOf(a.r, nil, literal.Scalar(float32(1))))
	case reflect.TypeFor[*shape.Layout]():
		return reflect.ValueOf(oneOf(a.r, nil, shape.DefaultLayout(2), shape.MakeLayout(7, -1)))
	case reflect.TypeFor[context.Context]():
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return reflect.ValueOf(ctx)
	}
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(a.r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(oneOf[int64](a.r, 0, 0, 0, 1, 1, 2, 3, -1, 100, math.MaxInt64, math.MinInt64))
	case reflect.Uint8:
		v.SetUint(uint64(oneOf(a.r, 0, 1, 2, 3, 200)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(0.5)
	case reflect.String:
		v.SetString(oneOf(a.r, "", "x", "$x", "{"))
	case reflect.Slice:
		for range a.r.IntN(4) * min(depth, 1) {
			v.Set(reflect.Append(v, a.make(t.Elem(), depth-1)))
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(a.make(t.Elem(), depth-1))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			v.Field(i).Set(a.make(t.Field(i).Type, depth-1))
		}
	}
	return v
}

// call calls a method with any arguments. It is false if there was a panic or a nil instruction.
func (a *anyArguments) call(t *testing.T, seed uint64, m reflect.Method, broken bool) (ok bool) {
	var in []reflect.Value
	defer func() {
		if p := recover(); p != nil {
			text := ""
			for _, v := range in[1:] {
				text += fmt.Sprintf(" %+v", v)
			}
			t.Errorf("seed %d, after a fault %t: %s(%s) panics: %v\n%s", seed, broken, m.Name, text, p, debug.Stack())
		}
	}()
	a.b.instructions, a.b.err, a.b.token = a.b.instructions[:len(anyShapes):len(anyShapes)], nil, nil
	in = []reflect.Value{reflect.ValueOf(a.b)}
	if broken {
		a.b.fail(Add, "broken before")
	}
	for i := 1; i < m.Type.NumIn(); i++ {
		p := m.Type.In(i)
		if m.Type.IsVariadic() && i == m.Type.NumIn()-1 {
			for range a.r.IntN(3) {
				in = append(in, a.make(p.Elem(), 3))
			}
			break
		}
		in = append(in, a.make(p, 3))
	}
	outs := m.Func.Call(in)
	if !broken && a.b.err == nil && hasNil(in[1:]) && !takesNil[m.Name] {
		t.Errorf("seed %d: %s takes a nil operand", seed, m.Name)
		return false
	}
	for _, out := range outs {
		if instruction, ok := out.Interface().(*Instruction); ok && instruction == nil {
			t.Errorf("seed %d: %s returned nil", seed, m.Name)
			return false
		}
	}
	return true
}

// takesNil are the methods for which a nil operand is the last instruction, or whose error is a result.
var takesNil = map[string]bool{"Build": true, "ComputeConstant": true, "IsConstant": true}

// hasNil reports whether an operand is nil.
func hasNil(args []reflect.Value) bool {
	for _, v := range args {
		switch list, ok := v.Interface().([]*Instruction); {
		case ok && slices.Contains(list, nil):
			return true
		case v.Type() == reflect.TypeFor[*Instruction]() && v.IsNil():
			return true
		}
	}
	return false
}

// A nil operand is a fault of the op that has it.
func TestBuilderNamesNil(t *testing.T) {
	b := NewBuilder("nil")
	b.Add(b.Parameter(0, shape.Array(shape.F32), "x"), nil)
	want := "builderpanic_test.go:"
	if err := b.Err(); err == nil || !strings.Contains(err.Error(), want) ||
		!strings.HasSuffix(err.Error(), ": add(): operand 1 is nil") {
		t.Errorf("got %v, want %s...: add(): operand 1 is nil", err, want)
	}
}

// TestBuilderNeverPanics calls every builder method with random arguments, most of them wrong.
func TestBuilderNeverPanics(t *testing.T) {
	seed := testfile.Seed(t)
	a := newAnyArguments(t, rand.New(rand.NewPCG(seed, 0)))
	methods := reflect.TypeFor[*Builder]()
	for i := range methods.NumMethod() {
		for n := range 150 {
			if !a.call(t, seed, methods.Method(i), n%4 == 0) {
				break
			}
		}
	}
}
