// plain_key.h: the greatest and the least of floats, by integers in their order. A part of plain_impl.h.
#include "../run/key.h"

#define EXTREME(NAME, K, START, OP, LOAD, STORE)                                                                       \
  ROW_OF(NAME, K, LOAD, OP)                                                                                            \
  COLS_OF(NAME, K, LOAD, OP)                                                                                           \
  GATHER(NAME, K, OP)                                                                                                  \
  static void NAME##_start(void *acc, int64_t n) {                                                                     \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      ((K *)acc)[j] = START;                                                                                           \
  }                                                                                                                    \
  static void NAME##_rows(const void *R px, int64_t n, int64_t count, void *R acc) {                                   \
    const K *x = px;                                                                                                   \
    for (int64_t j = 0; j < count; j++, x += n)                                                                        \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        K k = LOAD(x[i]);                                                                                              \
        ((K *)acc)[j] = OP(((K *)acc)[j], k);                                                                          \
      }                                                                                                                \
  }                                                                                                                    \
  static void NAME##_merge(void *acc, const void *other, int64_t n) {                                                  \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      ((K *)acc)[j] = OP(((K *)acc)[j], ((const K *)other)[j]);                                                        \
  }                                                                                                                    \
  static void NAME##_finish(const void *acc, const void *init, void *out, int64_t n, int32_t bits) {                   \
    K first = LOAD(*(const K *)init);                                                                                  \
    (void)bits;                                                                                                        \
    for (int64_t j = 0; j < n; j++) {                                                                                  \
      K k = OP(((const K *)acc)[j], first);                                                                            \
      ((K *)out)[j] = STORE(k);                                                                                        \
    }                                                                                                                  \
  }
#define EXTREME_PAIR(TAG, KEYS, K, LOW, HIGH)                                                                          \
  EXTREME(min##TAG, K, HIGH, MIN, least_key##KEYS, unkey_least##KEYS)                                                  \
  EXTREME(max##TAG, K, LOW, MAX, most_key##KEYS, unkey_most##KEYS)
EXTREME_PAIR(f32, 32, int32_t, INT32_MIN, INT32_MAX)
EXTREME_PAIR(f64, 64, int64_t, INT64_MIN, INT64_MAX)
EXTREME_PAIR(bf16, b16, int16_t, INT16_MIN, INT16_MAX)
EXTREME_PAIR(f16, h16, int16_t, INT16_MIN, INT16_MAX)

// EXTREME_TYPES lists the types that have minima and maxima: integers as they are, floats by their keys.
#define EXTREME_TYPES(NUMBER, KEY)                                                                                     \
  NUMBER(s8, int8_t)                                                                                                   \
  NUMBER(s16, int16_t)                                                                                                 \
  NUMBER(s32, int32_t)                                                                                                 \
  NUMBER(s64, int64_t)                                                                                                 \
  NUMBER(u8, uint8_t)                                                                                                  \
  NUMBER(u16, uint16_t)                                                                                                \
  NUMBER(u32, uint32_t)                                                                                                \
  NUMBER(u64, uint64_t)                                                                                                \
  KEY(f32, int32_t, 32)                                                                                                \
  KEY(f64, int64_t, 64)                                                                                                \
  KEY(bf16, int16_t, b16)                                                                                              \
  KEY(f16, int16_t, h16)

#define EXTREMES(OP)                                                                                                   \
  {                                                                                                                    \
    [PLAIN_S8] = INT_ROW(OP##s8, int8_t), [PLAIN_S16] = INT_ROW(OP##s16, int16_t),                                     \
    [PLAIN_S32] = INT_ROW(OP##s32, int32_t), [PLAIN_S64] = INT_ROW(OP##s64, int64_t),                                  \
    [PLAIN_U8] = INT_ROW(OP##u8, uint8_t), [PLAIN_U16] = INT_ROW(OP##u16, uint16_t),                                   \
    [PLAIN_U32] = INT_ROW(OP##u32, uint32_t), [PLAIN_U64] = INT_ROW(OP##u64, uint64_t),                                \
    [PLAIN_F32] = INT_ROW(OP##f32, int32_t), [PLAIN_F64] = INT_ROW(OP##f64, int64_t),                                  \
    [PLAIN_BF16] = INT_ROW(OP##bf16, int16_t), [PLAIN_F16] = INT_ROW(OP##f16, int16_t)                                 \
  }
