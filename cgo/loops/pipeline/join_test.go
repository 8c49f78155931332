package pipeline

import (
	"reflect"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"

	"github.com/halo-xla/halo/internal/testfile"
)

// TestJoin wants loads in the stages behind them, what all lanes share as one lane, and no end behind a store.
func TestJoin(t *testing.T) {
	testfile.Native(t, Has("store"))
	isOne := isOneOf([]Stream{{}, {Kind: Immediate}, {Kind: Splat}})
	for _, c := range []struct {
		list []Stage
		want []joined
	}{
		{nil, []joined{{Stage: Stage{Name: "end"}}}},
		{[]Stage{{"load", 0, 0, 0, 0, 0}, {"store", 3, 0, 0, 0, 0}}, []joined{{Stage{"store", 3, 0, 0, 0, 0}, 1, true, false, ""}}},
		{[]Stage{{"load", 0, 0, 0, 0, 0}, {"mul_f", 1, 0, 0, 0, 0}, {"store", 4, 0, 0, 0, 0}, {"load", 1, 0, 0, 0, 0}, {"add_f", 4, 0, 0, 0, 0},
			{"acc_add_f", 5, 6, 0, 0, 0}},
			[]joined{{Stage{"mul_f", 1, 0, 0, 0, 0}, 1, false, true, ""}, {Stage: Stage{"store", 4, 0, 0, 0, 0}},
				{Stage{"add_f", 4, 0, 0, 0, 0}, 2, false, false, ""}, {Stage{"acc_add_f", 5, 6, 0, 0, 0}, 0, true, false, ""}}},
		{[]Stage{{"load", 2, 0, 0, 0, 0}, {"select", 1, 2, 0, 0, 0}, {"mix", 1, 2, 0, 0, 0}},
			[]joined{{Stage{"select", 1, 2, 0, 0, 0}, 3, false, false, ""}, {Stage: Stage{"mix", 1, 2, 0, 0, 0}},
				{Stage: Stage{"end", 0, 0, 0, 0, 0}}}},
	} {
		if got := join(c.list, isOne); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: got %+v, want %+v", c.list, got, c.want)
		}
	}
}

// TestWantsBlock wants values of rows in whole blocks where some stage reads more than one lane.
func TestWantsBlock(t *testing.T) {
	testfile.Native(t, Has("store"))
	for _, c := range []struct {
		stage Stage
		want  bool
	}{
		{Stage{"sub_f", 7, 0, 0, 0, 0}, false}, {Stage{"load", 7, 0, 0, 0, 0}, true}, {Stage{"select", 7, 1, 0, 0, 0}, true},
		{Stage{"select", 1, 7, 0, 0, 0}, true}, {Stage{"quotient", 7, 8, 0, 0, 0}, false}, {Stage{"quotient", 6, 7, 0, 0, 0}, false},
		{Stage{"pow", 7, 0, 0, 0, 0}, true}, {Stage{"sub_f", 6, 0, 0, 0, 0}, false},
	} {
		if got := (&Phase{Stages: []Stage{c.stage}}).wantsBlock(7); got != c.want {
			t.Errorf("%v: got %v", c.stage, got)
		}
	}
}

// TestRowsLevel wants rows of one block of AVX2 and of three at that level, and others at the best.
func TestRowsLevel(t *testing.T) {
	for _, c := range []struct {
		lane       int
		row        int64
		best, want run.ISA
	}{
		{4, 64, run.AVX512, run.AVX2}, {8, 32, run.AVX512, run.AVX2}, {4, 192, run.AVX512, run.AVX2},
		{4, 128, run.AVX512, run.AVX512}, {4, 320, run.AVX512, run.AVX512}, {4, 65, run.AVX512, run.AVX512},
		{4, 64, run.AVX2, run.AVX2}, {4, 64, run.Base, run.Base}, {4, 64, run.NEON, run.NEON},
	} {
		p := &Rows{Dims: []int64{7, c.row}, Lead: 1, Lane: c.lane}
		if got := p.Level(c.best); got != c.want {
			t.Errorf("rows of %d lanes of %d bytes: got %v, want %v", c.row, c.lane, got, c.want)
		}
	}
}
