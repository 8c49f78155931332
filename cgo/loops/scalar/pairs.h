// pairs.h: the instructions of joined.h. A part of program.c.

#define ONE(name) SET(name, u, f_##name(A.u, B.u))
HALO_NARROW(ONE)
SET(RemU32By, u, f_RemU32By(A.u, B.u, C.u))
SET(RemS32By, u, f_RemS32By(A.u, B.u, C.u))

#define TWO(first, second, value, field) OP(first##_##second){RESULT.field = (value); NEXT;}
#define INTEGERS(first, second) TWO(first, second, f_##second(f_##first(A.u, B.u), C.u), u)
#define FLOATS(first, second) TWO(first, second, f_##second(f_##first(A.f, B.f), C.f), f)
#define DOUBLES(first, second) TWO(first, second, f_##second(f_##first(A.d, B.d), C.d), d)
#define REMAINDERS(first, second) TWO(first, second, f_##second(f_##first(A.u, B.u), C.u, E.u), u)
HALO_INTEGER_PAIRS(INTEGERS)
HALO_FLOAT_PAIRS(FLOATS, F)
HALO_FLOAT_PAIRS(DOUBLES, D)
HALO_REMAINDER_PAIRS(REMAINDERS)

// Both numbers are read before one is chosen, without a jump that goes either way.
#define CHOOSE(first, field)                                                                                           \
  OP(first##_Select) {                                                                                                 \
    const uint64_t yes = C.u, no = E.u, all = 0 - (uint64_t)(f_##first(A.field, B.field) != 0);                        \
    RESULT.u = no ^ ((yes ^ no) & all);                                                                                \
    NEXT;                                                                                                              \
  }
#define GOES(first, second, field, condition)                                                                          \
  OP(first##_##second) {                                                                                               \
    in = (condition) ? code + in->imm : in + 1;                                                                        \
    GO;                                                                                                                \
  }
#define SECOND_Select(first, field) CHOOSE(first, field)
#define SECOND_JumpIf(first, field) GOES(first, JumpIf, field, f_##first(A.field, B.field))
#define SECOND_JumpIfNo(first, field) GOES(first, JumpIfNo, field, !f_##first(A.field, B.field))
#define SECOND_Again(first, field)                                                                                     \
  OP(first##_Again) { AGAIN(f_##first(A.field, B.field)) }
#define TEST_INTEGERS(first, second) SECOND_##second(first, u)
#define TEST_FLOATS(first, second) SECOND_##second(first, f)
#define TEST_DOUBLES(first, second) SECOND_##second(first, d)
HALO_CHOICES(TEST_INTEGERS, TEST_FLOATS, TEST_DOUBLES, Select)
HALO_CHOICES(TEST_INTEGERS, TEST_FLOATS, TEST_DOUBLES, JumpIf)
HALO_CHOICES(TEST_INTEGERS, TEST_FLOATS, TEST_DOUBLES, JumpIfNo)
HALO_CHOICES(TEST_INTEGERS, TEST_FLOATS, TEST_DOUBLES, Again)

#define LOADED(first, second, T, field)                                                                                \
  OP(first##_##second) {                                                                                               \
    T v;                                                                                                               \
    memcpy(&v, ELEMENT(sizeof v, B), sizeof v);                                                                        \
    RESULT.field = f_##second(v, C.field);                                                                             \
    NEXT;                                                                                                              \
  }
#define LOADED_U(first, second) LOADED(first, second, uint32_t, u)
#define LOADED_S(first, second) LOADED(first, second, int32_t, u)
#define LOADED_F(first, second) LOADED(first, second, float, f)
#define LOADED_D(first, second) LOADED(first, second, double, d)
HALO_LOADED(LOADED_U, LOADED_S, LOADED_F, LOADED_D)

#define FETCHED(first, second, T, field)                                                                               \
  OP(first##_##second) {                                                                                               \
    T v;                                                                                                               \
    memcpy(&v, LANE(A, WITHIN(B, in->imm)), sizeof v);                                                                 \
    RESULT.field = f_##second(v, C.field);                                                                             \
    NEXT;                                                                                                              \
  }
#define FETCHED_S(first, second) FETCHED(first, second, int32_t, u)
#define FETCHED_U(first, second) FETCHED(first, second, uint32_t, u)
#define FETCHED_F(first, second) FETCHED(first, second, float, f)
HALO_FETCHED(FETCHED_S, FETCHED_U, FETCHED_F)

OP(AddS32_AgainLtS) {
  RESULT.u = f_AddS32(A.u, B.u);
  AGAIN(RESULT.i < C.i)
}
OP(AddS32_AgainNeS) {
  RESULT.u = f_AddS32(A.u, B.u);
  AGAIN(RESULT.i != C.i)
}
