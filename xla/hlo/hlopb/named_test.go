package hlopb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// TestCommonTexts wants the messages that XLA writes to be the texts that XLA prints, both as they came from XLA, and the
// texts to fill the same messages without being kept besides.
func TestCommonTexts(t *testing.T) {
	const array = `element_type: F32 dimensions: 8 dimensions: 8 layout { minor_to_major: 1 minor_to_major: 0 }`
	const tuple = `element_type: TUPLE tuple_shapes { ` + array + ` } tuple_shapes { element_type: TUPLE tuple_shapes { ` +
		array + ` } tuple_shapes { ` + array + ` } }`
	const mesh = `sharding { named_sharding { mesh { axes { name: "a" size: 4 } axes { name: "b" size: 2 } } `
	for _, c := range []struct{ shape, proto, text string }{
		{array, `statistics_viz { stat_index_to_visualize: 1 statistics { stat_name: "stat-0" stat_val: 0.1 } statistics { ` +
			`stat_name: "b" stat_val: 1e-10 } }`, `statistics={visualizing_index=1,stat-0=0.1,b=1e-10}`},
		{array, `statistics_viz { }`, ``},
		{array, `original_value { elements { original_array { instruction_name: "v1" shape_index: 1 shape_index: 2 } } }`,
			`origin={{"v1" {1,2}}}`},
		{tuple, `original_value { elements { shape_index: 0 original_array { instruction_name: "v2" } } elements { ` +
			`shape_index: 1 shape_index: 0 } elements { shape_index: 1 shape_index: 1 original_array { ` +
			`instruction_name: "v3" shape_index: 1 } } }`, `origin={({"v2"}, ({}, {"v3" {1}}))}`},
		{array, mesh + `dim_shardings { axes { } is_closed: true } dim_shardings { axes { mesh_axis_index: 1 } ` +
			`is_closed: true } } }`, `sharding={mesh['a'=4,'b'=2], [{'a'}, {'b'}]}`},
		{array, `sharding { named_sharding { mesh { axes { name: "a" size: 4 } axes { name: "b" size: 2 } ` +
			`iota_transform { reshape_dims: 2 reshape_dims: 4 transpose_perm: 1 transpose_perm: 0 } } dim_shardings { axes ` +
			`{ sub_axis_info { pre_size: 1 size: 2 } } } dim_shardings { is_closed: true } unreduced_axes { ` +
			`mesh_axis_index: 1 } } }`,
			`sharding={mesh['a'=4,'b'=2], device_ids=([2,4]T(1,0)), [{'a':(1)2, ?}, {}], unreduced={'b'}}`},
		{array, mesh + `manual_axes { } manual_axes { mesh_axis_index: 1 } } }`, `sharding={mesh['a'=4,'b'=2], manual}`},
		{array, mesh + `manual_axes { mesh_axis_index: 1 } } }`, `sharding={mesh['a'=4,'b'=2], [], manual={'b'}}`},
		{array, mesh + `} }`, `sharding={mesh['a'=4,'b'=2], replicated}`},
		{array, mesh + `dim_shardings { axes { } axes { mesh_axis_index: 1 } is_closed: true } dim_shardings { } ` +
			`metadata { op_name: "x" } metadata { op_name: "y" } } }`,
			`sharding={mesh['a'=4,'b'=2], [{'a', 'b'}, {?}], metadata={{op_name="x"}, {op_name="y"}}}`},
	} {
		src := `name: "m" entry_computation_name: "e" computations { name: "e" id: 1 root_id: 1 instructions { name: "p" ` +
			`opcode: "parameter" id: 1 shape { ` + c.shape + ` } ` + c.proto + ` } } entry_computation_id: 1`
		m, err := Parse([]byte(src), "m.pbtxt")
		if err != nil {
			t.Errorf("%s: %v", c.proto, err)
			continue
		}
		text := m.Text()
		if !strings.Contains(text, ", "+c.text+"\n") && c.text != "" {
			t.Errorf("%s: got\n%s\nwant %s", c.proto, text, c.text)
		}
		if again := MarshalText(m); kept(again) || m.Entry.Root.Common != nil && len(m.Entry.Root.Common.Proto) > 0 {
			t.Errorf("%s: not all of it is a field: %s", c.text, again)
		}
	}
}

