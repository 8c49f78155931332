package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/shape"
)

// joinsPartitions are the ops whose groups of replica ids take in all partitions when there is a channel; those of the
// other collectives are groups of partition ids then. Law: section 3.11.
var joinsPartitions = map[Opcode]bool{
	AllGather: true, AllGatherStart: true, AllReduce: true, AllReduceStart: true, ReduceScatter: true,
}

// groupMode returns what the ids of a collective mean.
func groupMode(op Opcode, channel int64, global bool) (collective.Mode, error) {
	switch {
	case channel <= 0 && global: // all_reduce C3 and its like
		return 0, fmt.Errorf("use_global_device_ids is set without a channel_id greater than 0")
	case global:
		return collective.FlattenedIDs, nil
	case channel <= 0:
		return collective.CrossReplica, nil
	case joinsPartitions[op]:
		return collective.CrossReplicaAndPartition, nil
	}
	return collective.CrossPartition, nil
}

// checkGroups checks the groups of a collective and returns the size that all have, 0 if that depends on the grid.
func checkGroups(in *Instruction, a *CollectiveAttrs) (size int64, err error) {
	mode, err := groupMode(in.Op, a.ChannelID, a.UseGlobalDeviceIDs)
	if err != nil {
		return 0, err
	}
	groups := a.ReplicaGroups.Groups
	if len(groups) == 0 {
		if mode == collective.FlattenedIDs {
			return 0, fmt.Errorf("replica_groups are empty, and global device ids need them")
		}
		return 0, nil
	}
	all := int64(0)
	for _, g := range groups {
		all += int64(len(g))
	}
	if in.Op == CollectiveBroadcast || in.Op == CollectiveReduce { // some may be in no group: they get zeros
		if err := collective.CheckIDs(mode, groups, collective.MaxDevices); err != nil {
			return 0, fmt.Errorf("replica_groups: %w", err)
		}
	} else if err := collective.CheckIDs(mode, groups, all); err != nil { // all_reduce C1, C2
		return 0, fmt.Errorf("replica_groups: %w: each of %d ids is to be in one group", err, all)
	}
	size = int64(len(groups[0]))
	reduces := in.Op == AllReduce || in.Op == AllReduceStart
	for i, g := range groups {
		if len(g) == 0 {
			return 0, fmt.Errorf("replica_groups: group %d is empty", i)
		}
		if int64(len(g)) != size && !reduces { // section 3.11
			return 0, fmt.Errorf("replica_groups: group %d has %d ids, want %d as group 0", i, len(g), size)
		}
	}
	if mode == collective.CrossReplicaAndPartition || reduces {
		return 0, nil
	}
	return size, nil
}

// wrap is the result of a collective on several operands: a tuple, or for one operand its result alone.
func wrap(results []shape.Shape) shape.Shape {
	if len(results) == 1 {
		return results[0]
	}
	return shape.TupleOf(results...)
}

// toldPart returns the shape told for result i of n, and whether there is one.
func toldPart(s shape.Shape, i, n int) (shape.Shape, bool) {
	if n > 1 {
		if !s.IsTuple() || len(s.Elems) != n {
			return s, false
		}
		s = s.Elems[i]
	}
	return s, s.IsArray()
}

// arrays returns the shapes of in's operands, at least one, all arrays.
func arrays(in *Instruction) ([]shape.Shape, error) {
	if len(in.Operands) == 0 {
		return nil, fmt.Errorf("there are no operands, want at least 1")
	}
	return in.OperandShapes(), checkArrays(in)
}

// withDim returns s with size n in dimension d.
func withDim(s shape.Shape, d, n int64) shape.Shape {
	s = s.WithoutLayout()
	s.Dims = slices.Clone(s.Dims)
	s.Dims[d] = n
	return s
}

// groupedArrays checks the groups of a collective and returns their size and the shapes of its operands.
func groupedArrays(in *Instruction, a *CollectiveAttrs) (size int64, operands []shape.Shape, err error) {
	if size, err = checkGroups(in, a); err != nil {
		return 0, nil, err
	}
	operands, err = arrays(in)
	return size, operands, err
}

func inferAllGather(in *Instruction) (shape.Shape, error) {
	return inferGathered(in, in.Shape)
}

// inferGathered is the rule of all-gather and its start, whose gathered part is told.
func inferGathered(in *Instruction, toldShape shape.Shape) (shape.Shape, error) {
	a := in.Attrs.(*AllGatherAttrs)
	size, operands, err := groupedArrays(in, &a.CollectiveAttrs)
	if err != nil {
		return poison, err
	}
	results := make([]shape.Shape, len(operands))
	for i, s := range operands {
		d := int64(a.Dimension)
		if err := checkDim("all-gather dimension", d, s); err != nil { // all_gather C1, row 113
			return poison, err
		}
		whole, known := toldPart(toldShape, i, len(operands))
		if results[i], err = gathered(s, whole, known, d, size, &a.CollectiveAttrs); err != nil {
			return poison, err
		}
	}
	return wrap(results), nil
}

