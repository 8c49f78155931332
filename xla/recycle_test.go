package xla

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

// TestDonatedMemory wants a donated argument to be overwritten where the module says so, and no argument that somebody
// may still see.
func TestDonatedMemory(t *testing.T) {
	const text = `HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[64,64] parameter(0)
  one = f32[] constant(1)
  ones = f32[64,64] broadcast(one), dimensions={}
  t = f32[64,64] add(x, ones)
  ROOT y = f32[64,64] add(t, ones) }`
	ctx := context.Background()
	for _, seen := range []bool{false, true} {
		c, err := NewClient(exec.New(plain{}), ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		exe, err := c.Compile(ctx, Program{Source: []byte(text)}, CompileOptions{AllowReference: true})
		if err != nil {
			t.Fatal(err)
		}
		x, err := FromSlice(c, make([]float32, 64*64), 64, 64)
		if err != nil {
			t.Fatal(err)
		}
		at := &x.state.value.Bytes()[0]
		var held *literal.Literal
		if seen {
			if held, err = x.Literal(); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exe.ExecuteWith(ctx, RunOptions{Donate: []int{0}}, x)
		if err != nil {
			t.Fatal(err)
		}
		if got := &out[0].state.value.Bytes()[0] == at; got == seen {
			t.Errorf("argument seen: %v; its memory is the result's: %v", seen, got)
		}
		if held != nil && held.Bytes()[3] != 0 {
			t.Error("an argument that was seen is overwritten")
		}
		if v, err := ToSlice[float32](out[0]); err != nil || v[4095] != 2 {
			t.Errorf("got %v, %v, want twos", v[4095], err)
		}
		out[0].Close()
		exe.Close()
		c.Close()
	}
}

// TestRecycledMemory wants the memory of a closed result for the next one, unless somebody may see it, however small
// the result is.
func TestRecycledMemory(t *testing.T) {
	for _, n := range []int64{3, 1000, 128 * 128} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { recycled(t, n) })
	}
}

func recycled(t *testing.T, n int64) {
	ctx := context.Background()
	c, err := NewClient(exec.New(plain{}), ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := fmt.Sprintf("ENTRY e { x = f32[%d] parameter(0) ROOT y = f32[%d] negate(x) }", n, n)
	exe, err := c.Compile(ctx, Program{Source: []byte(text)}, CompileOptions{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	run := func(value float32, see bool) *byte {
		x, err := FromSlice(c, slices.Repeat([]float32{value}, int(n)), n)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		out, err := exe.Execute(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		defer out[0].Close()
		if v, err := literal.View[float32](out[0].state.value); err != nil || v[0] != -value || v[n-1] != -value {
			t.Errorf("got %v to %v, %v, want %v", v[0], v[n-1], err, -value)
		}
		if see {
			if _, err := out[0].Literal(); err != nil {
				t.Fatal(err)
			}
		}
		return &out[0].state.value.Bytes()[0]
	}
	first := run(1, false)
	if second := run(2, true); second != first {
		t.Error("the memory of a closed result is not used again")
	}
	if third := run(3, false); third == first {
		t.Error("memory that was seen is used again")
	}
}

// plain is a machine without kernels.
type plain struct{}

func (plain) Name() string        { return "plain" }
func (plain) Threads() int        { return 1 }
func (plain) Passes() []pass.Pass { return nil }
func (plain) Lower(*exec.Lowering) (exec.Thunk, error) {
	return nil, errors.ErrUnsupported
}
