package hlo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/shape"
)

// CollectiveOptions are what XLA's collectives take besides their operands. The zero value means all replicas, no
// channel and no layout.
type CollectiveOptions struct {
	// ReplicaGroups are the groups of ids, in full or as IotaReplicaGroups makes them; empty: one group of all.
	ReplicaGroups ReplicaGroups
	// ChannelID, from 1, makes partitions take part; 0: no channel.
	ChannelID int64
	// UseGlobalDeviceIDs says that the groups have ids of devices. It needs a channel.
	UseGlobalDeviceIDs bool
	// Layout is the result's layout, nil for any.
	Layout *shape.Layout
}

// Groups makes ReplicaGroups of lists of ids.
func Groups(lists ...[]int64) ReplicaGroups { return ReplicaGroups{Groups: lists} }

// IotaReplicaGroups are the groups of the compact form "[dims]<=[reshape]T(permutation)", XLA's iota device list: ids
// from 0 on laid out as reshape, transposed, and cut in dims[0] groups of dims[1]. It fails if the sizes differ.
func IotaReplicaGroups(dims, reshape []int64, permutation []int) (ReplicaGroups, error) {
	groups, err := collective.Iota(dims, reshape, permutation)
	if err != nil {
		return ReplicaGroups{}, err
	}
	text := iotaList(dims) + "<=" + iotaList(reshape)
	if permutation != nil && !slices.IsSorted(permutation) {
		text += "T(" + strings.Trim(iotaList(permutation), "[]") + ")"
	}
	return ReplicaGroups{Groups: groups, Iota: text}, nil
}

func iotaList[T int | int64](v []T) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ",") }

func (o CollectiveOptions) attrs() CollectiveAttrs {
	return CollectiveAttrs{o.ChannelID, o.ReplicaGroups, o.UseGlobalDeviceIDs, o.Layout != nil}
}

// addCollective adds a collective of operands; a tuple stands for its elements, and the result is a tuple then. part
// makes the shape told for each operand's result; nil: none is told.
func (b *Builder) addCollective(op Opcode, a Attrs, o CollectiveOptions, part func(shape.Shape) shape.Shape,
	operands []*Instruction) *Instruction {
	operands = b.allPresent(op, operands)
	tuple := len(operands) == 1 && operands[0].Shape.IsTuple()
	if tuple {
		operands = b.elements(operands[0])
		if len(operands) == 0 {
			return b.fail(op, "operand: got the empty tuple, want at least 1 element")
		}
	}
	var told shape.Shape
	if part != nil && b.err == nil {
		parts := make([]shape.Shape, len(operands))
		for i, x := range operands {
			parts[i] = part(x.Shape)
		}
		told = wrap(parts)
	}
	in := b.add(op, a, told, operands...)
	if in.Shape.IsArray() {
		in.Shape.Layout = o.Layout
	}
	if tuple && len(operands) == 1 {
		return b.Tuple(in)
	}
	return in
}

// elements takes a tuple apart.
func (b *Builder) elements(tuple *Instruction) []*Instruction {
	v := make([]*Instruction, len(tuple.Shape.Elems))
	for i := range v {
		v[i] = b.GetTupleElement(tuple, int64(i))
	}
	return v
}

// checkShards fails unless count fits the groups in o.
func (b *Builder) checkShards(op Opcode, count int64, o CollectiveOptions) bool {
	if count <= 0 {
		b.fail(op, "shard count is %d, want at least 1", count)
		return false
	}
	mode, err := groupMode(op, o.ChannelID, o.UseGlobalDeviceIDs)
	if err != nil {
		b.fail(op, "%w", err)
		return false
	}
	size := int64(len(first(o.ReplicaGroups.Groups)))
	if size > 0 && count != size && (mode != collective.CrossReplicaAndPartition || count%size != 0) {
		b.fail(op, "shard count is %d, and the groups have %d ids", count, size)
		return false
	}
	return true
}

// AllGather joins the operands of all members of a group along dimension dim, in the order of the group.
//
//	operand T[…,D,…]   result T[…,shardCount*D,…]
//
// A tuple operand stands for its elements. It fails if dim is out of range, or shardCount is not positive or not the
// groups' size. Law: row 113.
func (b *Builder) AllGather(operand *Instruction, dim, shardCount int64, o CollectiveOptions) *Instruction {
	return b.AllGatherTuple([]*Instruction{operand}, dim, shardCount, o)
}

