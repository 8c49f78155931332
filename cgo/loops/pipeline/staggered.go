package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

// loop is a function staggered_NAME of sweeps.def and the phases of a program that it takes rows through at once. A
// word is the same pointer wherever it stands: mask, those of wordKinds, rooms; # and bits are a number.
type loop struct {
	name   string
	phases []string
	places bool  // it makes places of rows, an element for each
	near   int64 // so many rows have to be as near as those of a tile
}

var staggered = slices.Concat([]loop{
	{"softmax", softmaxOf("load in", "load in"), false, 2},
	{"softmax_scaled", softmaxOf("load in; mul_f factor", "load in; mul_f factor"), false, 2},
	{"softmax_divided", keptSoftmax("load in; div_f divisor"), false, 4},
	{"softmax_log", logSoftmaxOf("load in"), false, 2},
	{"softmax_log_scaled", logSoftmaxOf("load in; mul_f factor"), false, 2},
	{"norm", normBy("mul_f"), false, 2},
	{"norm_div", normBy("div_f"), false, 2},
	{"least", firstOf("min_f", "load in", "in"), true, 0},
	{"least_plus", firstOf("min_f", "load in; add_f offset", ""), true, 0},
	{"least_plus", firstOf("min_f", "load offset; add_f in", ""), true, 0},
	{"least_minus", firstOf("min_f", "load in; sub_f offset", ""), true, 0},
	{"least_from", firstOf("min_f", "load offset; sub_f in", ""), true, 0},
	{"most", firstOf("max_f", "load in", "in"), true, 0},
	{"most_plus", firstOf("max_f", "load in; add_f offset", ""), true, 0},
	{"most_plus", firstOf("max_f", "load offset; add_f in", ""), true, 0},
	{"most_minus", firstOf("max_f", "load in; sub_f offset", ""), true, 0},
	{"most_from", firstOf("max_f", "load offset; sub_f in", ""), true, 0},
}, maskedSoftmaxes())

// maskedSoftmaxes are those of what masks make of elements, which may have been scaled before: where a choice does not
// hold, or a refusal does, another number stands for them, or something is added.
func maskedSoftmaxes() []loop {
	list := []loop{
		{"softmax_chosen", keptSoftmax("load choice; select in other"), false, 4},
		{"softmax_chosen", keptSoftmax("load refusal; select other in"), false, 4},
		{"softmax_added", softmaxOf("load in; add_f addend", "load in; add_f addend"), false, 4},
		{"softmax_added", softmaxOf("load addend; add_f in", "load addend; add_f in"), false, 4},
	}
	for _, scaled := range []string{"load in; mul_f factor; ", "load in; div_f divisor; "} {
		list = append(list, loop{"softmax_chosen", keptSoftmax(scaled + "select_true choice other"), false, 4},
			loop{"softmax_chosen", keptSoftmax(scaled + "select_false refusal other"), false, 4},
			loop{"softmax_added", keptSoftmax(scaled + "add_f addend"), false, 4})
	}
	return list
}

// softmaxOf is a softmax of what some stages make of a row, and others again.
func softmaxOf(elements, again string) []string {
	return []string{
		elements + "; acc_max_f a mask; fold a b",
		"load #ff800000; max_f b; store c",
		"spread c d; " + again + "; sub_f d; exp; store exps; acc_add_f e mask; fold e f",
		"load #0; add_f f; store g; rdiv_f #3f800000; store h",
		"spread g i; spread h j; load exps; quotient i j; store out",
	}
}

// logSoftmaxOf is the logarithm of one.
func logSoftmaxOf(elements string) []string {
	return []string{
		elements + "; acc_max_f a mask; fold a b",
		"load #ff800000; max_f b; store c",
		"spread c d; " + elements + "; sub_f d; exp; acc_add_f e mask; fold e f",
		"load #0; add_f f; store g; log; store h",
		"spread c d; spread h i; " + elements + "; sub_f d; sub_f i; store out",
	}
}

