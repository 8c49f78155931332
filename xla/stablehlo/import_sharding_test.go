package stablehlo

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestShardySharding wants the shardings of arguments as HLO has them.
func TestShardySharding(t *testing.T) {
	const text = `module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=3]%s>
  func.func @main(%%x: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<%s>}) -> tensor<6x12xf32> {
    return %%x : tensor<6x12xf32>
  }
}`
	for _, c := range []struct{ order, sharding, want string }{
		{"", `@mesh, [{"a"}, {"b"}]`, "{devices=[2,3]<=[6]}"},
		{"", `@mesh, [{}, {}]`, "{replicated}"},
		{"", `@mesh, []`, "{replicated}"},
		{"", `@mesh, [{"a", ?}p1, {?}]`, "{devices=[2,1,3]<=[6] last_tile_dim_replicate}"},
		{"", `@mesh, [{"b"}, {"a"}]`, "{devices=[3,2]0,3,1,4,2,5}"},
		{"", `@mesh, [{"b", "a"}, {}]`, "{devices=[6,1]0,3,1,4,2,5}"},
		{"", `@mesh, [{}, {"b"}], replicated={"a"}`, "{devices=[1,3,2]0,3,1,4,2,5 last_tile_dim_replicate}"},
		{", device_ids=[0, 1, 2, 3, 4, 5]", `@mesh, [{"a"}, {"b"}]`, "{devices=[2,3]<=[6]}"},
		{", device_ids=[5, 4, 3, 2, 1, 0]", `@mesh, [{"a"}, {"b"}]`, "{devices=[2,3]5,4,3,2,1,0}"},
		{", device_ids=[5, 4, 3, 2, 1, 0]", `@"mesh" , [{"a"}, {"b"}]`, "{devices=[2,3]5,4,3,2,1,0}"},
		{"", `@mesh, [{"c"}, {}]`, ""},
		{"", `@other, [{"a"}, {}]`, ""},
	} {
		m, err := importText(fmt.Sprintf(text, c.order, c.sharding))
		if err != nil {
			t.Errorf("%s%s: %v", c.order, c.sharding, err)
			continue
		}
		got := ""
		if p := m.Entry.Parameters[0]; p.Common != nil {
			got = string(p.Common.Sharding)
		}
		if got != c.want {
			t.Errorf("%s%s: got %q, want %q", c.order, c.sharding, got, c.want)
		}
	}
}

// A mesh whose places are not its devices in order would give devices the parts of others.
func TestMeshOrder(t *testing.T) {
	text := fmt.Sprintf(manualText, `[{"a"}, {"b"}]`, `[{"b"}, {"a"}]`, `{"a", "b"}`, "3x2", "2x3")
	ordered := strings.Replace(text, `"b"=3]`, `"b"=3], device_ids=[5,4,3,2,1,0]`, 1)
	if _, err := importText(ordered); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "device_ids") {
		t.Errorf("got %v, want it refused", err)
	}
	if _, err := importText(strings.Replace(text, `"b"=3]`, `"b"=3], device_ids=[5,x]`, 1)); err == nil {
		t.Error("numbers of devices that are none are read")
	}
}