// AllGatherTuple is AllGather of several operands.
//
//	operands T_i[…,D,…]   result (T_i[…,shardCount*D,…], ...), no tuple for one operand
//
// It fails as AllGather does. Law: row 113.
func (b *Builder) AllGatherTuple(operands []*Instruction, dim, shardCount int64, o CollectiveOptions) *Instruction {
	if !b.checkShards(AllGather, shardCount, o) {
		return b.instructions[len(b.instructions)-1]
	}
	a := &AllGatherAttrs{CollectiveAttrs: o.attrs(), Dimension: OneDim(dim)}
	return b.addCollective(AllGather, a, o, func(s shape.Shape) shape.Shape {
		if dim < 0 || dim >= int64(s.Rank()) || s.Dims[dim] == shape.Unbounded {
			return s
		}
		n, err := multiplied(s.Dims[dim], shardCount)
		if err != nil {
			return s
		}
		return withDim(s, dim, n)
	}, operands)
}

// AllReduce reduces operand over all members of a group with a computation of scalars; all members get the same
// result. The order of the members is that of the group.
//
//	operand T[D...] or a tuple of arrays   computation (T, T) -> T   result like operand
//
// It fails unless the computation is one. Law: row 114.
func (b *Builder) AllReduce(operand *Instruction, computation *Computation, o CollectiveOptions) *Instruction {
	return b.AllReduceTuple([]*Instruction{operand}, computation, o)
}

// AllReduceTuple is AllReduce of several operands.
//
//	operands T_i[D_i...]   result (T_i[D_i...], ...), no tuple for one operand
//
// It fails as AllReduce does. Law: row 114.
func (b *Builder) AllReduceTuple(operands []*Instruction, computation *Computation, o CollectiveOptions) *Instruction {
	a := &AllReduceAttrs{CollectiveAttrs: o.attrs(), ToApply: computation}
	return b.addCollective(AllReduce, a, o, nil, operands)
}

// CrossReplicaSum adds operand over all members of a group; predicates are or-ed.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array. Law: row 115.
func (b *Builder) CrossReplicaSum(operand *Instruction, o CollectiveOptions) *Instruction {
	b.present(AllReduce, &operand)
	if !operand.Shape.IsArray() {
		return b.fail(AllReduce, "operand: got %v, want an array", operand.Shape)
	}
	op := Add
	if operand.Shape.Type == shape.Pred {
		op = Or
	}
	return b.AllReduce(operand, scalarComputation(op, operand.Shape.Type), o)
}

// scalarComputation is op on two scalars of type t.
func scalarComputation(op Opcode, t shape.ElementType) *Computation {
	s := shape.Array(t)
	x := &Instruction{Name: "x", Op: Parameter, Shape: s, Attrs: &ParameterAttrs{Number: 0}}
	y := &Instruction{Name: "y", Op: Parameter, Shape: s, Attrs: &ParameterAttrs{Number: 1}}
	r := &Instruction{Name: op.String(), Op: op, Shape: s, Operands: []*Instruction{x, y}}
	c := &Computation{Name: op.String() + "." + t.String(), Instructions: []*Instruction{x, y, r}, Root: r}
	c.Parameters = []*Instruction{x, y}
	c.seal()
	return c
}

// AllToAll cuts operand in splitCount blocks along splitDimension and sends block k to member k of the group; blocks
// received are joined along concatDimension in the order of the group.
//
//	operand T[…,S,…,C,…]   result T[…,S/splitCount,…,C*splitCount,…]
//
// It fails if S does not divide, a dimension is out of range, or operand has a bounded dynamic dimension. Where the two
// dimensions differ, a reshape, a transpose and a reshape follow the all-to-all. Law: row 116.
func (b *Builder) AllToAll(operand *Instruction, splitDimension, concatDimension, splitCount int64,
	o CollectiveOptions) *Instruction {
	b.present(AllToAll, &operand)
	s := operand.Shape
	for _, d := range []int64{splitDimension, concatDimension} {
		if err := checkDim("dimension", d, s); err != nil {
			return b.fail(AllToAll, "%w", err)
		}
	}
	if !b.checkShards(AllToAll, splitCount, o) {
		return b.instructions[len(b.instructions)-1]
	}
	if n := s.Dims[splitDimension]; n != shape.Unbounded && n%splitCount != 0 {
		return b.fail(AllToAll, "dimension %d of %v does not divide in %d equal blocks", splitDimension, s, splitCount)
	}
	a := &AllToAllAttrs{CollectiveAttrs: o.attrs(), Dimension: OptionalDim{Value: splitDimension, Set: true}}
	in := b.add(AllToAll, a, shape.Shape{}, operand)
	if splitDimension == concatDimension || b.err != nil {
		in.Shape.Layout = o.Layout
		return in
	}
	return b.moveBlocks(in, splitDimension, concatDimension, splitCount)
}

