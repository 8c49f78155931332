package collective

import (
	"reflect"
	"strings"
	"testing"
)

func TestGroups(t *testing.T) {
	grid := Grid{Replicas: 2, Partitions: 3} // devices 0 1 2 are replica 0
	for _, tc := range []struct {
		name  string
		grid  Grid
		mode  Mode
		lists [][]int64
		want  [][]int
	}{
		{"replicas", grid, CrossReplica, [][]int64{{1, 0}}, [][]int{{3, 0}, {4, 1}, {5, 2}}},
		{"all replicas", grid, CrossReplica, nil, [][]int{{0, 3}, {1, 4}, {2, 5}}},
		{"single replicas", grid, CrossReplica, [][]int64{{0}, {1}}, [][]int{{0}, {1}, {2}, {3}, {4}, {5}}},
		{"partitions", grid, CrossPartition, [][]int64{{2, 0}, {1}}, [][]int{{2, 0}, {5, 3}, {1}, {4}}},
		{"all partitions", grid, CrossPartition, nil, [][]int{{0, 1, 2}, {3, 4, 5}}},
		{"both", grid, CrossReplicaAndPartition, [][]int64{{0, 1}}, [][]int{{0, 3, 1, 4, 2, 5}}},
		{"both, single", grid, CrossReplicaAndPartition, [][]int64{{1}, {0}}, [][]int{{3, 4, 5}, {0, 1, 2}}},
		{"devices", grid, FlattenedIDs, [][]int64{{5, 0}, {1, 2, 3, 4}}, [][]int{{5, 0}, {1, 2, 3, 4}}},
		{"one device", Grid{}, CrossReplica, nil, [][]int{{0}}},
		{"one device, both", Grid{}, CrossReplicaAndPartition, nil, [][]int{{0}}},
	} {
		got, err := tc.grid.Groups(tc.mode, tc.lists)
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got %v, %v, want %v", tc.name, got, err, tc.want)
		}
	}
	for _, tc := range []struct {
		mode  Mode
		lists [][]int64
		want  string
	}{
		{CrossReplica, [][]int64{{0, 2}}, "group {0,2} names replica 2, want one of 0 to 1"},
		{CrossReplica, [][]int64{{-1}}, "names replica -1"},
		{CrossPartition, [][]int64{{0, 1}, {1, 2}}, "partition 1 is in the groups twice"},
		{FlattenedIDs, nil, "there are no groups"},
		{FlattenedIDs, [][]int64{{6}}, "names device 6"},
	} {
		if _, err := grid.Groups(tc.mode, tc.lists); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got %v, want %q", tc.lists, err, tc.want)
		}
	}
}

func TestPairs(t *testing.T) {
	grid := Grid{Replicas: 2, Partitions: 2}
	got, err := grid.Pairs(CrossPartition, [][2]int64{{0, 1}, {1, 0}})
	if want := [][2]int{{0, 1}, {2, 3}, {1, 0}, {3, 2}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, tc := range []struct {
		pairs [][2]int64
		want  string
	}{
		{[][2]int64{{0, 1}, {0, 0}}, "replica 0 is the source of two pairs"},
		{[][2]int64{{0, 1}, {1, 1}}, "replica 1 is the target of two pairs"},
		{[][2]int64{{0, 2}}, "names replica 2"},
	} {
		if _, err := grid.Pairs(CrossReplica, tc.pairs); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got %v, want %q", tc.pairs, err, tc.want)
		}
	}
}

func TestIota(t *testing.T) {
	for _, tc := range []struct {
		dims, reshape []int64
		permutation   []int
		want          [][]int64
	}{
		{[]int64{2, 2}, []int64{4}, nil, [][]int64{{0, 1}, {2, 3}}},
		{[]int64{4, 2}, []int64{2, 4}, []int{1, 0}, [][]int64{{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
		{[]int64{2, 4}, []int64{2, 2, 2}, []int{2, 0, 1}, [][]int64{{0, 2, 4, 6}, {1, 3, 5, 7}}},
		{[]int64{1, 6}, []int64{3, 2}, []int{1, 0}, [][]int64{{0, 2, 4, 1, 3, 5}}},
	} {
		got, err := Iota(tc.dims, tc.reshape, tc.permutation)
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%v<=%v T%v: got %v, %v, want %v", tc.dims, tc.reshape, tc.permutation, got, err, tc.want)
		}
	}
	for _, tc := range []struct {
		dims, reshape []int64
		permutation   []int
		want          string
	}{
		{[]int64{2, 2}, []int64{5}, nil, "of 4 ids, got 5"},
		{[]int64{4}, []int64{4}, nil, "want 2"},
		{[]int64{2, 2}, []int64{2, 2}, []int{0}, "permutation of 1 dimensions, want 2"},
		{[]int64{2, 2}, []int64{2, 2}, []int{0, 0}, "no permutation"},
		{[]int64{2, 2}, []int64{2, 2}, []int{0, 2}, "no permutation"},
		{[]int64{1 << 40, 1 << 40}, []int64{1 << 40, 1 << 40}, nil, "at most"},
		{[]int64{0, 2}, []int64{0}, nil, "want sizes from 1"},
		{[]int64{2, 2}, []int64{-4}, nil, "want sizes from 1"},
	} {
		if _, err := Iota(tc.dims, tc.reshape, tc.permutation); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v<=%v T%v: got %v, want %q", tc.dims, tc.reshape, tc.permutation, err, tc.want)
		}
	}
}

func TestGrid(t *testing.T) {
	g := Grid{Replicas: 3, Partitions: 4}
	for d := range g.Size() {
		if r, p := g.Place(d); g.Device(r, p) != d || p > 3 || r > 2 {
			t.Errorf("device %d: got replica %d, partition %d", d, r, p)
		}
	}
	if got := g.Name(7); got != "device 7 (replica 1, partition 3)" {
		t.Errorf("got %q", got)
	}
	for _, bad := range []Grid{{-1, 1}, {1, -1}, {1 << 62, 1 << 62}, {MaxDevices, 2}} {
		if bad.Check() == nil {
			t.Errorf("%v: got no error", bad)
		}
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}