// gathered is the result of gathering s along d from size members, 0 if the told shape must say how many.
func gathered(s, whole shape.Shape, known bool, d, size int64, a *CollectiveAttrs) (shape.Shape, error) {
	if s.Dims[d] == shape.Unbounded {
		return withDim(s, d, shape.Unbounded), nil
	}
	if !known || whole.Rank() != s.Rank() || whole.Dims[d] == shape.Unbounded {
		n, err := multiplied(s.Dims[d], max(size, int64(len(first(a.ReplicaGroups.Groups))), 1))
		return withDim(s, d, n), err
	}
	n := whole.Dims[d]
	if err := checkFactor(n, s.Dims[d], size, int64(len(first(a.ReplicaGroups.Groups)))); err != nil {
		return poison, fmt.Errorf("result dimension %d is %d: %w", d, n, err) // all_gather C6, row 113
	}
	return withDim(s, d, n), nil
}

func first(groups [][]int64) []int64 {
	if len(groups) == 0 {
		return nil
	}
	return groups[0]
}

func multiplied(n, by int64) (int64, error) {
	if n > 0 && by > (1<<62)/n {
		return 0, fmt.Errorf("%d times a dimension of %d is too large", by, n)
	}
	return n * by, nil
}

// checkFactor fails unless whole is part times a possible number of members: size, or if that is 0 a multiple of unit.
func checkFactor(whole, part, size, unit int64) error {
	if part == 0 {
		if whole == 0 {
			return nil
		}
		return fmt.Errorf("want 0")
	}
	switch n := whole / part; {
	case whole%part != 0 || n == 0:
		return fmt.Errorf("want a multiple of %d", part)
	case size > 0 && n != size:
		return fmt.Errorf("want %d, %d times %d", part*size, size, part)
	case unit > 0 && n%unit != 0:
		return fmt.Errorf("want %d times a multiple of the group's size %d", part, unit)
	}
	return nil
}

func inferReduceScatter(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*ReduceScatterAttrs)
	size, err := checkGroups(in, &a.CollectiveAttrs)
	if err != nil {
		return poison, err
	}
	operands, err := reduced(in, a.ToApply)
	if err != nil {
		return poison, err
	}
	results := make([]shape.Shape, len(operands))
	for i, s := range operands {
		d := int64(a.Dimension)
		if err := checkDim("scatter dimension", d, s); err != nil { // reduce_scatter C2, row 118
			return poison, err
		}
		part, known := toldPart(in.Shape, i, len(operands))
		if results[i], err = scattered(s, part, known, d, size, &a.CollectiveAttrs); err != nil {
			return poison, err
		}
	}
	return wrap(results), nil
}

// scattered is one member's block of s along d when there are size members, 0 if the told shape must say how many.
func scattered(s, part shape.Shape, known bool, d, size int64, a *CollectiveAttrs) (shape.Shape, error) {
	unit := int64(len(first(a.ReplicaGroups.Groups)))
	if s.Dims[d] == shape.Unbounded {
		return s, nil
	}
	if !known || part.Rank() != s.Rank() || part.Dims[d] == shape.Unbounded {
		n := max(size, unit, 1)
		if s.Dims[d]%n != 0 { // row 118
			return poison, fmt.Errorf("dimension %d of %v does not divide in %d equal blocks", d, s, n)
		}
		return withDim(s, d, s.Dims[d]/n), nil
	}
	if err := checkFactor(s.Dims[d], part.Dims[d], size, unit); err != nil { // reduce_scatter C8, row 118
		return poison, fmt.Errorf("dimension %d of %v does not divide in blocks of %d: got %d, %w",
			d, s, part.Dims[d], s.Dims[d], err)
	}
	return withDim(s, d, part.Dims[d]), nil
}

// reduced returns the operands' shapes in the element type that the reduction c returns: theirs, or a wider one of the
// same class. It fails unless c is (T, T) -> T on scalars.
func reduced(in *Instruction, c *Computation) ([]shape.Shape, error) {
	operands, err := arrays(in)
	if err != nil {
		return nil, err
	}
	return reducedTo(operands, c)
}

func reducedTo(operands []shape.Shape, c *Computation) ([]shape.Shape, error) {
	if c == nil {
		return nil, fmt.Errorf("the reduction computation is missing")
	}
	t := c.Root.Shape.Type
	if !t.IsArray() { // all_reduce C5, row 114
		return nil, fmt.Errorf("computation %s returns %v, want a scalar", c.Name, c.Root.Shape)
	}
	scalar := shape.Array(t)
	if err := checkScalarComputation(c, []shape.Shape{scalar, scalar}, scalar); err != nil { // all_reduce C5, row 114
		return nil, err
	}
	out := make([]shape.Shape, len(operands))
	for i, s := range operands {
		if s.Type != t && (s.Type.Class() != t.Class() || s.Type.Bits() > t.Bits()) { // all_reduce C5, C7
			return nil, fmt.Errorf("computation %s reduces %v, want %v as operand %d or a wider type", c.Name, t, s.Type, i)
		}
		out[i] = s.WithoutLayout()
		out[i].Type = t
	}
	return out, nil
}

