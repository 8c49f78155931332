package stablehlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// setCollective sets what collectives have in common: channel, groups and which ids the groups hold.
func (c *ctx) setCollective(op *Op, a *hlo.CollectiveAttrs) (err error) {
	if a.ChannelID, err = channel(op); err != nil {
		return err
	}
	if a.UseGlobalDeviceIDs, err = op.Bool("use_global_device_ids"); err != nil {
		return err
	}
	if a.UseGlobalDeviceIDs && a.ChannelID <= 0 { // all_gather C5, all_reduce C4, reduce_scatter C6
		return op.wrong("channel_handle", "a positive handle with use_global_device_ids")
	}
	if a.ReplicaGroups, err = c.replicaGroups(op); err != nil {
		return err
	}
	if a.UseGlobalDeviceIDs && len(a.ReplicaGroups.Groups) == 0 { // all_reduce C3
		return op.wrong("replica_groups", "groups with use_global_device_ids")
	}
	return nil
}

// channel returns the handle of an op's channel, 0 without one.
func channel(op *Op) (int64, error) {
	d, ok := op.Attr("channel_handle").(*DialectAttr)
	if !ok {
		return op.IntOr("channel_id", 0)
	}
	handle, ok := intOf(d.Fields.Lookup("handle"))
	if !ok {
		return 0, op.wrong("channel_handle", "#stablehlo.channel_handle<handle = ..., type = ...>")
	}
	if handle < 0 {
		return 0, op.wrong("channel_handle", "a handle that is not negative")
	}
	return handle, nil
}

// replicaGroups reads a matrix with a group a row, shorter ones ended by -1, or the axes of a mesh.
func (c *ctx) replicaGroups(op *Op) (hlo.ReplicaGroups, error) {
	if d, ok := op.Attr("replica_groups").(*DialectAttr); ok {
		return c.meshGroups(op, d)
	}
	return once(c.im.groups, op.Attr("replica_groups"), func() (hlo.ReplicaGroups, error) { return matrixGroups(op) })
}

// matrixGroups reads a matrix with a group a row.
func matrixGroups(op *Op) (groups hlo.ReplicaGroups, err error) {
	v, rows, cols, err := matrix(op, "replica_groups")
	if err != nil {
		return groups, err
	}
	for i := range rows {
		group := []int64{}
		for _, id := range v[i*cols : (i+1)*cols] {
			if id < -1 {
				return groups, op.wrong("replica_groups", "ids that are not negative")
			}
			if id >= 0 {
				group = append(group, id)
			}
		}
		groups.Groups = append(groups.Groups, group)
	}
	return groups, nil
}

// meshGroups returns the groups of devices that differ only along some axes of a mesh, or parts of axes; within a group
// the last of these runs fastest.
func (c *ctx) meshGroups(op *Op, d *DialectAttr) (hlo.ReplicaGroups, error) {
	var groups hlo.ReplicaGroups
	name, ok := d.Fields.Lookup("mesh").(SymbolAttr)
	list, ok2 := d.Fields.Lookup("axes").(ArrayAttr)
	if !ok || !ok2 {
		return groups, op.wrong("replica_groups", "a matrix, or a mesh and its axes")
	}
	mesh, ok := c.im.meshes[name.name()]
	if !ok {
		return groups, op.Errorf("mesh @%s is not defined", name.name())
	}
	var along []collective.AxisRef
	if len(list) > maxAxes {
		return groups, op.Errorf("replica_groups along %d axes, want at most %d", len(list), maxAxes)
	}
	for _, a := range list {
		ref, err := axisRefOf(op, mesh.axes, a)
		if err != nil {
			return groups, err
		}
		if along = append(along, ref); slices.Contains(along[:len(along)-1], ref) {
			return groups, op.Errorf("axis %s stands twice", mesh.axes[ref.Axis].name)
		}
	}
	var err error
	groups.Groups, err = c.im.groupsAlong(op, mesh, along)
	return groups, err
}

// axisRefOf reads #stablehlo.axis_ref<name = "x">, or with sub_axis_info = (2)4 the part of x that has 4 places, with 2
// before it.
func axisRefOf(op *Op, mesh []meshAxis, a Attr) (ref collective.AxisRef, err error) {
	d, ok := a.(*DialectAttr)
	if !ok {
		return ref, op.Errorf("axis %s of a mesh is no #stablehlo.axis_ref<...>", AttrString(a))
	}
	name, _ := d.Fields.Lookup("name").(StringAttr)
	if ref.Axis = slices.IndexFunc(mesh, func(m meshAxis) bool { return m.name == string(name) }); ref.Axis < 0 {
		return ref, op.Errorf("mesh has no axis %q", string(name))
	}
	info := d.Fields.Lookup("sub_axis_info")
	if info == nil {
		return ref, nil
	}
	part, ok := intsOf(info)
	if !ok || len(part) != 2 || part[0] < 1 || part[1] < 1 {
		return ref, op.Errorf("part %s of the axis %q, want (pre-size)size", AttrString(info), string(name))
	}
	ref.Pre, ref.Size = part[0], part[1]
	return ref, nil
}

