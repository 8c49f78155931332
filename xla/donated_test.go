package xla_test

import (
	"slices"
	"testing"

	"github.com/halo-xla/halo/xla"
)

// givenUp has collectives whose results may take the memory of what they read.
const givenUp = `HloModule given, replica_count=4, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias), {2}: (2, {}, may-alias), {3}: (3, {}, may-alias) }
sub { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  s = f32[4] parameter(2)
  u = f32[4] parameter(3)
  x = f32[4] all-reduce(p), replica_groups={{2,0,3,1}}, to_apply=sub
  y = f32[4] all-to-all(q), replica_groups={{2,0,3,1}}, dimensions={0}
  z = f32[4] collective-permute(s), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
  w = f32[4] collective-broadcast(u), replica_groups={{2,0,3,1}}
  ROOT t = (f32[4], f32[4], f32[4], f32[4]) tuple(x, y, z, w)
}`

// TestCollectivesDonated wants collectives to have read all members' operands before results take their memory.
func TestCollectivesDonated(t *testing.T) {
	var want [][]float32
	for _, donate := range [][]int{nil, {0, 1, 2, 3}} {
		onBackends(t, xla.ClientOptions{Devices: 4}, func(t *testing.T, c *xla.Client) {
			x := compileText(t, c, givenUp, xla.CompileOptions{})
			defer x.Close()
			var args [][]*xla.Buffer
			for d, dev := range x.Devices() {
				var list []*xla.Buffer
				for k := range 4 {
					v := float32(100*k + 10*d)
					b, err := xla.FromSlice(dev, []float32{v, v + 1, v + 2, v + 3})
					if err != nil {
						t.Fatal(err)
					}
					defer b.Close()
					list = append(list, b)
				}
				args = append(args, list)
			}
			out, err := x.ExecuteDevices(t.Context(), xla.RunOptions{Donate: donate}, args)
			if err != nil {
				t.Fatal(err)
			}
			var got [][]float32
			for _, list := range out {
				for _, b := range list {
					v, err := xla.ToSlice[float32](b)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, v)
					b.Close()
				}
			}
			if want == nil {
				want = got
			}
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("donated %v: got %v, want %v", donate, got, want)
			}
		})
	}
	first := [][]float32{{-20, -22, -24, -26}, {121, 101, 131, 111}, {230, 231, 232, 233}, {320, 321, 322, 323}} // of device 0
	if !slices.EqualFunc(want[:4], first, slices.Equal) {
		t.Errorf("got %v, want %v", want[:4], first)
	}
}
