package hlo

// CollectiveAttrs are what all collectives over groups share; rows 113 to 118. Which fields an op has, its row's struct
// says.
type CollectiveAttrs struct {
	ChannelID          int64 // 0: no channel
	ReplicaGroups      ReplicaGroups
	UseGlobalDeviceIDs bool
	ConstrainLayout    bool
}

func (a *CollectiveAttrs) fields() []Field {
	return []Field{
		{"channel_id", "", &a.ChannelID, Set},
		{"replica_groups", "replica_groups", &a.ReplicaGroups, Always},
		{"constrain_layout", "", &a.ConstrainLayout, Set},
		{"use_global_device_ids", "use_global_device_ids", &a.UseGlobalDeviceIDs, Set},
	}
}

// ReplicaGroups are lists of ids: "{{0,1},{2,3}}", in iota form "[2,2]<=[4]", "[4,2]<=[2,4]T(1,0)", or axes of a mesh,
// "mesh['x'=2,'y'=2] {'x'}".
type ReplicaGroups struct {
	Groups [][]int64
	// Iota is the compact text the groups came from, "" if none; Groups has them in full.
	Iota string
}

// AllGatherAttrs are the attributes of all-gather, row 113.
type AllGatherAttrs struct {
	CollectiveAttrs
	Dimension OneDim
}

// Fields lists the attributes.
func (a *AllGatherAttrs) Fields() []Field {
	return append(a.fields(), Field{"dimensions", "all_gather_dim", &a.Dimension, Always})
}

// AllReduceAttrs are the attributes of all-reduce, rows 114 and 115.
type AllReduceAttrs struct {
	CollectiveAttrs
	ToApply *Computation
}

// Fields lists the attributes.
func (a *AllReduceAttrs) Fields() []Field {
	return append(a.fields(), Field{"to_apply", "", &a.ToApply, Always})
}

// ReduceScatterAttrs are the attributes of reduce-scatter, row 118.
type ReduceScatterAttrs struct {
	CollectiveAttrs
	Dimension OneDim
	ToApply   *Computation
}

// Fields lists the attributes.
func (a *ReduceScatterAttrs) Fields() []Field {
	return append(a.fields(),
		Field{"dimensions", "scatter_dimension", &a.Dimension, Always}, Field{"to_apply", "", &a.ToApply, Always})
}

// AllToAllAttrs are the attributes of all-to-all, row 116. With Dimension, the array form; without, the tuple form
// of one operand a member.
type AllToAllAttrs struct {
	CollectiveAttrs
	Dimension OptionalDim
}

// Fields lists the attributes.
func (a *AllToAllAttrs) Fields() []Field {
	return append(a.fields(), Field{"dimensions", "", &a.Dimension, Set})
}

// CollectivePermuteAttrs are the attributes of collective-permute, row 117.
type CollectivePermuteAttrs struct {
	ChannelID          int64
	SourceTargetPairs  Pairs
	UseGlobalDeviceIDs bool
	SliceSizes         Raw
}

// Pairs is a list of (source, target); its text is "{{0,1},{1,0}}".
type Pairs [][2]int64

// Fields lists the attributes.
func (a *CollectivePermuteAttrs) Fields() []Field {
	return []Field{
		{"channel_id", "", &a.ChannelID, Set},
		{"source_target_pairs", "source_target_pairs", &a.SourceTargetPairs, Always},
		{"slice_sizes", "", &a.SliceSizes, Set},
		{"use_global_device_ids", "use_global_device_ids", &a.UseGlobalDeviceIDs, Set},
	}
}

// CollectiveBroadcastAttrs: the first id of each group sends to the others. With HasDynamicRoot the last operand,
// s32[N], says for each of the N others which member sends, by its place in the group.
type CollectiveBroadcastAttrs struct {
	CollectiveAttrs
	HasDynamicRoot bool
}

// Fields lists the attributes.
func (a *CollectiveBroadcastAttrs) Fields() []Field {
	return append(a.fields(), Field{"has_dynamic_root", "has_dynamic_root", &a.HasDynamicRoot, Set})
}

// CollectiveReduceAttrs: the first id of each group gets the reduction, the others get zeros. HasDynamicRoot is as for
// a broadcast.
type CollectiveReduceAttrs struct {
	CollectiveAttrs
	ToApply        *Computation
	HasDynamicRoot bool
}

// Fields lists the attributes.
func (a *CollectiveReduceAttrs) Fields() []Field {
	return append(a.fields(),
		Field{"to_apply", "", &a.ToApply, Always}, Field{"has_dynamic_root", "has_dynamic_root", &a.HasDynamicRoot, Set})
}

// RaggedAllToAllAttrs has the groups.
type RaggedAllToAllAttrs struct{ CollectiveAttrs }

// Fields lists the attributes.
func (a *RaggedAllToAllAttrs) Fields() []Field { return a.fields() }
