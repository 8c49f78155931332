package scalar_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
)

// counting is a loop whose body looks at elements of x at places that come of its counters, as NumPy counts places from
// the end: TEST, FIRST, STEP and LIMIT make it stay within x, leave it or wrap.
const counting = `HloModule m
twice {
  v = s32[] parameter(0)
  ROOT w = s32[] add(v, v)
}
same {
  ROOT v = s32[] parameter(0)
}
body {
  s = (T[], T[], s32[], s32[7], s32[]) parameter(0)
  i = T[] get-tuple-element(s), index=0
  j = T[] get-tuple-element(s), index=1
  sum = s32[] get-tuple-element(s), index=2
  x = s32[7] get-tuple-element(s), index=3
  n = s32[] get-tuple-element(s), index=4
  zero = T[] constant(0)
  seven = T[] constant(7)
  below = pred[] compare(j, zero), direction=LT
  up = T[] add(j, seven)
  at = T[] select(below, up, j)
  e1 = s32[1] dynamic-slice(x, at), dynamic_slice_sizes={1}
  e = s32[] reshape(e1)
  six = T[] constant(6)
  over = pred[] compare(six, i), direction=LT
  thousand = s32[] constant(1000)
  one = s32[] constant(1)
  extra = s32[] select(over, thousand, one)
  flag = s32[] convert(below)
  weighed = s32[] multiply(e, extra)
  most = T[] maximum(i, j)
  least = T[] minimum(i, j)
  bits = T[] and(i, j)
  rest = T[] remainder(j, seven)
  some = T[] or(most, rest)
  both = T[] subtract(some, least)
  all = T[] xor(both, bits)
  low = pred[] compare(rest, zero), direction=LT
  high = pred[] compare(bits, seven), direction=LT
  odd = pred[] xor(low, high)
  turned = T[] select(odd, all, bits)
  number = s32[] convert(turned)
  which = s32[] convert(i)
  branched = s32[] conditional(which, number, e, number), branch_computations={twice, twice, same}
  again = s32[] conditional(over, number, e), branch_computations={same, twice}
  never = s32[] conditional(flag, number, e), branch_computations={twice, same}
  first = s32[] add(branched, again)
  second = s32[] add(first, never)
  third = s32[] add(second, flag)
  more = s32[] add(weighed, third)
  three = s32[] constant(3)
  scaled = s32[] multiply(sum, three)
  next = s32[] add(scaled, more)
  istep = T[] constant(ISTEP)
  jstep = T[] constant(JSTEP)
  i2 = T[] add(istep, i)
  j2 = T[] add(j, jstep)
  ROOT r = (T[], T[], s32[], s32[7], s32[]) tuple(i2, j2, next, x, n)
}
test {
  s = (T[], T[], s32[], s32[7], s32[]) parameter(0)
  i = T[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=4
  m = T[] convert(n)
  limit = T[] constant(LIMIT)
  ROOT p = pred[] compare(i, limit), direction=LT
}
ENTRY e {
  s = (T[], T[], s32[], s32[7], s32[]) parameter(0)
  i = T[] constant(FIRST)
  j = T[] constant(SECOND)
  sum = s32[] get-tuple-element(s), index=2
  x = s32[7] get-tuple-element(s), index=3
  n = s32[] constant(4)
  init = (T[], T[], s32[], s32[7], s32[]) tuple(i, j, sum, x, n)
  ROOT w = (T[], T[], s32[], s32[7], s32[]) while(init), condition=test, body=body
}
`

