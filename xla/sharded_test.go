package xla_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestSharded cuts arrays up and puts them together again, by every kind of sharding.
func TestSharded(t *testing.T) {
	c := newClient(t, xla.ClientOptions{Devices: 8})
	r := rand.New(rand.NewPCG(1, 2))
	for _, text := range []string{"{replicated}", "{maximal device=5}", "{devices=[2,4]<=[8]}", "{devices=[4,2]<=[2,4]T(1,0)}",
		"{devices=[1,8]7,6,5,4,3,2,1,0}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
		"{devices=[2,2,2]<=[8] last_tile_dims={manual}}", "{devices=[1,2,2,2]<=[8] last_tile_dims={manual, replicated}}"} {
		s, err := xla.ParseSharding(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range []shape.ElementType{shape.F32, shape.BF16, shape.S4, shape.C64} {
			l := literal.Zeros(shape.Array(typ, 8, r.Int64N(20)))
			for i := range l.Bytes() {
				l.Bytes()[i] = byte(r.IntN(8))
			}
			parts, err := xla.NewSharded(l, s, c.Devices())
			if err != nil {
				t.Fatal(text, err)
			}
			back, err := parts.Join(s, l.Shape().Dims...)
			if err != nil || !literal.Equal(back, l) {
				t.Errorf("%s of %v: got %v, %v, want %v", text, l.Shape(), back, err, l)
			}
			parts.Close()
		}
	}
	c.Close()
	wantNothingLive(t, c)
}

func TestShardedRefused(t *testing.T) {
	c := newClient(t, xla.ClientOptions{Devices: 2})
	_, err := xla.ParseSharding("{tiled}")
	wantCode(t, err, xla.InvalidArgument, "{tiled}")
	four, _ := xla.ParseSharding("{devices=[4]<=[4]}")
	_, err = xla.NewSharded(vector(t, 1, 2, 3, 4), four, c.Devices())
	wantCode(t, err, xla.InvalidArgument, "a part for device 2, and there are 2")
	flat, _ := xla.ParseSharding("{devices=[2]<=[2]}")
	_, err = xla.NewSharded(literal.Zeros(shape.Array(shape.F32, 2, 2)), flat, c.Devices())
	wantCode(t, err, xla.InvalidArgument, "a sharding of 1 dimensions for an array of 2")
	for _, wrong := range []*xla.Sharding{
		nil, {}, {Tiles: []int64{2}, Devices: []int{0, 1}}, {Tiles: []int64{0}, Copies: 1},
		{Tiles: []int64{2}, Devices: []int{0}, Copies: 1}, {Devices: []int{-1}, Copies: 1},
		{Tiles: []int64{4}, Copies: 1}, {Tiles: []int64{2}, Copies: 2},
	} {
		_, err = xla.NewSharded(vector(t, 1, 2), wrong, c.Devices())
		wantCode(t, err, xla.InvalidArgument, "")
	}
	ordered, err := xla.NewSharded(vector(t, 1, 2), &xla.Sharding{Tiles: []int64{2}, Copies: 1}, c.Devices())
	if err != nil {
		t.Fatal(err)
	}
	defer ordered.Close()
	if joined, err := ordered.Join(&xla.Sharding{Tiles: []int64{2}, Copies: 1}, 2); err != nil ||
		literal.Compare(joined, vector(t, 1, 2), literal.Tolerance{}) != nil {
		t.Errorf("parts in order: got %v, %v", joined, err)
	}
	parts, err := xla.NewSharded(vector(t, 1, 2), flat, c.Devices())
	if err != nil {
		t.Fatal(err)
	}
	_, err = parts.Join(flat, 6)
	wantCode(t, err, xla.InvalidArgument, "device 0 has f32[1], want a part of [3]")
	_, err = parts.Join(flat, -1)
	wantCode(t, err, xla.InvalidArgument, "want none below 0")
	all, _ := xla.ParseSharding("{replicated}")
	_, err = parts.Join(all, 1)
	wantCode(t, err, xla.Failed, "devices 0 and 1 should have the same part")
	text := `HloModule m, num_partitions=2
ENTRY e { p = f32[2] parameter(0), sharding={devices=[2]<=[2]} i = u32[] partition-id() ROOT r = f32[2] negate(p) }`
	x := compile(t, c, text)
	_, err = x.ExecuteDevices(t.Context(), xla.RunOptions{}, [][]*xla.Buffer{{parts.Buffers[0]}, {parts.Buffers[1]}})
	wantCode(t, err, xla.InvalidArgument, "got f32[1], want f32[2]; the program's sharding is for a compiler that cuts the")
	parts.Close()
	x.Close()
	c.Close()
}

// TestForPartitioner wants a program that XLA would cut up to be refused on several devices, with what to do, and to run
// whole on one; what XLA has cut up, or what is the same for all, runs on each.
func TestForPartitioner(t *testing.T) {
	c := newClient(t, xla.ClientOptions{Devices: 4})
	hlo := func(flags, sharding string) string {
		return "HloModule m, " + flags + "num_partitions=4\nENTRY e { p = f32[8] parameter(0), sharding={" + sharding +
			"} ROOT r = f32[8] negate(p) }"
	}
	const shardy = `module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["d"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}]>}) -> tensor<8xf32> {
    %0 = stablehlo.negate %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}`
	for _, text := range []string{hlo("", "devices=[4]<=[4]"), hlo("", "devices=[2,2]<=[4] last_tile_dim_replicate"), shardy,
		strings.Replace(shardy, "sharding<@mesh", `sharding<mesh<["d"=4]>`, 1)} {
		_, err := c.Compile(t.Context(), xla.Program{Source: []byte(text)}, xla.CompileOptions{})
		wantCode(t, err, xla.Unsupported, "jax.shard_map")
		if err != nil && !strings.Contains(err.Error(), "as_text()); or set CompileOptions.Replicas and Partitions to 1") {
			t.Errorf("got %v", err)
		}
		x, err := c.Compile(t.Context(), xla.Program{Source: []byte(text)}, xla.CompileOptions{Replicas: 1, Partitions: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Signature().Parameters[0].Sharding; !strings.HasPrefix(got, "{devices=[") {
			t.Errorf("got the sharding %q", got)
		}
		x.Close()
	}
	for _, text := range []string{hlo("is_scheduled=true, ", "devices=[4]<=[4]"), hlo("", "replicated")} {
		x := compile(t, c, text)
		if n := len(x.Devices()); n != 4 {
			t.Errorf("%s: on %d devices, want 4", text, n)
		}
		x.Close()
	}
	c.Close()
}

// The rows of a matrix are cut among four devices, each of which has another sum.
func ExampleNewSharded() {
	client, _ := xla.NewClient(xla.Reference(), xla.ClientOptions{Devices: 4})
	defer client.Close()
	rows, _ := xla.ParseSharding("{devices=[4,1]<=[4]}")
	l, _ := literal.FromSlice([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2)
	parts, err := xla.NewSharded(l, rows, client.Devices())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer parts.Close()
	for _, b := range parts.Buffers {
		v, _ := xla.ToSlice[float32](b)
		fmt.Println(b.Device(), v)
	}
	whole, err := parts.Join(rows, 4, 2)
	fmt.Println(whole.Shape(), err)
	// Output:
	// reference:0 [1 2]
	// reference:1 [3 4]
	// reference:2 [5 6]
	// reference:3 [7 8]
	// f32[4,2] <nil>
}
