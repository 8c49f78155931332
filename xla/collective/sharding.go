package collective

import (
	"fmt"
	"slices"
	"strconv"
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
	// Manual says that some of the cutting was done already: what is described is what each device has of it.
	Manual bool
}

// ParseSharding reads the sharding of one array as HLO text has it, with or without braces: {replicated},
// {maximal device=1}, {manual}, {devices=[2,2]0,1,2,3}, {devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate} or
// {devices=[2,2]<=[4] last_tile_dims={manual}}. Devices of a last dimension that is manual, replicated or unreduced
// have the same tile.
func ParseSharding(text string) (*Sharding, error) {
	s, err := parseSharding(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("sharding %s: %w", text, err)
	}
	return s, nil
}

func parseSharding(text string) (*Sharding, error) {
	if strings.HasPrefix(text, "{") {
		text = strings.TrimSpace(strings.TrimSuffix(text[1:], "}"))
	}
	kind, rest, _ := strings.Cut(text, " ")
	switch {
	case kind == "replicated":
		return &Sharding{Copies: 1}, nil
	case kind == "manual":
		return &Sharding{Copies: 1, Manual: true}, nil
	case kind == "maximal":
		d, err := numbers(strings.TrimPrefix(strings.TrimSpace(rest), "device="))
		if err != nil || len(d) != 1 {
			return nil, fmt.Errorf("want maximal device=number")
		}
		return &Sharding{Devices: []int{int(d[0])}, Copies: 1}, nil
	case strings.HasPrefix(kind, "devices=["):
		return parseTiles(text[len("devices="):])
	}
	return nil, fmt.Errorf("want replicated, maximal, manual or devices=[...] of one array")
}

// parseTiles reads "[2,1,2]<=[4]T(1,0) last_tile_dim_replicate".
func parseTiles(text string) (*Sharding, error) {
	list, rest, ok := strings.Cut(text[1:], "]")
	dims, err := numbers(list)
	if !ok || err != nil {
		return nil, fmt.Errorf("want devices=[number,...]")
	}
	n, err := product(dims)
	if err != nil {
		return nil, err
	}
	if n > MaxDevices {
		return nil, fmt.Errorf("%d devices, want at most %d", n, MaxDevices)
	}
	order, rest, _ := strings.Cut(rest, " ")
	devices, err := parseOrder(order, n)
	if err != nil {
		return nil, err
	}
	s := &Sharding{Tiles: dims, Devices: devices, Copies: 1}
	last, manual, err := lastDims(rest)
	if err != nil || last > len(dims) {
		return nil, fmt.Errorf("%q after the devices, want last_tile_dim_replicate or last_tile_dims={...}", rest)
	}
	s.Tiles, s.Manual = dims[:len(dims)-last], manual
	for _, d := range dims[len(dims)-last:] {
		s.Copies *= d
	}
	return s, nil
}

// parseOrder reads n devices: "0,1,2,3" or "<=[2,2]T(1,0)".
func parseOrder(text string, n int64) ([]int, error) {
	iota, compact := strings.CutPrefix(text, "<=[")
	if !compact {
		list, err := numbers(text)
		if err != nil || int64(len(list)) != n {
			return nil, fmt.Errorf("got devices %q, want %d", text, n)
		}
		return deviceList(list)
	}
	sizes, perm, _ := strings.Cut(iota, "]")
	reshape, err := numbers(sizes)
	if err != nil {
		return nil, err
	}
	var permutation []int
	if perm != "" {
		p, err := numbers(strings.TrimSuffix(strings.TrimPrefix(perm, "T("), ")"))
		if err != nil {
			return nil, err
		}
		for _, x := range p {
			permutation = append(permutation, int(x))
		}
	}
	rows, err := Iota([]int64{1, n}, reshape, permutation)
	if err != nil {
		return nil, err
	}
	return deviceList(rows[0])
}

// deviceList fails if a device is there twice or is none.
func deviceList(list []int64) ([]int, error) {
	out := make([]int, len(list))
	for i, x := range list {
		if x < 0 || x >= MaxDevices || slices.Contains(out[:i], int(x)) {
			return nil, fmt.Errorf("device %d is out of range or there twice", x)
		}
		out[i] = int(x)
	}
	return out, nil
}

// lastDims returns how many of the last dimensions are of devices with the same tile, and whether one is manual.
func lastDims(text string) (n int, manual bool, err error) {
	if rest, ok := strings.CutPrefix(text, "last_tile_dim_replicate"); ok {
		return 1, false, ends(rest)
	}
	if rest, ok := strings.CutPrefix(text, "last_tile_dims={"); ok {
		list, rest, ok := strings.Cut(rest, "}")
		if !ok {
			return 0, false, fmt.Errorf("} is missing")
		}
		for kind := range strings.SplitSeq(list, ",") {
			switch kind = strings.TrimSpace(kind); kind {
			case "manual":
				manual = true
			case "replicated", "unreduced":
			default:
				return 0, false, fmt.Errorf("got %q", kind)
			}
			n++
		}
		return n, manual, ends(rest)
	}
	return 0, false, ends(text)
}

// ends fails unless there is nothing more than metadata.
func ends(text string) error {
	if text = strings.TrimSpace(text); text == "" || strings.HasPrefix(text, "metadata=") {
		return nil
	}
	return fmt.Errorf("got %q", text)
}

func numbers(list string) ([]int64, error) {
	var out []int64
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("got %q, want numbers", list)
		}
		out = append(out, n)
	}
	return out, nil
}

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

// Part returns where the part of device d of an array of dims begins, its size, and how much of that lies in the array:
// where a size does not divide, the last parts have room left. ok is false if d has none of it.
//
// It fails unless the sharding has as many dimensions as the array.
func (s *Sharding) Part(dims []int64, d int) (at, size, inside []int64, ok bool, err error) {
	if err := s.check(); err != nil {
		return nil, nil, nil, false, err
	}
	tile := d
	if s.Devices != nil {
		tile = slices.Index(s.Devices, d)
	}
	if tile /= int(s.Copies); tile < 0 || s.Devices != nil && !slices.Contains(s.Devices, d) {
		return nil, nil, nil, false, nil
	}
	if s.Tiles == nil {
		return make([]int64, len(dims)), dims, dims, true, nil
	}
	if len(s.Tiles) != len(dims) {
		return nil, nil, nil, false, fmt.Errorf("a sharding of %d dimensions for an array of %d", len(s.Tiles), len(dims))
	}
	n := len(dims)
	at, size, inside = make([]int64, n), make([]int64, n), make([]int64, n)
	for k := n - 1; k >= 0; k-- {
		count := int(s.Tiles[k])
		size[k] = (dims[k] + s.Tiles[k] - 1) / s.Tiles[k]
		at[k] = min(int64(tile%count)*size[k], dims[k])
		inside[k] = min(size[k], dims[k]-at[k])
		tile /= count
	}
	return at, size, inside, tile == 0, nil
}