// moveBlocks joins the n blocks that x has along dimension from along dimension to instead.
func (b *Builder) moveBlocks(x *Instruction, from, to, n int64) *Instruction {
	s := x.Shape.WithoutLayout()
	cut := slices.Insert(slices.Clone(s.Dims), int(from), n)
	cut[from+1] /= n
	x = b.add(Reshape, &ReshapeAttrs{}, s.WithDims(cut...), x)
	var order []int64 // the dimension of blocks goes before dimension to
	for d := range int64(len(s.Dims)) {
		if d == to {
			order = append(order, from)
		}
		if d < from {
			order = append(order, d)
		} else {
			order = append(order, d+1)
		}
	}
	x = b.add(Transpose, &TransposeAttrs{Dimensions: order}, shape.Shape{}, x)
	dims := slices.Clone(s.Dims)
	dims[from] /= n
	dims[to] *= n
	return b.add(Reshape, &ReshapeAttrs{}, s.WithDims(dims...), x)
}

// AllToAllTuple sends operand k to member k of the group; result k is what member k sent. There are as many operands
// as members.
//
//	operands T[D...]   result (T[D...], ...)
//
// It fails if the operands' shapes differ. Law: row 116.
func (b *Builder) AllToAllTuple(operands []*Instruction, o CollectiveOptions) *Instruction {
	return b.add(AllToAll, &AllToAllAttrs{CollectiveAttrs: o.attrs()}, shape.Shape{}, operands...)
}

// CollectivePermute sends operand from the source to the target of each pair (source, target); who is no target gets
// zeros. Of the options only ChannelID and UseGlobalDeviceIDs count.
//
//	operand T[D...]   result T[D...]
//
// It fails if two pairs have one source or one target. Law: row 117.
func (b *Builder) CollectivePermute(operand *Instruction, pairs [][2]int64, o CollectiveOptions) *Instruction {
	return b.MultiCollectivePermute([]*Instruction{operand}, pairs, o)
}

// MultiCollectivePermute is CollectivePermute of several operands.
//
//	operands T_i[D_i...]   result (T_i[D_i...], ...), no tuple for one operand
//
// It fails as CollectivePermute does. Law: row 117.
func (b *Builder) MultiCollectivePermute(operands []*Instruction, pairs [][2]int64, o CollectiveOptions) *Instruction {
	a := &CollectivePermuteAttrs{
		ChannelID: o.ChannelID, SourceTargetPairs: pairs, UseGlobalDeviceIDs: o.UseGlobalDeviceIDs,
	}
	return b.add(CollectivePermute, a, shape.Shape{}, operands...)
}

// CollectivePermuteInPlace writes slices of the source's input into the target's output: sliceSizes has a list of
// sizes for each. Targets of nobody keep their output.
//
//	input T[D...]   output T[E...]   inputStarts, outputStarts (s32[], ...)   result T[E...]
//
// It fails as CollectivePermute does, or if starts or sizes do not fit. Law: row 117.
func (b *Builder) CollectivePermuteInPlace(input, output, inputStarts, outputStarts *Instruction, pairs [][2]int64,
	sliceSizes [][]int64, o CollectiveOptions) *Instruction {
	var parts []string
	for _, s := range sliceSizes {
		parts = append(parts, strings.NewReplacer("[", "{", "]", "}").Replace(iotaList(s)))
	}
	a := &CollectivePermuteAttrs{
		ChannelID: o.ChannelID, SourceTargetPairs: pairs, UseGlobalDeviceIDs: o.UseGlobalDeviceIDs,
		SliceSizes: Raw("{" + strings.Join(parts, ",") + "}"),
	}
	return b.add(CollectivePermute, a, shape.Shape{}, input, output, inputStarts, outputStarts)
}

