package hlo

import (
	"reflect"
	"slices"
	"sync/atomic"
)

// What follows is for those who make new programs of old ones: xla/pass and the backends.

// Index returns in's place in its computation: that of the last NewComputation that took it.
func (in *Instruction) Index() int { return int(in.index) }

// Users returns how many operand slots of its computation name in; being the root counts as one more.
func (in *Instruction) Users() int { return int(in.users) }

// IsDynamic reports whether in's shape or that of an operand has dynamic dimensions.
func (in *Instruction) IsDynamic() bool { return isDynamic(in) }

// CloneAttrs returns a copy of a, whose fields the caller may set before he gives it to an instruction. What the fields
// point at is shared with a and must not be written to.
func CloneAttrs(a Attrs) Attrs {
	if a == nil {
		return nil
	}
	v := reflect.New(reflect.TypeOf(a).Elem())
	v.Elem().Set(reflect.ValueOf(a).Elem())
	return v.Interface().(Attrs)
}

// HasSideEffect reports whether in must run even if nobody uses its result, once, and in its order with all others of
// which this is true: ops of the trait SideEffect, custom calls that say so, assertions, which fail, collectives, which
// other devices wait for, what is asynchronous, and everything that calls such.
func (in *Instruction) HasSideEffect() bool {
	if in.Op.Info().Traits&SideEffect != 0 || meeting[in.Op] {
		return true
	}
	if a, ok := in.Attrs.(*CustomCallAttrs); ok && (a.HasSideEffect || IsShapeAssertion(in)) {
		return true
	}
	return calls[in.Op] && slices.ContainsFunc(in.Called(), (*Computation).hasSideEffect)
}

// What is known of the side effects of a computation.
const (
	effectUnknown = iota
	effectNone
	effectSome
)

// hasSideEffect looks at a computation once: it may be called from many places, and is not changed any more.
func (c *Computation) hasSideEffect() bool {
	known := atomic.LoadUint32(&c.effect)
	if known == effectUnknown {
		known = effectNone
		if slices.ContainsFunc(c.Instructions, (*Instruction).HasSideEffect) {
			known = effectSome
		}
		atomic.StoreUint32(&c.effect, known)
	}
	return known == effectSome
}

// meeting are the ops at which devices wait for each other, and the halves of asynchronous ones.
var meeting = [NumOps]bool{
	AllGather: true, AllReduce: true, AllToAll: true, CollectiveBroadcast: true, CollectivePermute: true,
	CollectiveReduce: true, RaggedAllToAll: true, ReduceScatter: true,
	AllGatherStart: true, AllGatherDone: true, AllReduceStart: true, AllReduceDone: true,
	CollectivePermuteStart: true, CollectivePermuteDone: true,
	AsyncStart: true, AsyncUpdate: true, AsyncDone: true,
}
