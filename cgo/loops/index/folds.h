// folds.h: the loops that fold updates, by reducer and type, for files that say what they are: FOLD(name, T,
// EXPRESSION of a and b) makes those of an expression, and OF(name) is what FOLDS_TABLE has of it.
#include "scatter.h"

#define INLINE static inline
#include "../run/half.h"

typedef struct {
  uint64_t half[2];
} wide;

// Minimum and maximum propagate NaN and order zeros by their sign.
#define FLOAT_MIN(T, U, name)                                                                                \
  static inline T least_##name(T a, T b) {                                                                   \
    U x, y;                                                                                                  \
    memcpy(&x, &a, sizeof a), memcpy(&y, &b, sizeof b);                                                      \
    x |= y;                                                                                                  \
    T zero;                                                                                                  \
    memcpy(&zero, &x, sizeof a);                                                                             \
    return a < b ? a : b < a ? b : a == b ? zero : a + b;                                                    \
  }                                                                                                          \
  static inline T most_##name(T a, T b) {                                                                    \
    U x, y;                                                                                                  \
    memcpy(&x, &a, sizeof a), memcpy(&y, &b, sizeof b);                                                      \
    x &= y;                                                                                                  \
    T zero;                                                                                                  \
    memcpy(&zero, &x, sizeof a);                                                                             \
    return a > b ? a : b > a ? b : a == b ? zero : a + b;                                                    \
  }
FLOAT_MIN(float, uint32_t, f32)
FLOAT_MIN(double, uint64_t, f64)

#define INTEGER(T, U, name)                                                                                  \
  FOLD(add_##name, T, (T)((U)a + (U)b))                                                                      \
  FOLD(multiply_##name, T, (T)((U)((uint64_t)(U)a * (U)b)))                                                  \
  FOLD(minimum_##name, T, a < b ? a : b)                                                                     \
  FOLD(maximum_##name, T, a > b ? a : b)                                                                     \
  FOLD(and_##name, T, a & b)                                                                                 \
  FOLD(or_##name, T, a | b)                                                                                  \
  FOLD(xor_##name, T, a ^ b)

#define FLOAT(T, name)                                                                                       \
  FOLD(add_##name, T, a + b)                                                                                 \
  FOLD(multiply_##name, T, a *b)                                                                             \
  FOLD(minimum_##name, T, least_##name(a, b))                                                                \
  FOLD(maximum_##name, T, most_##name(a, b))

INTEGER(int8_t, uint8_t, s8)
INTEGER(int16_t, uint16_t, s16)
INTEGER(int32_t, uint32_t, s32)
INTEGER(int64_t, uint64_t, s64)
INTEGER(uint8_t, uint8_t, u8)
INTEGER(uint16_t, uint16_t, u16)
INTEGER(uint32_t, uint32_t, u32)
INTEGER(uint64_t, uint64_t, u64)
FLOAT(float, f32)
FLOAT(double, f64)
FOLD(add_bf16, uint16_t, to_bf16(from_bf16(a) + from_bf16(b)))
FOLD(multiply_bf16, uint16_t, to_bf16(from_bf16(a) * from_bf16(b)))
FOLD(minimum_bf16, uint16_t, to_bf16(least_f32(from_bf16(a), from_bf16(b))))
FOLD(maximum_bf16, uint16_t, to_bf16(most_f32(from_bf16(a), from_bf16(b))))
FOLD(assign_u8, uint8_t, b)
FOLD(assign_u16, uint16_t, b)
FOLD(assign_u32, uint32_t, b)
FOLD(assign_u64, uint64_t, b)
FOLD(assign_wide, wide, b)

#define INTEGERS(op)                                                                                         \
  [OF_S8] = OF(op##_s8), [OF_S16] = OF(op##_s16), [OF_S32] = OF(op##_s32), [OF_S64] = OF(op##_s64),          \
  [OF_U8] = OF(op##_u8), [OF_U16] = OF(op##_u16), [OF_U32] = OF(op##_u32), [OF_U64] = OF(op##_u64)
#define NUMBERS(op) INTEGERS(op), [OF_F32] = OF(op##_f32), [OF_F64] = OF(op##_f64), [OF_BF16] = OF(op##_bf16)

#define FOLDS_TABLE                                                                                          \
  {                                                                                                          \
   [FOLD_ASSIGN] = {[OF_U8] = OF(assign_u8), [OF_U16] = OF(assign_u16), [OF_U32] = OF(assign_u32),           \
                    [OF_U64] = OF(assign_u64), [OF_WIDE] = OF(assign_wide)},                                 \
   [FOLD_ADD] = {NUMBERS(add)},                                                                              \
   [FOLD_MULTIPLY] = {NUMBERS(multiply)},                                                                    \
   [FOLD_MINIMUM] = {NUMBERS(minimum)},                                                                      \
   [FOLD_MAXIMUM] = {NUMBERS(maximum)},                                                                      \
   [FOLD_AND] = {INTEGERS(and)},                                                                             \
   [FOLD_OR] = {INTEGERS(or)},                                                                               \
   [FOLD_XOR] = {INTEGERS(xor)},                                                                             \
  }
