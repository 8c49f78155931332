package collective

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Sharding says which part of an array each device has: all of it, or one tile of a grid of like ones.
type Sharding struct {
	// Tiles is into how many parts each dimension is cut; nil: every device has the whole array.
	Tiles []int64
	// Devices lists the devices tile by tile, the last dimension running fastest, Copies for each tile; nil: all that
	// there are, in order.
	Devices []int
	Copies  int64
}

// ParseSharding reads the sharding of one array as HLO text has it, with or without braces: {replicated},
// {maximal device=1}, {manual}, {devices=[2,2]0,1,2,3}, {devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate},
// {devices=[2,2]<=[4] last_tile_dims={manual}} or {mesh['a'=2,'b'=2], [{'a'}, {}]}. Devices of a last dimension that is
// manual, replicated or unreduced, and those along axes of a mesh that cut nothing, have the same tile.
func ParseSharding(text string) (*Sharding, error) {
	x, err := ReadSharding(text)
	if err == nil {
		var s *Sharding
		if s, err = x.sharding(); err == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("sharding %s: %w", text, err)
}

// sharding returns what the text means of one array.
func (x *ShardingText) sharding() (*Sharding, error) {
	switch {
	case x.Mesh != nil:
		return x.Mesh.sharding()
	case x.Kind == "replicated":
		return &Sharding{Copies: 1}, nil
	case x.Kind == "manual":
		return &Sharding{Copies: 1}, nil
	case x.Kind == "maximal":
		if len(x.Devices) != 1 {
			return nil, errors.New("want maximal device=number")
		}
		return &Sharding{Devices: []int{int(x.Devices[0])}, Copies: 1}, nil
	case x.Kind == "devices":
		return x.tiles()
	}
	return nil, errors.New("want replicated, maximal, manual, devices=[...] or a mesh's axes, of one array")
}

// tiles returns the sharding of devices=[...].
func (x *ShardingText) tiles() (*Sharding, error) {
	n, err := product(x.Dims)
	if err != nil {
		return nil, err
	}
	if n > MaxDevices {
		return nil, fmt.Errorf("%d devices, want at most %d", n, MaxDevices)
	}
	ids, err := x.Order.list(n)
	if err != nil {
		return nil, err
	}
	devices, err := deviceList(ids)
	if err != nil {
		return nil, err
	}
	s := &Sharding{Devices: devices, Copies: 1}
	last := len(x.Last)
	if x.ReplicateLast {
		last = 1
	}
	if last > len(x.Dims) {
		return nil, fmt.Errorf("want last_tile_dim_replicate or last_tile_dims of at most %d dimensions", len(x.Dims))
	}
	s.Tiles = x.Dims[:len(x.Dims)-last]
	for _, d := range x.Dims[len(x.Dims)-last:] {
		s.Copies *= d
	}
	return s, nil
}

// list lists n ids.
func (o DeviceOrder) list(n int64) ([]int64, error) {
	if o.Reshape == nil {
		if int64(len(o.IDs)) != n {
			return nil, fmt.Errorf("got %d devices, want %d", len(o.IDs), n)
		}
		return o.IDs, nil
	}
	rows, err := o.rows([]int64{1, n})
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// rows are the ids laid out as Reshape, in groups as [Iota] makes them.
func (o DeviceOrder) rows(dims []int64) ([][]int64, error) {
	var permutation []int
	for _, p := range o.Permutation {
		permutation = append(permutation, int(p))
	}
	return Iota(dims, o.Reshape, permutation)
}

// deviceList fails if a device is there twice or is none, or there are too many.
func deviceList(list []int64) ([]int, error) {
	if len(list) > MaxDevices {
		return nil, fmt.Errorf("more than %d devices", MaxDevices)
	}
	out, seen := make([]int, len(list)), make([]bool, MaxDevices)
	for i, x := range list {
		if x < 0 || x >= MaxDevices || seen[x] {
			return nil, fmt.Errorf("device %d is out of range or there twice", x)
		}
		out[i], seen[x] = int(x), true
	}
	return out, nil
}

// String returns the sharding as HLO text has it, which ParseSharding reads as the same.
func (s *Sharding) String() string {
	switch {
	case s.Tiles == nil && len(s.Devices) == 1:
		return fmt.Sprintf("{maximal device=%d}", s.Devices[0])
	case !slices.ContainsFunc(s.Tiles, func(n int64) bool { return n != 1 }):
		return "{replicated}"
	}
	tiles, last := slices.Clone(s.Tiles), ""
	if s.Copies > 1 {
		tiles, last = append(tiles, s.Copies), " last_tile_dim_replicate"
	}
	return fmt.Sprintf("{devices=%s%s%s}", bracketed(tiles), s.order(), last)
}

// order is the text of the list of devices.
func (s *Sharding) order() string {
	for i, d := range s.Devices {
		if i != d {
			return strings.Trim(bracketed(s.Devices), "[]")
		}
	}
	return fmt.Sprintf("<=[%d]", s.Count())
}

// Count returns how many devices have parts, all copies of each; 1 where every device has the whole array.
func (s *Sharding) Count() int64 {
	n := s.Copies
	for _, tiles := range s.Tiles {
		n *= tiles
	}
	return n
}

func bracketed[T int | int64](list []T) string { return strings.ReplaceAll(fmt.Sprint(list), " ", ",") }

// check fails if the fields contradict one another, as those of a Sharding that was not read may.
func (s *Sharding) check() error {
	if s.Copies < 1 || slices.ContainsFunc(s.Tiles, func(n int64) bool { return n < 1 }) {
		return fmt.Errorf("a sharding of %d copies of tiles %v, want at least 1 of each", s.Copies, s.Tiles)
	}
	n, err := product(append([]int64{s.Copies}, s.Tiles...))
	if err == nil && s.Tiles != nil && s.Devices != nil && n != int64(len(s.Devices)) {
		err = fmt.Errorf("a sharding of %d copies of tiles %v for %d devices", s.Copies, s.Tiles, len(s.Devices))
	}
	return err
}

// Tile is the part of an array that one device has.
type Tile struct {
	// At is where it begins, Size its size, and Inside how much of that lies in the array: where a size does not divide,
	// the last parts have room left.
	At, Size, Inside []int64
}

// Tile returns the part of device d of an array of dims, nil if it has none. It fails unless the sharding has as many
// dimensions as the array.
func (s *Sharding) Tile(dims []int64, d int) (*Tile, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(dims, func(n int64) bool { return n < 0 }) {
		return nil, fmt.Errorf("a part of an array of sizes %v, want none below 0", dims)
	}
	place := d
	if s.Devices != nil {
		place = slices.Index(s.Devices, d)
	}
	switch {
	case place < 0:
		return nil, nil
	case s.Tiles == nil:
		return &Tile{make([]int64, len(dims)), dims, dims}, nil
	case len(s.Tiles) != len(dims):
		return nil, fmt.Errorf("a sharding of %d dimensions for an array of %d", len(s.Tiles), len(dims))
	}
	n := len(dims)
	t := &Tile{make([]int64, n), make([]int64, n), make([]int64, n)}
	place /= int(s.Copies)
	for k := n - 1; k >= 0; k-- {
		count := int(s.Tiles[k])
		t.Size[k] = (dims[k] + s.Tiles[k] - 1) / s.Tiles[k]
		t.At[k] = min(int64(place%count)*t.Size[k], dims[k])
		t.Inside[k] = min(t.Size[k], dims[k]-t.At[k])
		place /= count
	}
	if place > 0 {
		return nil, nil
	}
	return t, nil
}