// keptSoftmax is one of what some stages make and keep.
func keptSoftmax(elements string) []string { return softmaxOf(elements+"; store made", "load made") }

// normBy is a norm whose means are made of sums by a stage.
func normBy(mean string) []string {
	return []string{
		"load in; acc_add_f a mask; fold a b",
		"load #0; add_f b; store c; " + mean + " count; store d",
		"spread d e; load in; sub_f e; square_f; acc_add_f f mask; fold f g",
		"load #0; add_f g; store h; " + mean + " count; store i; add_f epsilon; store j; rsqrt_f; store k",
		"spread d e; spread k l; load in; sub_f e; mul_f l; mul_f scale; add_f offset; store out",
	}
}

// firstOf finds the first place of the extreme of what some stages make of a row; at is where that lies, if it does.
func firstOf(extreme, elements, at string) []string {
	made := elements
	if at == "" {
		at, made = "made", elements+"; store made"
	}
	return []string{
		elements + "; acc_" + extreme + " a mask; fold a b",
		"load init; " + extreme + " b; store c",
		"spread c d; " + made + "; eq_f d; store e; load " + at + "; ne_f " + at +
			"; or e; select place #7fffffff; acc_min_s f mask; fold f g",
		"load #7fffffff; min_s g; store h; unless_eq_f c init start; store i; min_s h; store j; store out",
	}
}

// wordKinds says which inputs some words may mean.
var wordKinds = map[string]func(s *Stream) bool{
	"in":      func(s *Stream) bool { return s.Kind == Linear && (s.Convert == "" || s.isFloat()) && !s.ByRow },
	"scale":   (*Stream).isVector,
	"offset":  (*Stream).isVector,
	"factor":  (*Stream).isPositive,
	"divisor": (*Stream).isPositive,
	"addend":  func(s *Stream) bool { return s.liesBeside("") },
	"choice":  func(s *Stream) bool { return s.liesBeside("pred") },
	"refusal": func(s *Stream) bool { return s.liesBeside("pred") },
	"other":   func(s *Stream) bool { return s.Kind == Immediate },
	"count":   func(s *Stream) bool { return s.Kind == Immediate },
	"epsilon": func(s *Stream) bool { return s.Kind == Immediate },
	"init":    func(s *Stream) bool { return s.Kind == Immediate },
	"start":   func(s *Stream) bool { return s.Kind == Immediate },
	"place":   (*Stream).countsPlaces,
}

// countsPlaces reports whether the elements of a stream are the places of a row, which is one dimension.
func (s *Stream) countsPlaces() bool {
	last := len(s.Strides) - 1
	return s.Kind == Iota && s.Offset == 0 && s.Convert == "" && s.Strides[last] == 1 &&
		!slices.ContainsFunc(s.Strides[:last], func(n int64) bool { return n != 0 })
}

// liesBeside reports whether the elements of a row of a stream are side by side and become lanes by a conversion.
func (s *Stream) liesBeside(convert string) bool {
	return (s.Kind == Linear || s.Kind == Rowwise) && s.Convert == convert && !s.ByRow
}

// isFloat reports whether the elements of a stream are narrower floats: rows of them are widened some at a time, and
// results of them rounded.
func (s *Stream) isFloat() bool { return Has("store_rounded_" + s.Convert) }

// isPositive reports whether a stream is a positive float of 32 bits.
func (s *Stream) isPositive() bool { return s.Kind == Immediate && s.Value > 0 && s.Value < 0x7f800000 }

// isVector reports whether a stream is the same for all rows and lies as it is read.
func (s *Stream) isVector() bool {
	return s.Kind == Rowwise && s.Convert == "" && !slices.ContainsFunc(s.Strides, func(n int64) bool { return n != 0 })
}

// InOneLoop reports whether one loop takes rows through all phases of the program.
func (p *Rows) InOneLoop() bool {
	loop, _ := p.staggers()
	return loop != nil
}

// Kernel says what runs the program, in words.
func (p *Rows) Kernel() string {
	if loop, _ := p.staggers(); loop != nil {
		return "rows " + loop.name
	}
	return "rows"
}