// TestCounters runs loops whose counters stay within the array, leave it at either end, go down, never begin, or wrap.
func TestCounters(t *testing.T) {
	for _, c := range []struct {
		typ, first, limit, istep, second, jstep string
		state                                   [2]*literal.Literal
	}{
		{"s32", "0", "7", "1", "0", "1", pair(int32(0))},
		{"s32", "0", "7", "1", "6", "-1", pair(int32(0))},
		{"s32", "0", "7", "1", "-3", "1", pair(int32(0))},  // j is negative at first
		{"s32", "-2", "9", "1", "3", "-2", pair(int32(0))}, // and later
		{"s32", "0", "8", "1", "0", "1", pair(int32(0))},   // one too far
		{"s32", "0", "20", "3", "0", "1", pair(int32(0))},  // i is over 6 in some rounds
		{"s32", "7", "7", "1", "0", "1", pair(int32(0))},   // no round
		{"s32", "-5", "7", "1", "0", "1", pair(int32(0))},  // more rounds than become code of their own
		{"s32", "-5", "7", "1", "6", "-1", pair(int32(0))},
		{"s32", "0", "12", "1", "-3", "1", pair(int32(0))},
		{"s32", "0", "9", "1", "3", "0", pair(int32(0))},
		{"s32", "-20", "30", "5", "8", "-2", pair(int32(0))},
		{"u32", "0", "12", "1", "6", "4294967295", pair(uint32(0))},
		{"s8", "0", "127", "51", "0", "1", pair(int8(0))},    // the first wraps, so there are more rounds
		{"s8", "0", "127", "51", "100", "20", pair(int8(0))}, // both wrap
		{"s8", "0", "100", "27", "100", "10", pair(int8(0))}, // j wraps at the end
		{"u8", "250", "255", "1", "250", "3", pair(uint8(0))},
		{"u32", "0", "7", "1", "6", "4294967295", pair(uint32(0))}, // a step of -1
		{"s64", "0", "7", "1", "9223372036854775806", "1", pair(int64(0))},
		{"u64", "0", "7", "1", "6", "18446744073709551615", pair(uint64(0))},
		{"u64", "18446744073709551613", "2", "1", "0", "1", pair(uint64(0))}, // no round: the first is the greater
		{"u64", "18446744073709551600", "2", "1", "0", "1", pair(uint64(0))},
		{"u64", "18446744073709551600", "18446744073709551610", "1", "0", "1", pair(uint64(0))},
	} {
		text := strings.NewReplacer("T[", c.typ+"[", "FIRST", c.first, "LIMIT", c.limit, "ISTEP", c.istep, "SECOND", c.second,
			"JSTEP", c.jstep).Replace(counting)
		x := integers([]int64{3, 1, 4, 1, 5, 9, 2})
		state := literal.NewTuple(c.state[0], c.state[1], literal.Scalar(int32(1)), x, literal.Scalar(int32(4)))
		if runLoop(t, text, state) == nil {
			t.Errorf("%v: no program", c)
		}
	}
}

func pair[T int8 | int32 | int64 | uint8 | uint32 | uint64](v T) [2]*literal.Literal {
	return [2]*literal.Literal{literal.Scalar(v), literal.Scalar(v)}
}

// nested is a loop of eight rounds whose body has what BODY makes of the number n.
const nested = `test.LEVEL {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(8)
  ROOT p = pred[] compare(i, limit), direction=LT
}
body.LEVEL {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  zero = s32[] constant(0)
  inside = (s32[], s32[]) tuple(zero, n)
  BODY
  mixed = s32[] xor(m, i)
  j = s32[] add(i, one)
  ROOT r = (s32[], s32[]) tuple(j, mixed)
}
`

// TestNestedLoops has loops in loops, each of few rounds, whose rounds in all are too many to be code of their own.
func TestNestedLoops(t *testing.T) {
	const levels = 6
	text, body := "HloModule m\n", "m = s32[] add(n, n)"
	for level := range levels {
		number := strconv.Itoa(level)
		text += strings.NewReplacer("LEVEL", number, "BODY", body).Replace(nested)
		body = strings.ReplaceAll(`w = (s32[], s32[]) while(inside), condition=test.LEVEL, body=body.LEVEL
  m = s32[] get-tuple-element(w), index=1`, "LEVEL", number)
	}
	text += strings.ReplaceAll(`ENTRY e {
  s = (s32[], s32[]) parameter(0)
  ROOT w = (s32[], s32[]) while(s), condition=test.LEVEL, body=body.LEVEL
}
`, "LEVEL", strconv.Itoa(levels-1))
	if runLoop(t, text, literal.NewTuple(literal.Scalar(int32(7)), literal.Scalar(int32(1)))) == nil {
		t.Error("no program")
	}
}
