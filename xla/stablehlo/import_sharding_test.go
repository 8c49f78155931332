package stablehlo

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"
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
		{"", `mesh<["c"=4]>, [{"c"}, {}]`, "{devices=[4,1]<=[4]}"},
		{"", `mesh<["c"=2], device_ids=[1, 0]>, [{"c"}, {}]`, "{devices=[2,1]1,0}"},
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
	for sharding, want := range map[string]string{
		`@mesh, [{"c"}, {}]`:         "sdy.sharding: ",
		`@mesh, [{"a"}, {"a"}]`:      "an axis cuts twice",
		`@other, [{"a"}, {}]`:        "mesh @other is not defined",
		`mesh<["c"=0]>, [{"c"}, {}]`: "axis c has the size 0",
		`mesh<"c"=2>, [{"c"}, {}]`:   "axes with sizes",
	} {
		if _, err := importText(fmt.Sprintf(text, "", sharding)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", sharding, err, want)
		}
	}
}

// TestManyShardings reads the shardings of many arguments over many devices: those that are alike take the memory of
// one, and those that are not are refused before they take much.
func TestManyShardings(t *testing.T) {
	var order []string
	for d := range 4096 {
		order = append(order, fmt.Sprint(4095-d))
	}
	text := func(n int, sharding func(i int) string) string {
		var args []string
		for i := range n {
			args = append(args, fmt.Sprintf("%%x%d: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, %s>}", i, sharding(i)))
		}
		return `module { sdy.mesh @mesh = <["a"=4096], device_ids=[` + strings.Join(order, ",") + `]>
  func.func @main(` + strings.Join(args, ",\n") + `) -> tensor<8xf32> { return %x0 : tensor<8xf32> } }`
	}
	m, err := importText(text(2000, func(int) string { return `[{"a"}]` }))
	if err != nil {
		t.Fatal(err)
	}
	first, last := string(m.Entry.Parameters[0].Common.Sharding), string(m.Entry.Parameters[1999].Common.Sharding)
	if unsafe.StringData(first) != unsafe.StringData(last) || !strings.HasPrefix(first, "{devices=[4096]4095,4094,") {
		t.Errorf("got %.40s and %.40s, want one text", first, last)
	}
	different := func(i int) string { return fmt.Sprintf(`[{"a"}p%d]`, i) }
	if _, err := importText(text(2000, different)); err == nil || !strings.Contains(err.Error(), "spell out more than") {
		t.Errorf("got %v, want it refused", err)
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

// TestGroupsAlong reads groups of devices along axes of a mesh and parts of axes, in the order in which XLA has them.
func TestGroupsAlong(t *testing.T) {
	axis := func(name, part string) string { return `#stablehlo.axis_ref<name = "` + name + `"` + part + `>` }
	for _, c := range []struct{ order, axes, want string }{
		{"", axis("x", ""), "{{0,2,4,6},{1,3,5,7}}"},
		{"", axis("y", "") + "," + axis("x", ""), "{{0,2,4,6,1,3,5,7}}"},
		{"", axis("x", ", sub_axis_info = (1)2"), "{{0,4},{1,5},{2,6},{3,7}}"},
		{"", axis("x", ", sub_axis_info = (2)2"), "{{0,2},{1,3},{4,6},{5,7}}"},
		{"", axis("y", "") + "," + axis("x", ", sub_axis_info = (2)2"), "{{0,2,1,3},{4,6,5,7}}"},
		{", device_ids=[0,2,4,6,1,3,5,7]", axis("x", ""), "{{0,4,1,5},{2,6,3,7}}"},
		{", device_ids=[0,2,4,6,1,3,5,7]", axis("y", ""), "{{0,2},{4,6},{1,3},{5,7}}"},
		{", device_ids=[0,2]", axis("y", ""), "got 2 devices, want 8"},
		{"", axis("x", ", sub_axis_info = (1)3"), "whose product divides 4"},
		{"", axis("x", ", sub_axis_info = (0)2"), "want (pre-size)size"},
		{"", axis("x", "") + "," + axis("x", ", sub_axis_info = (1)2"), "overlap"},
		{"", axis("y", "") + "," + axis("y", ""), "axis y stands twice"},
		{"", axis("z", ""), `no axis "z"`},
	} {
		m, err := importText(`sdy.mesh @m = <["x"=4, "y"=2]` + c.order + `>
func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {
  %b = "stablehlo.collective_broadcast"(%a) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [` +
			c.axes + `]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<1xf32>) -> tensor<1xf32>
  return %b : tensor<1xf32>
}`)
		got := fmt.Sprint(err)
		if err == nil {
			got = m.Text()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %s: got\n%s\nwant %s", c.order, c.axes, got, c.want)
		}
	}
}
