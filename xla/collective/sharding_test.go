package collective

import (
	"reflect"
	"strings"
	"testing"
)

// TestParseSharding holds texts of XLA's hlo_sharding to what its documents say each device has.
func TestParseSharding(t *testing.T) {
	for _, tc := range []struct {
		text    string
		dims    []int64
		at      [][]int64 // by device; nil: none
		size    []int64
		devices int
	}{
		{"{replicated}", []int64{4, 6}, [][]int64{{0, 0}, {0, 0}}, []int64{4, 6}, 2},
		{"{manual}", []int64{4}, [][]int64{{0}, {0}}, []int64{4}, 2},
		{"{maximal device=1}", []int64{4}, [][]int64{nil, {0}}, []int64{4}, 2},
		{"{devices=[2,2]0,2,1,3}", []int64{4, 6}, [][]int64{{0, 0}, {2, 0}, {0, 3}, {2, 3}}, []int64{2, 3}, 4},
		{"{devices=[2,2]<=[4]}", []int64{4, 6}, [][]int64{{0, 0}, {0, 3}, {2, 0}, {2, 3}}, []int64{2, 3}, 4},
		{"{devices=[2,2]<=[2,2]T(1,0)}", []int64{4, 6}, [][]int64{{0, 0}, {2, 0}, {0, 3}, {2, 3}}, []int64{2, 3}, 4},
		{"{devices=[2,1,2]<=[4] last_tile_dim_replicate}", []int64{4, 6}, [][]int64{{0, 0}, {0, 0}, {2, 0}, {2, 0}},
			[]int64{2, 6}, 4},
		{"{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}", []int64{4, 6}, [][]int64{{0, 0}, {0, 3}, {0, 0}, {0, 3}},
			[]int64{4, 3}, 4},
		{"devices=[2,2,1]<=[4] last_tile_dims={manual, replicated} metadata={op_name=\"x\"}", []int64{6},
			[][]int64{{0}, {0}, {3}, {3}}, []int64{3}, 4},
		{"{devices=[3]<=[3]}", []int64{7}, [][]int64{{0}, {3}, {6}}, []int64{3}, 3},
		{"{devices=[4]<=[4]}", []int64{2}, [][]int64{{0}, {1}, {2}, {2}}, []int64{1}, 4},
		{"{mesh['a'=2,'b'=2], [{'a'}, {'b'}]}", []int64{4, 6}, [][]int64{{0, 0}, {0, 3}, {2, 0}, {2, 3}}, []int64{2, 3}, 4},
		{"{mesh['a'=2,'b'=2], [{'b', ?}, {'a'}]}", []int64{4, 6}, [][]int64{{0, 0}, {2, 0}, {0, 3}, {2, 3}}, []int64{2, 3}, 4},
		{"{mesh['a'=2,'b'=2], device_ids=(0,2,1,3), [{'a'}, {'b'}]}", []int64{4, 6},
			[][]int64{{0, 0}, {2, 0}, {0, 3}, {2, 3}}, []int64{2, 3}, 4},
		{"{mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)), [{'a'}, {'b'}]}", []int64{4, 6},
			[][]int64{{0, 0}, {2, 0}, {0, 3}, {2, 3}}, []int64{2, 3}, 4},
		{"{mesh['a'=4], [{'a':(1)2}, {}]}", []int64{4, 6}, [][]int64{{0, 0}, {0, 0}, {2, 0}, {2, 0}}, []int64{2, 6}, 4},
		{"{mesh['a'=4], [{'a':(2)2}, {}]}", []int64{4, 6}, [][]int64{{0, 0}, {2, 0}, {0, 0}, {2, 0}}, []int64{2, 6}, 4},
		{"{mesh['a'=2,'b'=2], [{'a', 'b'}]}", []int64{4}, [][]int64{{0}, {1}, {2}, {3}}, []int64{1}, 4},
		{"{mesh['a'=2,'b'=2], [{}, {'b'}], manual={'a'}, metadata={{op_name=\"x, y\"}}}", []int64{4, 6},
			[][]int64{{0, 0}, {0, 3}, {0, 0}, {0, 3}}, []int64{4, 3}, 4},
		{"{mesh['a'=2], replicated}", []int64{4}, [][]int64{{0}, {0}}, []int64{4}, 2},
		{"{mesh['a'=2], manual}", []int64{4}, [][]int64{{0}, {0}}, []int64{4}, 2},
	} {
		s, err := ParseSharding(tc.text)
		if err != nil {
			t.Fatal(err)
		}
		for d := range tc.devices {
			tile, err := s.Tile(tc.dims, d)
			if err != nil || (tile != nil) != (tc.at[d] != nil) || tile != nil && (!reflect.DeepEqual(tile.At, tc.at[d]) ||
				!reflect.DeepEqual(tile.Size, tc.size)) {
				t.Errorf("%s: device %d has %v, %v, want %v at %v", tc.text, d, tile, err, tc.size, tc.at[d])
			}
		}
	}
	for text, want := range map[string]string{
		"{tiled}":                                                 "want replicated",
		"{{replicated}, {replicated}}":                            "want replicated",
		"{maximal}":                                               "want maximal device=number",
		"{mesh['a'=2], [{'b'}]}":                                  "want an axis of the mesh",
		"{mesh['a'=2], [{'a'}, {'a'}]}":                           "cuts twice",
		"{mesh['a'=2,'b'=2], [{'a'}, {'a'}]}":                     "cuts twice",
		"{mesh['a'=4], [{'a':(3)2}]}":                             "whose product divides 4",
		"{mesh['a'=0], [{'a'}]}":                                  "want 'name'=size",
		"{mesh['a'=2], device_ids=(0), [{'a'}]}":                  "got 1 devices, want 2",
		"{mesh['a'=2], tiled={'a'}}":                              `got "tiled"`,
		"{mesh['a'=5000], [{'a'}]}":                               "more than",
		"{replicated metadata={op_name=\"x}":                      "does not end",
		"{devices=[2]<=[2":                                        "do not match",
		"{{{replicated}}}":                                        "one list",
		"{devices=[2,2]0,1}":                                      "want 4",
		"{devices=[2]0,0}":                                        "there twice",
		"{devices=[2]<=[3]}":                                      "of 2 ids, got 3",
		"{devices=[0]<=[0]}":                                      "want sizes from 1",
		"{devices=[" + strings.Repeat("1,", 1000) + "1]0}":        "want at most 1000",
		"{mesh['a'=1], [" + strings.Repeat("{}, ", 1000) + "{}]}": "want at most 1000",
		"{devices=[2]<=[2] last_tile}":                            "want last_tile_dim_replicate",
		"{devices=[2]<=[2] last_tile_dims={manual,manual}}":       "want last_tile_dim_replicate",
	} {
		if _, err := ParseSharding(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	s, _ := ParseSharding("{devices=[2,2]<=[4]}")
	if _, err := s.Tile([]int64{4}, 0); err == nil {
		t.Error("an array of another rank has a part")
	}
}

func FuzzParseSharding(f *testing.F) {
	for _, s := range []string{"{replicated}", "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
		"{devices=[2,2]0,1,2,3 last_tile_dims={manual}}", "{maximal device=3}", "{mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)), [{'a'}, {'b':(1)2, ?}], manual={'b':(2)2}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSharding(text)
		if err != nil {
			return
		}
		again, err := ParseSharding(s.String())
		if whole := again != nil && again.String() == "{replicated}"; err != nil ||
			!whole && s.Devices != nil && !reflect.DeepEqual(again, s) {
			t.Errorf("%s: %+v is written %s, and read as %+v, %v", text, *s, s, again, err)
		}
		dims := make([]int64, len(s.Tiles))
		for i := range dims {
			dims[i] = 5
		}
		for d := range 4 {
			s.Tile(dims, d)
		}
	})
}
