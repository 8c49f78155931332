package stablehlo

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// channelAttr names a channel. kind is 1 between devices, 2 from device to host, 3 from host to device.
func channelAttr(id, kind int64) NamedAttr {
	return named("channel_handle", &DialectAttr{Name: "stablehlo.channel_handle",
		Fields: DictAttr{named("handle", number64(id)), named("type", number64(kind))}})
}

// collectiveOf returns what all collectives have in common.
func collectiveOf(a hlo.Attrs) *hlo.CollectiveAttrs {
	switch a := a.(type) {
	case *hlo.AllGatherAttrs:
		return &a.CollectiveAttrs
	case *hlo.AllReduceAttrs:
		return &a.CollectiveAttrs
	case *hlo.ReduceScatterAttrs:
		return &a.CollectiveAttrs
	case *hlo.AllToAllAttrs:
		return &a.CollectiveAttrs
	case *hlo.CollectiveBroadcastAttrs:
		return &a.CollectiveAttrs
	case *hlo.CollectiveReduceAttrs:
		return &a.CollectiveAttrs
	}
	panic(fmt.Sprintf("stablehlo: bug: no collective: %T", a))
}

// collectiveAttrs are the attributes of a collective, whose flags are set by being there.
func collectiveAttrs(a hlo.Attrs) ([]NamedAttr, error) {
	attrs, err := fieldAttrs(a)
	if err != nil {
		return nil, err
	}
	attrs = slices.DeleteFunc(attrs, func(n NamedAttr) bool { return n.Value == BoolAttr(false) })
	for i := range attrs {
		if attrs[i].Value == BoolAttr(true) {
			attrs[i].Value = UnitAttr{}
		}
	}
	c := collectiveOf(a)
	if c.ChannelID != 0 {
		attrs = append(attrs, channelAttr(c.ChannelID, 1))
	}
	return attrs, nil
}

// collectiveNames are the ops of collectives, also of those that only start.
var collectiveNames = map[hlo.Opcode]string{hlo.AllReduceStart: "stablehlo.all_reduce",
	hlo.AllGatherStart: "stablehlo.all_gather"}

func exportCollective(b *writer, in *hlo.Instruction) (node, error) {
	return b.collective(in, in.Shape)
}

func (b *writer) collective(in *hlo.Instruction, s shape.Shape) (node, error) {
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	attrs, err := collectiveAttrs(in.Attrs)
	if err != nil {
		return node{}, err
	}
	var regions []*Region
	for _, c := range in.Called() {
		r, err := b.body(c, nil)
		if err != nil {
			return node{}, err
		}
		regions = append(regions, r)
	}
	name := in.Op.Info().MLIR
	if n := collectiveNames[in.Op]; n != "" {
		name = n
	}
	return b.region(in, name, s, operands, regions, attrs...)
}

// exportStart writes an op in two halves whole, where it starts. Its result is (operands, results, ...).
func exportStart(b *writer, in *hlo.Instruction) (node, error) {
	var result node
	var err error
	if s := in.Shape.Elems[1]; in.Op == hlo.CollectivePermuteStart {
		result, err = b.permute(in, s)
	} else {
		result, err = b.collective(in, s)
	}
	return tupleOf(node{tuple: true}, result), err
}

func exportPermute(b *writer, in *hlo.Instruction) (node, error) { return b.permute(in, in.Shape) }

// permute writes one op for each operand.
func (b *writer) permute(in *hlo.Instruction, s shape.Shape) (node, error) {
	a := in.Attrs.(*hlo.CollectivePermuteAttrs)
	attrs := []NamedAttr{named("source_target_pairs",
		pairTable(len(a.SourceTargetPairs),
			func(i int) (int64, int64) { return a.SourceTargetPairs[i][0], a.SourceTargetPairs[i][1] }))}
	if a.ChannelID != 0 {
		attrs = append(attrs, channelAttr(a.ChannelID, 1))
	}
	if a.UseGlobalDeviceIDs {
		attrs = append(attrs, named("use_global_device_ids", BoolAttr(true)))
	}
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	leaves := s.Leaves()
	if len(leaves) != len(operands) {
		return node{}, fmt.Errorf("a permutation in place: %w", errors.ErrUnsupported)
	}
	var values []*Value
	for i, v := range operands {
		n, err := b.op(in, "stablehlo.collective_permute", leaves[i].WithoutLayout(), []*Value{v}, slices.Clone(attrs)...)
		if err != nil {
			return node{}, err
		}
		values = append(values, n.value)
	}
	n, _ := shaped(s, values)
	return n, nil
}