func inferAllReduce(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*AllReduceAttrs)
	if _, err := checkGroups(in, &a.CollectiveAttrs); err != nil {
		return poison, err
	}
	results, err := reduced(in, a.ToApply)
	if err != nil {
		return poison, err
	}
	return wrap(results), nil
}

func inferAllToAll(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*AllToAllAttrs)
	size, operands, err := groupedArrays(in, &a.CollectiveAttrs)
	if err != nil {
		return poison, err
	}
	results := make([]shape.Shape, len(operands))
	for i, s := range operands {
		results[i] = s.WithoutLayout()
		if s.IsDynamic() && !s.HasUnbounded() { // row 116
			return poison, fmt.Errorf("operand %d: got %v, want no bounded dynamic dimension", i, s)
		}
		if !a.Dimension.Set {
			if s.Type != operands[0].Type || !compatibleDims(s, operands[0]) {
				return poison, fmt.Errorf("operand %d is %v, want %v as operand 0", i, s, operands[0])
			}
			continue
		}
		d := a.Dimension.Value
		if err := checkDim("split dimension", d, s); err != nil { // all_to_all C1, row 116
			return poison, err
		}
		if size > 0 && s.Dims[d] != shape.Unbounded && s.Dims[d]%size != 0 { // all_to_all C2, row 116
			return poison, fmt.Errorf("dimension %d of %v does not divide in %d equal blocks", d, s, size)
		}
	}
	if a.Dimension.Set {
		return wrap(results), nil
	}
	if size > 0 && int64(len(operands)) != size {
		return poison, fmt.Errorf("got %d operands, want %d, one a member of the group", len(operands), size)
	}
	return shape.TupleOf(results...), nil
}

func inferCollectivePermute(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*CollectivePermuteAttrs)
	mode, err := groupMode(in.Op, a.ChannelID, a.UseGlobalDeviceIDs)
	if err != nil {
		return poison, err
	}
	grid := collective.Grid{Replicas: collective.MaxDevices} // the ids' range is the grid's business, later
	if mode == collective.CrossPartition {
		grid = collective.Grid{Partitions: collective.MaxDevices}
	}
	if _, err := grid.Pairs(mode, a.SourceTargetPairs); err != nil { // collective_permute C2, C3, C4; row 117
		return poison, fmt.Errorf("source_target_pairs: %w", err)
	}
	if a.SliceSizes != "" {
		return inferInPlacePermute(in)
	}
	operands, err := arrays(in)
	if err != nil {
		return poison, err
	}
	for i := range operands {
		operands[i] = operands[i].WithoutLayout()
	}
	return wrap(operands), nil
}

// dynamicRoots checks the operand with the roots and returns how many operands there are without it.
func dynamicRoots(in *Instruction, dynamic bool) (int, error) {
	n := len(in.Operands)
	if !dynamic {
		return n, nil
	}
	if n < 2 { // collective_broadcast C4
		return 0, fmt.Errorf("got %d operands, want data and the roots", n)
	}
	if s := in.Operands[n-1].Shape; !agrees(s, shape.Array(shape.S32, int64(n-1))) {
		return 0, fmt.Errorf("the roots are %v, want s32[%d]", s, n-1)
	}
	return n - 1, nil
}

func inferCollectiveBroadcast(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*CollectiveBroadcastAttrs)
	_, operands, err := groupedArrays(in, &a.CollectiveAttrs) // collective_broadcast C3
	if err != nil {
		return poison, err
	}
	n, err := dynamicRoots(in, a.HasDynamicRoot)
	if err != nil {
		return poison, err
	}
	for i := range operands {
		operands[i] = operands[i].WithoutLayout()
	}
	return wrap(operands[:n]), nil
}

func inferCollectiveReduce(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*CollectiveReduceAttrs)
	_, operands, err := groupedArrays(in, &a.CollectiveAttrs)
	if err != nil {
		return poison, err
	}
	n, err := dynamicRoots(in, a.HasDynamicRoot)
	if err != nil {
		return poison, err
	}
	results, err := reducedTo(operands[:n], a.ToApply)
	if err != nil {
		return poison, err
	}
	return wrap(results), nil
}

// inferReplicaID is for replica-id and partition-id. Law: row 119.
func inferReplicaID(*Instruction) (shape.Shape, error) { return shape.Array(shape.U32), nil }

func inferPartitionID(in *Instruction) (shape.Shape, error) { return inferReplicaID(in) }
