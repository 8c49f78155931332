// Package collective forms the groups in which devices work together and lets the devices of one process meet: it knows
// which device waits for which, and turns a deadlock into an error.
package collective

import (
	"fmt"
	"slices"
	"strings"
)

// Grid is the devices of one execution: Replicas copies of the program, each cut in Partitions. 0 means 1.
type Grid struct{ Replicas, Partitions int64 }

// MaxDevices is the most devices a grid may have.
const MaxDevices = 1 << 12

// Check fails if a count is negative or there are more than MaxDevices devices.
func (g Grid) Check() error {
	r, p := max(g.Replicas, 1), max(g.Partitions, 1)
	if g.Replicas < 0 || g.Partitions < 0 {
		return fmt.Errorf("%d replicas of %d partitions, want none negative", g.Replicas, g.Partitions)
	}
	if r > MaxDevices || p > MaxDevices || r*p > MaxDevices {
		return fmt.Errorf("%d replicas of %d partitions, want at most %d devices", r, p, MaxDevices)
	}
	return nil
}

// Size returns the number of devices.
func (g Grid) Size() int { return int(max(g.Replicas, 1) * max(g.Partitions, 1)) }

// Device returns the flattened id of a replica's partition: replica*Partitions + partition.
func (g Grid) Device(replica, partition int64) int {
	return int(replica*max(g.Partitions, 1) + partition)
}

// Place returns the replica and partition of the device with flattened id d.
func (g Grid) Place(d int) (replica, partition int64) {
	p := max(g.Partitions, 1)
	return int64(d) / p, int64(d) % p
}

// Name is how messages call device d.
func (g Grid) Name(d int) string {
	r, p := g.Place(d)
	switch {
	case max(g.Partitions, 1) == 1:
		return fmt.Sprintf("device %d (replica %d)", d, r)
	case max(g.Replicas, 1) == 1:
		return fmt.Sprintf("device %d (partition %d)", d, p)
	}
	return fmt.Sprintf("device %d (replica %d, partition %d)", d, r, p)
}

// Mode says what the ids in a collective's groups are, and how they become groups of devices.
type Mode uint8

// The modes.
const (
	// CrossReplica groups replica ids; every partition has these groups of its own.
	CrossReplica Mode = iota
	// CrossPartition groups partition ids; every replica has these groups of its own.
	CrossPartition
	// CrossReplicaAndPartition groups replica ids and joins all their partitions.
	CrossReplicaAndPartition
	// FlattenedIDs groups flattened device ids.
	FlattenedIDs
)

var modeNames = [...]string{"replica", "partition", "replica", "device"}

// IDs returns what the ids in mode m count: "replica", "partition" or "device".
func (m Mode) IDs() string { return modeNames[m] }

// Count returns how many ids there are in mode m.
func (m Mode) Count(g Grid) int64 {
	switch m {
	case CrossPartition:
		return max(g.Partitions, 1)
	case FlattenedIDs:
		return int64(g.Size())
	}
	return max(g.Replicas, 1)
}

// Groups returns the groups of flattened device ids that lists of ids mean in mode m. No lists mean one of all ids in
// order. Lists of another mode than FlattenedIDs give one group each, or one each and replica or partition.
//
// It fails if an id is out of range or in two places, or if FlattenedIDs has no lists.
func (g Grid) Groups(m Mode, lists [][]int64) ([][]int, error) {
	n := m.Count(g)
	if len(lists) == 0 {
		if m == FlattenedIDs {
			return nil, fmt.Errorf("there are no groups, and global device ids need them")
		}
		all := make([]int64, n)
		for i := range all {
			all[i] = int64(i)
		}
		lists = [][]int64{all}
	}
	if err := CheckIDs(m, lists, n); err != nil {
		return nil, err
	}
	var groups [][]int
	for _, l := range lists {
		groups = append(groups, g.expand(m, l)...)
	}
	return groups, nil
}

// CheckIDs fails if an id in lists is not one of 0 to n-1 or is there twice.
func CheckIDs(m Mode, lists [][]int64, n int64) error {
	var seen []uint64 // a bit for each id so far
	for _, l := range lists {
		for _, id := range l {
			if id < 0 || id >= n || id >= maxIDs {
				return fmt.Errorf("group %s names %s %d, want one of 0 to %d", ids(l), m.IDs(), id, min(n, maxIDs)-1)
			}
			if more := int(id/64) + 1 - len(seen); more > 0 {
				seen = append(seen, make([]uint64, more)...)
			}
			if seen[id/64]&(1<<(id%64)) != 0 {
				return fmt.Errorf("%s %d is in the groups twice", m.IDs(), id)
			}
			seen[id/64] |= 1 << (id % 64)
		}
	}
	return nil
}