// exportAllToAll writes the form with a dimension; in the other one, whose operands are the blocks for the members of
// the group, the blocks are joined along a new dimension first.
func exportAllToAll(b *writer, in *hlo.Instruction) (node, error) {
	a := in.Attrs.(*hlo.AllToAllAttrs)
	attrs, err := collectiveAttrs(a)
	if err != nil {
		return node{}, err
	}
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	dim, count := a.Dimension.Value, int64(len(in.Operands))
	if a.Dimension.Set {
		count = b.groupSize(&a.CollectiveAttrs)
	}
	if len(a.ReplicaGroups.Groups) == 0 { // all devices, which must be named here
		all := make([]int64, count)
		for i := range all {
			all[i] = int64(i)
		}
		attrs = slices.DeleteFunc(attrs, func(n NamedAttr) bool { return n.Name == "replica_groups" })
		attrs = append(attrs, named("replica_groups", table([][]int64{all})))
	}
	attrs = append(attrs, named("split_dimension", number64(dim)), named("concat_dimension", number64(dim)),
		named("split_count", number64(count)))
	if a.Dimension.Set {
		return b.op(in, "stablehlo.all_to_all", in.Shape, operands, attrs...)
	}
	return b.exchange(in, operands, attrs)
}

// groupSize returns how many devices exchange blocks.
func (b *writer) groupSize(a *hlo.CollectiveAttrs) int64 {
	if len(a.ReplicaGroups.Groups) > 0 {
		return int64(len(a.ReplicaGroups.Groups[0]))
	}
	if a.ChannelID > 0 {
		return max(b.ex.module.Config.NumPartitions, 1)
	}
	return max(b.ex.module.Config.NumReplicas, 1)
}

// exchange writes the form of one operand a member: joined, exchanged, taken apart.
func (b *writer) exchange(in *hlo.Instruction, operands []*Value, attrs []NamedAttr) (node, error) {
	block := in.Operands[0].Shape
	if block.IsDynamic() {
		return node{}, fmt.Errorf("blocks of unknown size: %w", errors.ErrUnsupported)
	}
	line := block.WithDims(append([]int64{1}, block.Dims...)...)
	for i, v := range operands {
		var err error
		if operands[i], err = b.value("stablehlo.reshape", line, []*Value{v}); err != nil {
			return node{}, err
		}
	}
	all := block.WithDims(append([]int64{int64(len(operands))}, block.Dims...)...)
	joined, err := b.value("stablehlo.concatenate", all, operands, named("dimension", number64(0)))
	if err != nil {
		return node{}, err
	}
	n, err := b.op(in, "stablehlo.all_to_all", all, []*Value{joined}, attrs...)
	if err != nil {
		return node{}, err
	}
	var values []*Value
	for i := range int64(len(operands)) {
		start, limit := make([]int64, len(line.Dims)), slices.Clone(line.Dims)
		stride := slices.Repeat([]int64{1}, len(line.Dims))
		start[0], limit[0] = i, i+1
		v, err := b.value("stablehlo.slice", line, []*Value{n.value}, named("start_indices", numbers(start)),
			named("limit_indices", numbers(limit)), named("strides", numbers(stride)))
		if err != nil {
			return node{}, err
		}
		if v, err = b.value("stablehlo.reshape", block.WithoutLayout(), []*Value{v}); err != nil {
			return node{}, err
		}
		values = append(values, v)
	}
	result, _ := shaped(in.Shape, values)
	return result, nil
}

func exportInfeed(b *writer, in *hlo.Instruction) (node, error) {
	return b.named(in, "stablehlo.infeed")
}

func exportOutfeed(b *writer, in *hlo.Instruction) (node, error) {
	return b.named(in, "stablehlo.outfeed")
}

// channelOf returns the attributes of send and recv. toHost is the kind of a channel to or from the host.
func channelOf(in *hlo.Instruction, toHost int64) []NamedAttr {
	a := in.Attrs.(*hlo.ChannelAttrs)
	kind := int64(1)
	if a.IsHostTransfer {
		kind = toHost
	}
	return []NamedAttr{channelAttr(a.ChannelID, kind), named("is_host_transfer", BoolAttr(a.IsHostTransfer))}
}

func exportSend(b *writer, in *hlo.Instruction) (node, error) {
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	return b.op(in, "stablehlo.send", shape.TokenShape(), operands, channelOf(in, 2)...)
}

// exportRecv leaves the receive to recv-done: it waits, and what stands between the two need not.
func exportRecv(*writer, *hlo.Instruction) (node, error) { return tupleOf(node{}, node{}, node{}), nil }

// exportRecvDone writes a receive. Its value is (data, token).
func exportRecvDone(b *writer, in *hlo.Instruction) (node, error) {
	recv := in.Operands[0]
	if recv.Op != hlo.Recv {
		return node{}, fmt.Errorf("a receive that does not begin in this computation: %w", errors.ErrUnsupported)
	}
	operands, err := b.operands(recv)
	if err != nil {
		return node{}, err
	}
	return b.op(recv, "stablehlo.recv", shape.TupleOf(recv.Shape.Elems[0], shape.TokenShape()), operands,
		channelOf(recv, 3)...)
}
