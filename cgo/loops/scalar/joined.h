// joined.h: instructions that only C has: those whose width is known, and two in one, of which the first makes an
// operand of the second and nothing else reads it. backend/cpu/scalar looks for them by name. A part of program.c.
//
// A joined instruction has the first's operands in a and b, the second's other one in c and one more in e. A name with
// r before the second's says that the first makes its right operand.

// clang-format off
// The instructions of two operands that have the same bits whatever happens to be above the width of their operands'
// numbers, or whose width is 64; shifts are by less than the width.
#define HALO_INTEGERS(X) \
  X(AddS32, (int32_t)(x + y)) X(AddU32, (uint32_t)(x + y)) X(SubS32, (int32_t)(x - y)) X(SubU32, (uint32_t)(x - y)) \
  X(rSubS32, (int32_t)(y - x)) X(rSubU32, (uint32_t)(y - x)) X(MulS32, (int32_t)(x * y)) X(MulU32, (uint32_t)(x * y)) \
  X(Add64, x + y) X(Sub64, x - y) X(rSub64, y - x) X(Mul64, x * y) X(And, x & y) X(Or, x | y) X(Xor, x ^ y) \
  X(ShiftLeftS32, (int32_t)(x << y)) X(ShiftLeftU32, (uint32_t)(x << y)) X(ShiftRight, (int64_t)x >> y) \
  X(ShiftLogical, x >> y) X(MinS, (int64_t)x < (int64_t)y ? x : y) X(MaxS, (int64_t)x > (int64_t)y ? x : y) \
  X(LtS, (int64_t)x < (int64_t)y) X(LeS, (int64_t)x <= (int64_t)y) X(LtU, x < y) X(LeU, x <= y) X(EqS, x == y) \
  X(NeS, x != y)
#define HALO_FLOATS(X, s) \
  X(Add##s, x + y) X(Sub##s, x - y) X(rSub##s, y - x) X(Mul##s, x * y) X(Div##s, x / y) X(rDiv##s, y / x)
#define HALO_FLOAT_TESTS(X, s) X(Lt##s, x < y) X(Le##s, x <= y) X(Eq##s, x == y) X(Ne##s, x != y)

// Those that stand alone.
#define HALO_NARROW(X) \
  X(AddS32) X(AddU32) X(SubS32) X(SubU32) X(MulS32) X(MulU32) X(Add64) X(Sub64) X(Mul64) X(ShiftLeftS32) \
  X(ShiftLeftU32) X(ShiftRight) X(ShiftLogical)
#define HALO_REMAINDERS(X) X(RemU32By) X(RemS32By)

// Firsts of integers, with a second after them.
#define HALO_FIRSTS(X, second) \
  X(AddS32, second) X(AddU32, second) X(SubS32, second) X(SubU32, second) X(MulS32, second) X(MulU32, second) \
  X(Add64, second) X(Mul64, second) X(And, second) X(Or, second) X(Xor, second) X(ShiftLeftU32, second) \
  X(ShiftRight, second) X(ShiftLogical, second)
#define HALO_INTEGER_PAIRS(X) \
  HALO_FIRSTS(X, AddS32) HALO_FIRSTS(X, AddU32) HALO_FIRSTS(X, SubS32) HALO_FIRSTS(X, rSubS32) HALO_FIRSTS(X, SubU32) \
  HALO_FIRSTS(X, MulS32) HALO_FIRSTS(X, MulU32) HALO_FIRSTS(X, And) HALO_FIRSTS(X, Or) HALO_FIRSTS(X, Xor) \
  HALO_FIRSTS(X, Add64) HALO_FIRSTS(X, Mul64) HALO_FIRSTS(X, ShiftLogical) X(MaxS, MinS) X(MinS, AddS32) \
  X(AddS32, MinS) X(AddS32, MaxS)
#define HALO_FLOAT_FIRSTS(X, s, second) X(Add##s, second) X(Sub##s, second) X(Mul##s, second) X(Div##s, second)
#define HALO_FLOAT_PAIRS(X, s) \
  HALO_FLOAT_FIRSTS(X, s, Add##s) HALO_FLOAT_FIRSTS(X, s, Sub##s) HALO_FLOAT_FIRSTS(X, s, rSub##s) \
  HALO_FLOAT_FIRSTS(X, s, Mul##s) HALO_FLOAT_FIRSTS(X, s, Div##s) HALO_FLOAT_FIRSTS(X, s, rDiv##s)
#define HALO_REMAINDER_PAIRS(X) HALO_FIRSTS(X, RemU32By) HALO_FIRSTS(X, RemS32By)

// Tests whose result a choice or a jump takes.
#define HALO_INTEGER_TESTS(X, second) \
  X(LtS, second) X(LeS, second) X(LtU, second) X(LeU, second) X(EqS, second) X(NeS, second) X(And, second) X(Or, second)
#define HALO_TESTS_F(X, second) X(LtF, second) X(LeF, second) X(EqF, second) X(NeF, second)
#define HALO_TESTS_D(X, second) X(LtD, second) X(LeD, second) X(EqD, second) X(NeD, second)
#define HALO_CHOICES(INT, FLOAT, DOUBLE, second) \
  HALO_INTEGER_TESTS(INT, second) HALO_TESTS_F(FLOAT, second) HALO_TESTS_D(DOUBLE, second)

// Elements of arrays in memory that something else takes.
#define HALO_LOADED(U, S, F, D) \
  U(Load32UAt, AddU32) U(Load32UAt, Xor) U(Load32UAt, And) U(Load32UAt, Or) S(Load32SAt, AddS32) S(Load32SAt, SubS32) \
  S(Load32SAt, rSubS32) S(Load32SAt, MulS32) S(Load32SAt, MinS) S(Load32SAt, MaxS) F(Load32UAt, AddF) \
  F(Load32UAt, SubF) F(Load32UAt, rSubF) F(Load32UAt, MulF) D(Load64At, AddD) D(Load64At, SubD) \
  D(Load64At, rSubD) D(Load64At, MulD)

// Lanes of vectors that something else takes.
#define HALO_FETCHED(S, U, F) \
  S(VecFetchS, AddS32) S(VecFetchS, SubS32) S(VecFetchS, rSubS32) S(VecFetchS, MulS32) S(VecFetchS, MinS) \
  S(VecFetchS, MaxS) S(VecFetchS, EqS) S(VecFetchS, NeS) S(VecFetchS, LtS) U(VecFetchU, AddU32) U(VecFetchU, Xor) \
  U(VecFetchU, And) U(VecFetchU, Or) U(VecFetchU, EqS) U(VecFetchU, NeS) F(VecFetchU, AddF) F(VecFetchU, SubF) \
  F(VecFetchU, rSubF) F(VecFetchU, MulF)

#define HALO_JOINED(ONE, TWO) \
  HALO_NARROW(ONE) HALO_REMAINDERS(ONE) HALO_INTEGER_PAIRS(TWO) HALO_FLOAT_PAIRS(TWO, F) HALO_FLOAT_PAIRS(TWO, D) \
  HALO_REMAINDER_PAIRS(TWO) HALO_CHOICES(TWO, TWO, TWO, Select) HALO_CHOICES(TWO, TWO, TWO, JumpIf) \
  HALO_CHOICES(TWO, TWO, TWO, JumpIfNo) HALO_CHOICES(TWO, TWO, TWO, Again) HALO_LOADED(TWO, TWO, TWO, TWO) \
  HALO_FETCHED(TWO, TWO, TWO) TWO(AddS32, AgainLtS) TWO(AddS32, AgainNeS)
// clang-format on
