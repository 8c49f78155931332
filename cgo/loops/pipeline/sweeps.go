package pipeline

import "strings"

// sweepStages are the stages of sweeps.def, each with the stages of a phase that it does by itself: the first loads,
// the last ends the phase. The operand of one with a star is one lane.
var sweepStages = []struct{ name, list string }{
	{"sweep_max", "acc_max_f"},
	{"sweep_sum", "acc_add_f"},
	{"sweep_squares", "sub_f* square_f acc_add_f"},
	{"sweep_exp", "sub_f* exp store acc_add_f"},
	{"sweep_quotient", "quotient store"},
	{"sweep_norm", "sub_f* mul_f* mul_f add_f store"},
}

// sweepOf names the stage that does all of a list by itself, if there is one. moves says which pointers point at
// another block each time.
func sweepOf(list []joined, moves func(pointer int) bool) string {
	for _, s := range sweepStages {
		names := strings.Fields(s.list)
		if len(names) != len(list) || list[0].from == 0 || !moves(list[0].from-1) {
			continue
		}
		same := true
		for i := range list {
			same = same && list[i].is(names[i], moves) && (i == 0 || list[i].from == 0)
		}
		if same {
			return s.name
		}
	}
	return ""
}

// is reports whether a stage is the one that a name of a list means.
func (s *joined) is(name string, moves func(pointer int) bool) bool {
	plain, one := strings.CutSuffix(name, "*")
	inMemory := plain == "store" || s.spreads() == 1 && !one
	return s.Name == plain && s.spread == one && (!inMemory || moves(s.A))
}
