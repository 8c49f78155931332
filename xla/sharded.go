package xla

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Sharding says which part of an array each device has.
type Sharding = collective.Sharding

// ParseSharding reads a sharding as HLO text has it: "{devices=[2,1,2]<=[4] last_tile_dim_replicate}".
func ParseSharding(text string) (*Sharding, error) {
	s, err := collective.ParseSharding(text)
	return s, wrap(err, InvalidArgument)
}

// Sharded is an array in parts on several devices.
type Sharded struct {
	// Buffers are the parts by device; nil where one has none.
	Buffers []*Buffer
}

// NewSharded copies l's parts to devices, whose places in the list are the numbers that s has for them. Where a size
// does not divide, the last parts are filled up with zeros. Devices of other processes get their parts there. It fails
// if s has another rank than l, or needs devices that are not there.
func NewSharded(l *literal.Literal, s *Sharding, devices []*Device) (*Sharded, error) {
	if l == nil || s == nil || !l.Shape().IsArray() {
		return nil, errorf(InvalidArgument, "want an array to cut, and a sharding")
	}
	whole := l.RowMajor()
	out := &Sharded{Buffers: make([]*Buffer, len(devices))}
	if err := checkTiles(s, len(devices)); err != nil {
		return nil, err
	}
	for d, dev := range devices {
		if !dev.Local() {
			continue
		}
		tile, err := s.Tile(whole.Shape().Dims, d)
		if err == nil && tile != nil {
			part := literal.Zeros(shape.Array(whole.Shape().Type, tile.Size...))
			copyPart(part, whole, tile.Inside, make([]int64, len(tile.At)), tile.At)
			out.Buffers[d], err = dev.FromLiteral(part)
		}
		if err != nil {
			out.Close()
			return nil, wrap(err, InvalidArgument)
		}
	}
	return out, nil
}

// checkTiles fails unless the n devices from 0 on have all parts.
func checkTiles(s *Sharding, n int) error {
	for _, d := range s.Devices {
		if d < 0 || d >= n {
			return errorf(InvalidArgument, "the sharding has a part for device %d, and there are %d devices", d, n)
		}
	}
	if parts := s.Count(); s.Devices == nil && s.Tiles != nil && parts > int64(n) {
		return errorf(InvalidArgument, "the sharding has %d parts, and there are %d devices", parts, n)
	}
	return nil
}

// Close closes the parts. It always returns nil.
func (x *Sharded) Close() error {
	for _, b := range x.Buffers {
		if b != nil {
			b.Close()
		}
	}
	return nil
}

// Join puts together an array of dims of its parts by s. It fails if a part is missing or has another shape, or if
// devices that should have the same part do not.
func (x *Sharded) Join(s *Sharding, dims ...int64) (*literal.Literal, error) {
	if s == nil {
		return nil, errorf(InvalidArgument, "want a sharding to join by")
	}
	if err := checkTiles(s, len(x.Buffers)); err != nil {
		return nil, err
	}
	var whole *literal.Literal
	first := map[string]int{}
	for d, b := range x.Buffers {
		tile, err := s.Tile(dims, d)
		if err != nil {
			return nil, wrap(err, InvalidArgument)
		}
		if tile == nil {
			continue
		}
		part, err := partOf(b, d, tile.Size)
		if err != nil {
			return nil, err
		}
		if whole == nil {
			whole = literal.Zeros(shape.Array(part.Shape().Type, dims...))
		}
		if part.Shape().Type != whole.Shape().Type {
			return nil, errorf(InvalidArgument, "device %d has %v, and another %v", d, part.Shape(), whole.Shape().Type)
		}
		if e, there := first[fmt.Sprint(tile.At)]; there {
			same, err := x.Buffers[e].Literal()
			if err != nil {
				return nil, err
			}
			if !bytes.Equal(same.RowMajor().Bytes(), part.Bytes()) {
				return nil, errorf(Failed, "devices %d and %d should have the same part, at %v, and do not", e, d,
					tile.At)
			}
			continue
		}
		first[fmt.Sprint(tile.At)] = d
		copyPart(whole, part, tile.Inside, tile.At, make([]int64, len(tile.At)))
	}
	if whole == nil {
		return nil, errorf(InvalidArgument, "no device has a part")
	}
	return whole, nil
}

// partOf is the part of device d, of the given size.
func partOf(b *Buffer, d int, size []int64) (*literal.Literal, error) {
	if b == nil {
		return nil, errorf(InvalidArgument, "device %d has no part", d)
	}
	l, err := b.Literal()
	if err != nil {
		return nil, err
	}
	if !slices.Equal(l.Shape().Dims, size) {
		return nil, errorf(InvalidArgument, "device %d has %v, want a part of %v", d, l.Shape(), size)
	}
	return l.RowMajor(), nil
}

// copyPart copies a box of some size from a place in src to one in dst, both row-major.
func copyPart(dst, src *literal.Literal, size, to, from []int64) {
	d, s := dst.Shape().Dims, src.Shape().Dims
	width := int64(dst.Shape().Type.Bytes())
	var walk func(k int, x, y int64)
	walk = func(k int, x, y int64) {
		if k == len(size) {
			copy(dst.Bytes()[x*width:(x+1)*width], src.Bytes()[y*width:])
			return
		}
		x, y = x*d[k]+to[k], y*s[k]+from[k]
		if k == len(size)-1 {
			copy(dst.Bytes()[x*width:(x+size[k])*width], src.Bytes()[min(y*width, int64(len(src.Bytes()))):])
			return
		}
		for i := range size[k] {
			walk(k+1, x+i, y+i)
		}
	}
	walk(0, 0, 0)
}

// forPartitioner is what is said of programs that are written for whole arrays and are to run on their parts.
const forPartitioner = "is for a compiler that cuts the program up, which halo is not: export what one device does, " +
	"by jax.shard_map around the function, or the text of XLA's partitioned program " +
	"(jax.jit(f).lower(...).compile().as_text()); or "

// uncut is the refusal of a program of several partitions whose arguments are sharded as a whole, and whose devices
// have nothing to do with each other: each would do all. nil: the program is another, or runs whole on one device.
func (x *Executable) uncut() error {
	if len(x.devices) < 2 || x.grid.Partitions < 2 || x.state.meets || x.state.scheduled {
		return nil
	}
	for i, p := range x.signature.Parameters {
		s, err := collective.ParseSharding(p.Sharding)
		if err == nil && slices.ContainsFunc(s.Tiles, func(n int64) bool { return n > 1 }) {
			return errorf(Unsupported, "%s: on %d partitions: the sharding %s of argument %d (%s) %sset "+
				"CompileOptions.Replicas and Partitions to 1 to run it whole on one device", x.state.name, x.grid.Partitions,
				p.Sharding, i, p.Name, forPartitioner)
		}
	}
	return nil
}

// partHint is forPartitioner if got is the part that the parameter's sharding gives a device, else "".
func (v *Value) partHint(got shape.Shape) string {
	if v.Sharding == "" || !v.Shape.IsArray() {
		return ""
	}
	s, err := collective.ParseSharding(v.Sharding)
	if err != nil || s.Tiles == nil {
		return ""
	}
	tile, err := s.Tile(v.Shape.Dims, max(0, slices.Min(append([]int{collective.MaxDevices}, s.Devices...))))
	if err != nil || tile == nil || !slices.Equal(tile.Size, got.Dims) {
		return ""
	}
	return "; the program's sharding " + forPartitioner + "give each device the whole arrays"
}
