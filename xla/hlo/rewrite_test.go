package hlo

import "testing"

func TestIndexAndUsers(t *testing.T) {
	m, err := Parse([]byte("ENTRY e { x = f32[] parameter(0) y = f32[] add(x, x) ROOT z = f32[] negate(y) }"), "t")
	if err != nil {
		t.Fatal(err)
	}
	for i, users := range []int{2, 1, 1} {
		if in := m.Entry.Instructions[i]; in.Index() != i || in.Users() != users {
			t.Errorf("%s: index %d, users %d, want %d, %d", in.Name, in.Index(), in.Users(), i, users)
		}
	}
}

func TestCloneAttrs(t *testing.T) {
	a := &DotAttrs{LHSContracting: []int64{1}}
	b := CloneAttrs(a).(*DotAttrs)
	b.LHSContracting = []int64{0}
	if a.LHSContracting[0] != 1 || CloneAttrs(nil) != nil {
		t.Errorf("the copy is not one: %v", a.LHSContracting)
	}
}

func TestHasSideEffect(t *testing.T) {
	const text = `
inner { t = token[] parameter(0)  ROOT i = (f32[], token[]) infeed(t) }
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  t = token[] after-all()
  x = f32[] parameter(0)
  c = (f32[], token[]) call(t), to_apply=inner
  v = f32[3] broadcast(x), dimensions={}
  r = f32[] reduce(v, x), dimensions={0}, to_apply=sum
  a = f32[] all-reduce(r), replica_groups={}, to_apply=sum
  k = f32[] custom-call(a), custom_call_target="f", custom_call_has_side_effect=true
  yes = pred[] constant(true)
  check = () custom-call(yes), custom_call_target="shape_assertion"
  ROOT p = f32[] custom-call(a), custom_call_target="f"
}`
	m, err := Parse([]byte(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"c": true, "a": true, "k": true, "check": true}
	for _, in := range m.Entry.Instructions {
		if got := in.HasSideEffect(); got != want[in.Name] {
			t.Errorf("%s: got %v", in.Name, got)
		}
	}
}

// A computation may not name an instruction of another one, nor one that comes later, nor have its root elsewhere.
func TestNewComputationChecksItsOperands(t *testing.T) {
	b := NewBuilder("a")
	x := b.Parameter(0, poison, "x")
	y := b.Neg(x)
	if _, err := b.Build(y); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		list []*Instruction
		root *Instruction
	}{{[]*Instruction{y}, y}, {[]*Instruction{y, x}, y}, {[]*Instruction{x}, y}, {[]*Instruction{x}, nil}} {
		if _, err := NewComputation("b", c.list, c.root); err == nil {
			t.Errorf("case %d: no error", i)
		}
	}
}

// TestSideEffectsOnce looks at a computation once for all that call it.
func TestSideEffectsOnce(t *testing.T) {
	m, err := Parse([]byte("HloModule m\nf { p = f32[] parameter(0) ROOT r = f32[] abs(p) }\n"+
		"g { p = f32[] parameter(0) t = token[] after-all() o = token[] outfeed(p, t) ROOT r = f32[] call(p), to_apply=f }\n"+
		"ENTRY e { p = f32[] parameter(0) a = f32[] call(p), to_apply=f ROOT b = f32[] call(a), to_apply=g }"), "m")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		has    bool
		effect uint32
	}{{false, effectNone}, {true, effectSome}} {
		in := m.Entry.Instructions[i+1]
		for range 2 {
			if got := in.HasSideEffect(); got != want.has || in.Called()[0].effect != want.effect {
				t.Errorf("%s: got %v and %d, want %v and %d", in.Name, got, in.Called()[0].effect, want.has, want.effect)
			}
		}
	}
}
