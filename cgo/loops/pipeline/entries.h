// entries.h: the lines of stages.def and memory.def become entries of the table of stages.
#undef REDUCE
#undef CHOOSE
#undef UNARY
#undef BINARY
#undef TERNARY
#undef EXTREME
#undef CHOICE
#undef SCALED
#undef MIX
#undef INTO
#undef QUOTIENT
#undef ARRAY1
#undef ARRAY2
#undef STORE
#undef STREAM
#undef END
#undef MATH1
#undef MATH2
#undef MATHL
#undef POWER
#undef FAST1
#undef FAST2
#undef BOTH1
#undef FASTL
#undef BOTHL
#undef BOTHN
#undef FASTN
#undef EVERY1
#undef PARTS1
#undef PARTS2
#undef PAIR1
#undef PAIR2
#undef CHOOSE_PAIR
#undef SPLIT
#define ROW(name) (void (*)(void))s_##name,
#define REDUCE(name, e, none) ROW(acc_##name)
#define CHOOSE REDUCE
#define UNARY(name, e) ROW(name)
#define BINARY(name, e) ROW(name)
#define TERNARY(name, e) ROW(name)
#define EXTREME(name, e) ROW(name)
#define CHOICE(name) ROW(where_##name) ROW(unless_##name)
#define SCALED(name, e) ROW(name) ROW(name##_k)
#define ARRAY1(name, T, e) ROW(name)
#define ARRAY2(name, T, e) ROW(name)
#define STORE(name) ROW(name)
#define MIX(name) ROW(name)
#define INTO(name) ROW(name)
#define QUOTIENT(name) ROW(name)
#define STREAM(name) ROW(name)
#define END(name) ROW(name)
#define ROUNDED_STORE(name) ROW(store_##name) ROW(stream_##name)
#define CONVERT(name, T, load, store) ROW(load_##name) ROW(store_##name) ROW(stream_##name)
#define MATH1(name, fv, fs) ROW(name)
#define POWER(name, fv, dv, fs) ROW(name)
#define FAST1(name, fv, dv, fs) ROW(name)
#define FAST2(name, fv, dv, fs) ROW(name)
#define BOTH1(name, fv, dv, ev, fs) ROW(name)
#define BOTHL(name, fv, dv, ev, fs) ROW(name)
#define BOTHN BOTHL
#define FASTN(name, fv, dv, fs) ROW(name)
#define EVERY1(name, fv, dv, ev, fs) ROW(name)
#define PARTS1(name) ROW(c_##name)
#define PARTS2 PARTS1
#define PAIR1(name, re, im) ROW(name)
#define PAIR2 PAIR1
#define CHOOSE_PAIR(name) ROW(name)
#define SPLIT(name) ROW(name)
#define COMPLEX(name) CONVERT(name, , , )
