// folds.h: the loops that fold updates, by reducer and type, for files that say what they are: FOLD(name, T,
// EXPRESSION of a and b) makes those of an expression, and OF(name) is what FOLDS_TABLE has of it.
#include "scatter.h"

#define INLINE static inline
#include "../run/half.h"
#include "../run/key.h"

typedef struct {
  uint64_t half[2];
} wide;

typedef struct {
  float re, im;
} complex64;
typedef struct {
  double re, im;
} complex128;

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
  FOLD(multiply_##name, T, a *b)
#define NARROW(name)                                                                                         \
  FOLD(add_##name, uint16_t, to_##name(from_##name(a) + from_##name(b)))                                     \
  FOLD(multiply_##name, uint16_t, to_##name(from_##name(a) * from_##name(b)))
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define EXTREMES(K, key, name)                                                                               \
  FOLD(minimum_##name, K, unkey_least##key(LESS(least_key##key(a), least_key##key(b))))                      \
  FOLD(maximum_##name, K, unkey_most##key(MORE(most_key##key(a), most_key##key(b))))

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
NARROW(bf16)
NARROW(f16)
EXTREMES(int32_t, 32, f32)
EXTREMES(int64_t, 64, f64)
EXTREMES(int16_t, b16, bf16)
EXTREMES(int16_t, h16, f16)
FOLD(add_c64, complex64, ((complex64){a.re + b.re, a.im + b.im}))
FOLD(add_c128, complex128, ((complex128){a.re + b.re, a.im + b.im}))
FOLD(assign_u8, uint8_t, b)
FOLD(assign_u16, uint16_t, b)
FOLD(assign_u32, uint32_t, b)
FOLD(assign_u64, uint64_t, b)
FOLD(assign_wide, wide, b)

#define INTEGERS(op)                                                                                         \
  [OF_S8] = OF(op##_s8), [OF_S16] = OF(op##_s16), [OF_S32] = OF(op##_s32), [OF_S64] = OF(op##_s64),          \
  [OF_U8] = OF(op##_u8), [OF_U16] = OF(op##_u16), [OF_U32] = OF(op##_u32), [OF_U64] = OF(op##_u64)
#define NUMBERS(op)                                                                                          \
  INTEGERS(op), [OF_F32] = OF(op##_f32), [OF_F64] = OF(op##_f64), [OF_BF16] = OF(op##_bf16),                 \
      [OF_F16] = OF(op##_f16)

#define FOLDS_TABLE                                                                                          \
  {                                                                                                          \
   [FOLD_ASSIGN] = {[OF_U8] = OF(assign_u8), [OF_U16] = OF(assign_u16), [OF_U32] = OF(assign_u32),           \
                    [OF_U64] = OF(assign_u64), [OF_WIDE] = OF(assign_wide)},                                 \
   [FOLD_ADD] = {NUMBERS(add), [OF_C64] = OF(add_c64), [OF_C128] = OF(add_c128)},                            \
   [FOLD_MULTIPLY] = {NUMBERS(multiply)},                                                                    \
   [FOLD_MINIMUM] = {NUMBERS(minimum)},                                                                      \
   [FOLD_MAXIMUM] = {NUMBERS(maximum)},                                                                      \
   [FOLD_AND] = {INTEGERS(and)},                                                                             \
   [FOLD_OR] = {INTEGERS(or)},                                                                               \
   [FOLD_XOR] = {INTEGERS(xor)},                                                                             \
  }