// expand returns the groups of devices that one list of ids means.
func (g Grid) expand(m Mode, l []int64) [][]int {
	var groups [][]int
	switch m {
	case CrossReplica:
		for p := range max(g.Partitions, 1) {
			groups = append(groups, each(l, func(id int64) int { return g.Device(id, p) }))
		}
	case CrossPartition:
		for r := range max(g.Replicas, 1) {
			groups = append(groups, each(l, func(id int64) int { return g.Device(r, id) }))
		}
	case CrossReplicaAndPartition: // partition by partition, in each the replicas in the order of the list
		var group []int
		for p := range max(g.Partitions, 1) {
			group = append(group, each(l, func(id int64) int { return g.Device(id, p) })...)
		}
		groups = append(groups, group)
	default:
		groups = append(groups, each(l, func(id int64) int { return int(id) }))
	}
	return groups
}

func each(l []int64, device func(int64) int) []int {
	d := make([]int, len(l))
	for i, id := range l {
		d[i] = device(id)
	}
	return d
}

// GroupOf returns the group that device d is in, nil if it is in none.
func GroupOf(groups [][]int, d int) []int {
	for _, g := range groups {
		if slices.Contains(g, d) {
			return g
		}
	}
	return nil
}

// Pairs returns the pairs of flattened device ids that pairs of ids (source, target) mean in mode m.
//
// It fails if an id is out of range, or is the source of two pairs or the target of two.
func (g Grid) Pairs(m Mode, pairs [][2]int64) ([][2]int, error) {
	n := m.Count(g)
	for side, what := range [...]string{"source", "target"} {
		seen := map[int64]bool{}
		for _, p := range pairs {
			if id := p[side]; id < 0 || id >= n {
				return nil, fmt.Errorf("pair %s names %s %d, want one of 0 to %d", ids(p[:]), m.IDs(), id, n-1)
			} else if seen[id] {
				return nil, fmt.Errorf("%s %d is the %s of two pairs", m.IDs(), id, what)
			} else {
				seen[id] = true
			}
		}
	}
	var out [][2]int
	for _, p := range pairs {
		for _, d := range g.expand(m, p[:]) {
			out = append(out, [2]int{d[0], d[1]})
		}
	}
	return out, nil
}

// Iota returns the groups of the compact text "[dims]<=[reshape]T(permutation)": the ids 0 to N-1 laid out as reshape,
// transposed, and cut into rows as dims, [groups, size], says. A nil permutation transposes nothing.
//
// It fails if the sizes differ, overflow, or permutation is none.
func Iota(dims, reshape []int64, permutation []int) ([][]int64, error) {
	if len(dims) != 2 {
		return nil, fmt.Errorf("groups of %d dimensions, want 2: number and size", len(dims))
	}
	n, err := product(reshape)
	if err != nil {
		return nil, err
	}
	if m, err := product(dims); err != nil || m != n {
		return nil, fmt.Errorf("groups %s of %d ids, got %d as %s", ids(dims), m, n, ids(reshape))
	}
	order, err := transposed(reshape, permutation, n)
	if err != nil {
		return nil, err
	}
	groups := make([][]int64, dims[0])
	for i := range groups {
		groups[i] = order[int64(i)*dims[1] : int64(i+1)*dims[1]]
	}
	return groups, nil
}

// maxIDs bounds the ids that a compact text may stand for, maxRank the dimensions in which they are laid out: no array
// that is read has more.
const (
	maxIDs  = 1 << 20
	maxRank = 1000
)

func product(dims []int64) (int64, error) {
	if len(dims) > maxRank {
		return 0, fmt.Errorf("ids laid out in %d dimensions, want at most %d", len(dims), maxRank)
	}
	n := int64(1)
	for _, d := range dims {
		if d <= 0 || d > maxIDs || n*d > maxIDs {
			return 0, fmt.Errorf("ids laid out as %s, want sizes from 1 and at most %d ids", ids(dims), maxIDs)
		}
		n *= d
	}
	return n, nil
}

// transposed lists the ids 0 to n-1, laid out as dims, in the order of the transposed array.
func transposed(dims []int64, permutation []int, n int64) ([]int64, error) {
	if permutation == nil {
		for i := range dims {
			permutation = append(permutation, i)
		}
	}
	if len(permutation) != len(dims) {
		return nil, fmt.Errorf("permutation of %d dimensions, want %d", len(permutation), len(dims))
	}
	stride := make([]int64, len(dims))
	seen := make([]bool, len(dims))
	for i, p := range permutation {
		if p < 0 || p >= len(dims) || seen[p] {
			return nil, fmt.Errorf("%v is no permutation of %d dimensions", permutation, len(dims))
		}
		seen[p], stride[i] = true, 1
		for _, d := range dims[p+1:] {
			stride[i] *= d
		}
	}
	order, index := make([]int64, n), make([]int64, len(dims))
	for k := range order {
		for i := range index {
			order[k] += index[i] * stride[i]
		}
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < dims[permutation[i]] {
				break
			}
			index[i] = 0
		}
	}
	return order, nil
}

// ids is a list as messages show it: "{0,1}".
func ids[T int | int64](l []T) string {
	var b strings.Builder
	for i, id := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, id)
	}
	return "{" + b.String() + "}"
}
