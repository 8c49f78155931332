package pipeline

import "strings"

// sweepStages are the stages of sweeps.def, each with the stages of a phase that it does by itself: the first loads,
// the last ends the phase. The operand of one with a star is one lane, that of one with a number sign is room for a
// value that only stages of the list take, and one with a plus loads again what the first did.
var sweepStages = []struct{ name, list string }{
	{"sweep_max", "acc_max_f"},
	{"sweep_sum", "acc_add_f"},
	{"sweep_squares", "sub_f* square_f acc_add_f"},
	{"sweep_exp", "sub_f* exp store acc_add_f"},
	{"sweep_quotient", "quotient store"},
	{"sweep_norm", "sub_f* mul_f* mul_f add_f store"},
	{"sweep_gelu", "mul_f* store# neg_f+ mul_f* gelu_erfc mul_f# store"},
	{"sweep_stencil", "add_add_f add_f sub_mul_f_k mul_add_f_k store"},
}

// sweepOf names the stage that does all of a list by itself, if there is one. moves says which pointers point at
// another block each time.
func sweepOf(list []joined, moves func(pointer int) bool) string {
	for _, s := range sweepStages {
		names := strings.Fields(s.list)
		if len(names) != len(list) || list[0].from == 0 || !moves(list[0].from-1) {
			continue
		}
		room, same := -1, true
		for i := range list {
			from, sign := 0, names[i][len(names[i])-1]
			if i == 0 || sign == '+' {
				from = list[0].from
			}
			if sign == '#' && room < 0 {
				room = list[i].A
			}
			same = same && list[i].from == from && list[i].is(names[i], room, moves)
		}
		if same {
			return s.name
		}
	}
	return ""
}

// is reports whether a stage is the one that a name of a list means, which room is for.
func (s *joined) is(name string, room int, moves func(pointer int) bool) bool {
	plain := strings.TrimRight(name, "*#+")
	one, kept := strings.HasSuffix(name, "*"), strings.HasSuffix(name, "#")
	switch {
	case s.Name != plain || s.spread != one:
		return false
	case kept:
		return s.A == room && !moves(room)
	case plain == "add_add_f":
		return moves(s.A) && moves(s.B)
	case plain == "store" || strings.HasSuffix(plain, "_k") || s.spreads() == 1 && !one:
		return moves(s.A)
	}
	return true
}