// ReduceScatter reduces operand, an array or a tuple of arrays, as AllReduce does and gives member k of the group block
// k of the shardCount equal ones along dimension scatterDim.
//
//	operand T[…,D,…]   result T[…,D/shardCount,…]
//
// It fails if D does not divide, or shardCount is not positive or not the groups' size. Law: row 118.
func (b *Builder) ReduceScatter(operand *Instruction, computation *Computation, scatterDim, shardCount int64,
	o CollectiveOptions) *Instruction {
	b.present(ReduceScatter, &operand)
	if !b.checkShards(ReduceScatter, shardCount, o) {
		return b.instructions[len(b.instructions)-1]
	}
	parts := []shape.Shape{operand.Shape}
	if operand.Shape.IsTuple() {
		parts = operand.Shape.Elems
	}
	for _, s := range parts {
		if err := checkDim("scatter dimension", scatterDim, s); err != nil {
			return b.fail(ReduceScatter, "%w", err)
		}
		if n := s.Dims[scatterDim]; n != shape.Unbounded && n%shardCount != 0 {
			return b.fail(ReduceScatter, "dimension %d of %v does not divide in %d equal blocks", scatterDim, s, shardCount)
		}
	}
	a := &ReduceScatterAttrs{CollectiveAttrs: o.attrs(), Dimension: OneDim(scatterDim), ToApply: computation}
	return b.addCollective(ReduceScatter, a, o, func(s shape.Shape) shape.Shape {
		if s.Dims[scatterDim] == shape.Unbounded {
			return s
		}
		return withDim(s, scatterDim, s.Dims[scatterDim]/shardCount)
	}, []*Instruction{operand})
}

// CollectiveBroadcast gives all members of a group the operand of the first; devices in no group get zeros.
//
//	operand T[D...]   result T[D...]
//
// It fails if an id is in two groups. Law: StableHLO collective_broadcast.
func (b *Builder) CollectiveBroadcast(operand *Instruction, o CollectiveOptions) *Instruction {
	return b.add(CollectiveBroadcast, &CollectiveBroadcastAttrs{CollectiveAttrs: o.attrs()}, shape.Shape{}, operand)
}

// CollectiveBroadcastFrom is CollectiveBroadcast of operands from the members whose places in the group roots says.
//
//	operands T_i[D_i...]   roots s32[number of operands]   result (T_i[D_i...], ...), no tuple for one operand
//
// It fails as CollectiveBroadcast does, or if roots is another array. Law: HLO collective-broadcast.
func (b *Builder) CollectiveBroadcastFrom(operands []*Instruction, roots *Instruction,
	o CollectiveOptions) *Instruction {
	a := &CollectiveBroadcastAttrs{CollectiveAttrs: o.attrs(), HasDynamicRoot: true}
	return b.add(CollectiveBroadcast, a, shape.Shape{}, append(slices.Clone(operands), roots)...)
}

// CollectiveReduce is AllReduce whose result only the first of each group gets; the others get zeros.
//
//	operand T[D...]   computation (T, T) -> T   result T[D...]
//
// It fails as AllReduce does. Law: StableHLO collective_reduce.
func (b *Builder) CollectiveReduce(operand *Instruction, computation *Computation, o CollectiveOptions) *Instruction {
	a := &CollectiveReduceAttrs{CollectiveAttrs: o.attrs(), ToApply: computation}
	return b.add(CollectiveReduce, a, shape.Shape{}, operand)
}

// RaggedAllToAll sends rows of input: to member k sendSizes[k] rows from inputOffsets[k], which land in its output
// from outputOffsets[k]. recvSizes[k] is how many member k sends here. All else in output stays.
//
//	input T[N, D...]   output T[M, D...]   others integer[members]   result T[M, D...]
//
// It fails if shapes differ from these, and at run time if rows lie outside. Law: HLO ragged-all-to-all.
func (b *Builder) RaggedAllToAll(input, output, inputOffsets, sendSizes, outputOffsets, recvSizes *Instruction,
	o CollectiveOptions) *Instruction {
	a := &RaggedAllToAllAttrs{CollectiveAttrs: o.attrs()}
	return b.add(RaggedAllToAll, a, shape.Shape{}, input, output, inputOffsets, sendSizes, outputOffsets, recvSizes)
}

// ReplicaId is the number of this device's replica.
//
//	result u32[]
//
// It never fails. Law: row 119.
func (b *Builder) ReplicaId() *Instruction { return b.add(ReplicaId, nil, shape.Shape{}) }

// PartitionId is the number of this device's partition.
//
//	result u32[]
//
// It never fails. Law: HLO partition-id.
func (b *Builder) PartitionId() *Instruction { return b.add(PartitionId, nil, shape.Shape{}) }