// groupsAlong lists the devices of a mesh in groups along axes.
func (im *importer) groupsAlong(op *Op, mesh mesh, along []collective.AxisRef) ([][]int64, error) {
	m, devices := collective.MeshSharding{Order: collective.DeviceOrder{IDs: mesh.order}}, int64(1)
	for _, a := range mesh.axes {
		devices *= a.size
		m.Axes = append(m.Axes, collective.MeshAxis{Name: a.name, Size: a.size})
	}
	if err := im.spell(op, int(devices)); err != nil {
		return nil, err
	}
	groups, err := m.Groups(along)
	if err != nil {
		return nil, op.Errorf("replica_groups: %v", err)
	}
	return groups, nil
}

func importAllGather(c *ctx, op *Op) error {
	a := &hlo.AllGatherAttrs{}
	dim, err := op.Int("all_gather_dim")
	if err != nil {
		return err
	}
	a.Dimension = hlo.OneDim(dim)
	if err := c.setCollective(op, &a.CollectiveAttrs); err != nil {
		return err
	}
	return c.simple(op, hlo.AllGather, a)
}

func importAllReduce(c *ctx, op *Op) error {
	a := &hlo.AllReduceAttrs{}
	if err := c.setCollective(op, &a.CollectiveAttrs); err != nil {
		return err
	}
	return c.withComputation(op, hlo.AllReduce, a, &a.ToApply, "reducer")
}

func importReduceScatter(c *ctx, op *Op) error {
	a := &hlo.ReduceScatterAttrs{}
	dim, err := op.Int("scatter_dimension")
	if err != nil {
		return err
	}
	a.Dimension = hlo.OneDim(dim)
	if err := c.setCollective(op, &a.CollectiveAttrs); err != nil {
		return err
	}
	return c.withComputation(op, hlo.ReduceScatter, a, &a.ToApply, "reducer")
}

func importCollectiveBroadcast(c *ctx, op *Op) error {
	a := &hlo.CollectiveBroadcastAttrs{}
	var err error
	if a.HasDynamicRoot, err = op.Bool("has_dynamic_root"); err != nil {
		return err
	}
	if err := c.setCollective(op, &a.CollectiveAttrs); err != nil {
		return err
	}
	return c.simple(op, hlo.CollectiveBroadcast, a)
}

func importCollectiveReduce(c *ctx, op *Op) error {
	a := &hlo.CollectiveReduceAttrs{}
	var err error
	if a.HasDynamicRoot, err = op.Bool("has_dynamic_root"); err != nil {
		return err
	}
	if err := c.setCollective(op, &a.CollectiveAttrs); err != nil {
		return err
	}
	return c.withComputation(op, hlo.CollectiveReduce, a, &a.ToApply, "reducer")
}

func importCollectivePermute(c *ctx, op *Op) error {
	a := &hlo.CollectivePermuteAttrs{}
	const pairs = "source_target_pairs"
	if op.Attr(pairs) == nil {
		return op.Errorf("attribute %s is missing", pairs)
	}
	var err error
	a.SourceTargetPairs, err = once(c.im.pairs, op.Attr(pairs), func() (hlo.Pairs, error) { return pairsOf(op, pairs) })
	if err != nil {
		return err
	}
	if a.UseGlobalDeviceIDs, err = op.Bool("use_global_device_ids"); err != nil {
		return err
	}
	if a.ChannelID, err = channel(op); err != nil {
		return err
	}
	return c.simple(op, hlo.CollectivePermute, a)
}

// importCrossReplicaSum imports the old cross-replica-sum. Law: row 115.
func importCrossReplicaSum(c *ctx, op *Op) error {
	a := &hlo.AllReduceAttrs{}
	if err := c.setCollective(op, &a.CollectiveAttrs); err != nil {
		return err
	}
	if len(op.Operands) != 1 {
		return op.Errorf("has %d operands, want one", len(op.Operands))
	}
	in, err := c.value(op.Operands[0])
	if err != nil {
		return err
	}
	if a.ToApply, err = c.sumOf(op, in.Shape.Type); err != nil {
		return err
	}
	return c.simple(op, hlo.AllReduce, a)
}

