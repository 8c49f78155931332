package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

// staggered are the programs over rows that the function staggered_NAME of sweeps.def takes through all phases in one
// loop. A word is the same pointer wherever it stands: mask, those of wordKinds, rooms; # and bits are a number.
var staggered = []struct {
	name   string
	phases []string
}{
	{"softmax", softmaxOf("load in")},
	{"softmax_scaled", softmaxOf("load in; mul_f factor")},
	{"norm", normBy("mul_f")},
	{"norm_div", normBy("div_f")},
}

// softmaxOf is a softmax of what some stages make of a row.
func softmaxOf(elements string) []string {
	return []string{
		elements + "; acc_max_f a mask; fold a b",
		"load #ff800000; max_f b; store c",
		"spread c d; " + elements + "; sub_f d; exp; store saved; acc_add_f e mask; fold e f",
		"load #0; add_f f; store g; rdiv_f #3f800000; store h",
		"spread g i; spread h j; load saved; quotient i j; store out",
	}
}

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

// wordKinds says which inputs some words may mean.
var wordKinds = map[string]func(s *Stream) bool{
	"in":      func(s *Stream) bool { return s.Kind == Linear && s.Convert == "" && !s.ByRow },
	"scale":   (*Stream).isVector,
	"offset":  (*Stream).isVector,
	"factor":  (*Stream).isPositive,
	"count":   func(s *Stream) bool { return s.Kind == Immediate },
	"epsilon": func(s *Stream) bool { return s.Kind == Immediate },
}

// isPositive reports whether a stream is a positive float of 32 bits.
func (s *Stream) isPositive() bool { return s.Kind == Immediate && s.Value > 0 && s.Value < 0x7f800000 }

// isVector reports whether a stream is the same for all rows and lies as it is read.
func (s *Stream) isVector() bool {
	return s.Kind == Rowwise && s.Convert == "" && !slices.ContainsFunc(s.Strides, func(n int64) bool { return n != 0 })
}

// Kernel says what runs the program, in words.
func (p *Rows) Kernel() string {
	name, _ := p.staggers()
	return strings.TrimSpace("rows " + name)
}

// staggers names what takes rows through all phases of the program in one loop, and tells what its words mean. Two rows
// of saved values have to be as near as those of a tile.
func (p *Rows) staggers() (name string, words map[string]int) {
	if p.stepwise || len(p.Outputs) != 1 || p.Outputs[0].Kind != Linear || p.Outputs[0].Convert != "" ||
		p.Outputs[0].ByRow || 2*p.Row()*int64(p.Lane) > MaxSaved {
		return "", nil
	}
	for _, s := range staggered {
		m := meaning{p, map[string]int{"mask": p.Mask, "out": len(p.Inputs), "saved": len(p.Inputs) + 1}}
		if m.ofAll(s.phases) {
			return s.name, m.words
		}
	}
	return "", nil
}

// meaning is which pointers of a program words mean.
type meaning struct {
	*Rows
	words map[string]int
}

func (m meaning) ofAll(phases []string) bool {
	if len(phases) != len(m.Phases) {
		return false
	}
	for i := range m.Phases {
		if !m.ofPhase(strings.Split(phases[i], "; "), m.Phases[i].all()) {
			return false
		}
	}
	return true
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
			if !m.of(w, []int{s.A, s.B}[i]) {
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