// keptRows is how many rows are kept as lanes if they are none.
const keptRows = 4

// mostNear is the most bytes of rows that a loop wants near: a processor has room for the next rows beside them.
const mostNear = 96 << 10

// leastRow is how many bytes a row has that is found a place in: a vector at every level.
const leastRow = 64

// staggers returns what takes rows through all phases of the program in one loop, and tells what its words mean. Places
// are those of a dimension.
func (p *Rows) staggers() (*loop, words) {
	if p.stepwise || len(p.Outputs) != 1 || p.Outputs[0].Kind != Linear {
		return nil, nil
	}
	out := &p.Outputs[0]
	places, bytes := out.ByRow, p.Row()*int64(p.Lane)
	if out.Convert != "" && (places || !out.isFloat()) {
		return nil, nil
	}
	if places && (bytes < leastRow || p.Lead != len(p.Dims)-1) {
		return nil, nil
	}
	for i, s := range staggered {
		if s.places != places || s.near*bytes > mostNear {
			continue
		}
		m := meaning{p, words{"mask": p.Mask, "out": len(p.Inputs)}}
		if m.ofAll(s.phases) && (!m.converts() || !places && (s.near+keptRows)*bytes <= mostNear) {
			return &staggered[i], m.words
		}
	}
	return nil, nil
}

// words are the pointers that words mean.
type words map[string]int

func (w words) has(word string) bool {
	_, ok := w[word]
	return ok
}

// number is what the one of a list that means something means, or absent.
func (w words) number(absent int, list ...string) int {
	for _, word := range list {
		if w.has(word) {
			return w[word]
		}
	}
	return absent
}

// meaning is which pointers of a program words mean.
type meaning struct {
	*Rows
	words words
}

func (m meaning) ofAll(phases []string) bool {
	if len(phases) != len(m.Phases) {
		return false
	}
	for i := range m.Phases {
		if !m.ofPhase(strings.Split(phases[i], "; "), m.unrounded(m.Phases[i].all())) {
			return false
		}
	}
	return true
}

// unrounded is the list of a phase without rounding to what the result has in memory, just before it is stored.
func (m meaning) unrounded(list []Stage) []Stage {
	n := len(list) - 2
	if t := m.Outputs[0].Convert; t != "" && n >= 0 && list[n].Name == "round_"+t && list[n+1].A == len(m.Inputs) {
		return slices.Delete(list, n, n+1)
	}
	return list
}

// converts reports whether the rows that are read, or the result, are no lanes.
func (m meaning) converts() bool {
	return m.Inputs[m.words["in"]].Convert != "" || m.Outputs[0].Convert != ""
}

// all are the stages of a phase, with what comes before and after them.
func (f *Phase) all() (list []Stage) {
	for _, s := range f.Splats {
		list = append(list, Stage{Name: "spread", A: s.From, B: s.To})
	}
	list = append(list, f.Stages...)
	for _, d := range f.Folds {
		list = append(list, Stage{Name: "fold", A: d.Accumulator, B: d.To})
	}
	return list
}

func (m meaning) ofPhase(names []string, list []Stage) bool {
	return slices.EqualFunc(names, list, func(text string, s Stage) bool {
		words := strings.Fields(text)
		for i, w := range words[1:] {
			if !m.of(w, []int{s.A, s.B, s.C}[i]) {
				return false
			}
		}
		return words[0] == s.Name
	})
}

// of reports whether a word may mean pointer k.
func (m meaning) of(word string, k int) bool {
	if strings.HasPrefix(word, "#") {
		return k < len(m.Inputs) && m.Inputs[k].Kind == Immediate && fmt.Sprintf("#%x", m.Inputs[k].Value) == word
	}
	if is, ok := wordKinds[word]; ok && (k >= len(m.Inputs) || !is(&m.Inputs[k])) {
		return false
	}
	was, known := m.words[word]
	m.words[word] = k
	return !known || was == k
}