// sumOf makes the computation that adds two scalars.
func (c *ctx) sumOf(op *Op, t shape.ElementType) (*hlo.Computation, error) {
	r := c.region(op, "sum")
	x, err := r.parameter(op, 0, shape.Array(t), "x")
	if err != nil {
		return nil, err
	}
	y, err := r.parameter(op, 1, shape.Array(t), "y")
	if err != nil {
		return nil, err
	}
	sum, err := r.add(op, hlo.Add, nil, noShape, x, y)
	if err != nil {
		return nil, err
	}
	return r.build([]*hlo.Instruction{sum}, false, op)
}

// importAllToAll imports an exchange of blocks. HLO's has one dimension; where blocks are cut along one and
// joined along another, a reshape and a transpose move them. Law: row 116.
func importAllToAll(c *ctx, op *Op) error {
	split, err := op.Int("split_dimension")
	if err != nil {
		return err
	}
	concat, err := op.Int("concat_dimension")
	if err != nil {
		return err
	}
	count, err := op.Int("split_count")
	if err != nil {
		return err
	}
	a := &hlo.AllToAllAttrs{Dimension: hlo.OptionalDim{Value: split, Set: true}}
	if err := c.setCollective(op, &a.CollectiveAttrs); err != nil {
		return err
	}
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	if len(a.ReplicaGroups.Groups) == 0 { // all_to_all C8
		return op.wrong("replica_groups", "groups of split_count members")
	}
	for _, in := range operands {
		if err := checkAllToAll(op, in.Shape, split, concat, count, a.ReplicaGroups); err != nil {
			return err
		}
	}
	if split == concat {
		return c.simple(op, hlo.AllToAll, a)
	}
	for i, in := range operands {
		out, err := c.add(op, hlo.AllToAll, a, in.Shape.WithoutLayout(), in)
		if err != nil {
			return err
		}
		if out, err = c.moveBlocks(op, out, split, concat, count); err != nil {
			return err
		}
		if i < len(op.Results) {
			c.set(op.Results[i], out)
		}
	}
	return c.checkResults(op)
}

// checkAllToAll has the constraints that speak of both dimensions.
func checkAllToAll(op *Op, s shape.Shape, split, concat, count int64, groups hlo.ReplicaGroups) error {
	rank := int64(s.Rank())
	switch {
	case split < 0 || split >= rank: // all_to_all C1
		return op.wrong("split_dimension", fmt.Sprintf("0 to %d", rank-1))
	case concat < 0 || concat >= rank: // all_to_all C3
		return op.wrong("concat_dimension", fmt.Sprintf("0 to %d", rank-1))
	case count <= 0: // all_to_all C4
		return op.wrong("split_count", "a positive number")
	case !s.IsDynamicDim(int(split)) && s.Dims[split]%count != 0: // all_to_all C2
		return op.Errorf("dimension %d of %s cannot be cut in %d equal blocks", split, s, count)
	}
	for _, g := range groups.Groups { // all_to_all C8
		if int64(len(g)) != count {
			return op.Errorf("group %v has %d members, want %d as split_count", g, len(g), count)
		}
	}
	return nil
}

// moveBlocks takes count blocks along split and puts them one behind the other along concat.
func (c *ctx) moveBlocks(op *Op, in *hlo.Instruction, split, concat, count int64) (*hlo.Instruction, error) {
	if in.Shape.IsDynamic() {
		return nil, unsupported(op, "dimensions of unknown size")
	}
	dims := slices.Clone(in.Shape.Dims)
	dims[split] /= count
	cut := slices.Insert(slices.Clone(dims), int(split), count)
	out, err := c.add(op, hlo.Reshape, &hlo.ReshapeAttrs{}, in.Shape.WithDims(cut...), in)
	if err != nil {
		return nil, err
	}
	perm := make([]int64, 0, len(cut))
	for d := range int64(len(dims)) {
		if d == concat {
			perm = append(perm, split)
		}
		from := d
		if d >= split {
			from++
		}
		perm = append(perm, from)
	}
	if out, err = c.add(op, hlo.Transpose, &hlo.TransposeAttrs{Dimensions: perm}, noShape, out); err != nil {
		return nil, err
	}
	dims[concat] *= count
	return c.add(op, hlo.Reshape, &hlo.ReshapeAttrs{}, in.Shape.WithDims(dims...), out)
}

// checkResults compares results made of several instructions with their types.
func (c *ctx) checkResults(op *Op) error {
	for i, v := range op.Results {
		in := c.get(v)
		s, err := shapeOf(v.Type)
		if err != nil {
			return op.Errorf("result: %v", err)
		}
		if in == nil || !refines(in.Shape, s) {
			return op.Errorf("result %d is %s, which does not follow from the operands", i, v.Type)
		}
	}
	return nil
}