// kept reports whether a proto has an attribute of an instruction as text besides.
func kept(pb string) bool {
	for _, name := range []string{"sharding", "statistics", "origin", "domain"} {
		if strings.Contains(pb, `halo_text { name: "`+name+`"`) {
			return true
		}
	}
	return false
}

// TestDomain wants the sides of a domain to be those of XLA's text, which are the other way about in its proto.
func TestDomain(t *testing.T) {
	const text = `domain={kind="sharding", entry={maximal device=1}, exit={}}`
	m, err := hlo.Parse([]byte("ENTRY e { p = f32[2] parameter(0)\n ROOT d = f32[2] domain(p), "+text+" }"), "d.hlo")
	if err != nil {
		t.Fatal(err)
	}
	pb := strings.Join(strings.Fields(MarshalText(m)), " ")
	for _, want := range []string{"domain_entry_sharding { type: TUPLE }",
		"domain_exit_sharding { type: MAXIMAL tile_assignment_devices: 1 }"} {
		if !strings.Contains(pb, want) || kept(pb) {
			t.Errorf("got %s, want %s in it", pb, want)
		}
	}
	again, err := Parse(Marshal(m), "d.pb")
	if err != nil || !strings.Contains(again.Text(), text) {
		t.Errorf("got %v, %v, want %s", again, err, text)
	}
}

// TestAxesNamedOften wants a sharding that names an axis more often than it can be cut to be refused, before its name is
// written for each, and no axis that is cut as often as it can be.
func TestAxesNamedOften(t *testing.T) {
	read := func(size int, lists string) error {
		_, err := Parse([]byte(fmt.Sprintf(`name: "m" entry_computation_name: "e" computations { name: "e" id: 1 root_id: 1 `+
			`instructions { name: "p" opcode: "parameter" id: 1 shape { element_type: F32 dimensions: 8 dimensions: 8 layout { `+
			`minor_to_major: 1 minor_to_major: 0 } } sharding { named_sharding { mesh { axes { name: "%s" size: %d } } %s } } } }`+
			` entry_computation_id: 1`, strings.Repeat("a", 1000), size, lists)), "m.pbtxt")
		return err
	}
	const part = "axes { sub_axis_info { pre_size: %d size: 2 } } "
	parts := fmt.Sprintf(part+part+part, 1, 2, 4)
	for _, c := range []struct {
		size  int
		lists string
		good  bool
	}{
		{8, "dim_shardings { " + parts + "} dim_shardings { }", true},
		{2, "dim_shardings { axes { } } dim_shardings { }", true},
		{2, "dim_shardings { axes { } } dim_shardings { axes { } }", false},
		{8, "dim_shardings { " + parts + "} dim_shardings { " + parts + "}", false},
		{1 << 40, "dim_shardings { } dim_shardings { } " + strings.Repeat("manual_axes { } ", 100000), false},
	} {
		err := read(c.size, c.lists)
		if c.good && err != nil || !c.good && (err == nil || !strings.Contains(err.Error(), "axis 0 is named more often than")) {
			t.Errorf("%.60s: got %v", c.lists, err)
		}
	}
}

// TestDeepOrigin wants an original value whose index is longer than tuples nest to have no text, and one as deep as they
// nest to have it.
func TestDeepOrigin(t *testing.T) {
	for depth, want := range map[int]int{maxOrigin: 1, maxOrigin + 1: 0, 50000: 0} {
		src := `name: "m" entry_computation_name: "e" computations { name: "e" id: 1 root_id: 1 instructions { name: "p" ` +
			`opcode: "parameter" id: 1 shape { element_type: F32 } original_value { elements { ` +
			strings.Repeat("shape_index: 0 ", depth) + `original_array { instruction_name: "v" } } } } } entry_computation_id: 1`
		m, err := Parse([]byte(src), "m.pbtxt")
		if err != nil || strings.Count(m.Text(), "origin=") != want {
			t.Errorf("%d deep: got %v, %v", depth, m, err)
		}
	}
}
