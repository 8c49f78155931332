//go:build linux
// keys.c: elements become unsigned numbers that order as they do, and numbers elements again.
#pragma GCC optimize("O3")
#include "sort.h"

#define INLINE static inline __attribute__((always_inline))

// A key's transformation, its flags made constants.
typedef struct {
  uint64_t sign, infinity, quiet, flip;
  int is_float, zeros, nans, unordered;
} order;

static order order_of(const sort_key *k) {
  const int bits = 8 << k->log_width;
  order o = {.sign = 1ull << (bits - 1), .infinity = (uint64_t)k->infinity};
  o.is_float = k->flags & SORT_FLOAT;
  o.zeros = !(k->flags & SORT_TOTAL) || k->flags & SORT_ZEROS;
  o.nans = !!(k->flags & SORT_NANS);
  o.unordered = !(k->flags & SORT_TOTAL);
  // The quiet bit is the uppermost of the mantissa, below the lowest one of infinity.
  o.quiet = o.infinity | (o.infinity & -o.infinity) >> 1;
  o.flip = k->flags & SORT_DESCENDING ? ~0ull >> (64 - bits) : 0;
  if (k->flags & SORT_SIGNED) o.flip ^= o.sign;
  return o;
}

#define KEYS(T, bits)                                                                                        \
  INLINE T key_##bits(const order *o, T x, int *found) {                                                     \
    const T sign = (T)o->sign, flip = (T)o->flip;                                                            \
    if (!o->is_float) return x ^ flip;                                                                       \
    T y = x;                                                                                                 \
    const T size = x & (T)~sign;                                                                             \
    y = o->zeros && size == 0 ? 0 : y;                                                                       \
    y = o->nans && size > (T)o->infinity ? (T)o->quiet : y;                                                  \
    *found |= (y != x ? SORT_LOSSY : 0) | (o->unordered && size > (T)o->infinity ? SORT_UNORDERED : 0);      \
    return (T)((y & sign ? (T)~y : (T)(y | sign)) ^ flip);                                                   \
  }                                                                                                          \
  INLINE T unkey_##bits(const order *o, T x) {                                                               \
    const T sign = (T)o->sign;                                                                               \
    x ^= (T)o->flip;                                                                                         \
    return !o->is_float ? x : x & sign ? (T)(x & (T)~sign) : (T)~x;                                          \
  }                                                                                                          \
  static int load_##bits(const order *o, sort_row *row, const T *p, int form, const uint32_t *payload,       \
                         const uint32_t *by, int64_t i, int64_t last) {                                      \
    int found = 0;                                                                                           \
    const int64_t s = row->stride;                                                                           \
    uint32_t *a = (uint32_t *)row->a;                                                                        \
    uint64_t *b = (uint64_t *)row->a;                                                                        \
    sort_pair *c = (sort_pair *)row->a;                                                                      \
    if (form == SORT_U32 && s == 1)                                                                          \
      for (; i < last; i++) a[i] = (uint32_t)key_##bits(o, p[i], &found);                                    \
    else if (form == SORT_U32)                                                                               \
      for (; i < last; i++) a[i] = (uint32_t)key_##bits(o, p[i * s], &found);                                \
    else if (form == SORT_ALONE64)                                                                           \
      for (; i < last; i++) b[i] = key_##bits(o, p[i * s], &found);                                          \
    else if (form == SORT_U64 && payload)                                                                    \
      for (; i < last; i++) b[i] = (uint64_t)key_##bits(o, p[i * s], &found) << 32 | payload[i * s];         \
    else if (form == SORT_U64)                                                                               \
      for (; i < last; i++) {                                                                                \
        const int64_t j = by ? by[i] : i;                                                                    \
        b[i] = (uint64_t)key_##bits(o, p[j * s], &found) << 32 | (uint64_t)j;                                \
      }                                                                                                      \
    else                                                                                                     \
      for (; i < last; i++) {                                                                                \
        const int64_t j = by ? by[i] : i;                                                                    \
        c[i] = (sort_pair){key_##bits(o, p[j * s], &found), (uint64_t)j};                                    \
      }                                                                                                      \
    return found;                                                                                            \
  }                                                                                                          \
  static void store_##bits(const order *o, const sort_row *row, T *p, int form, int64_t i, int64_t last) {   \
    const uint32_t *a = (const uint32_t *)row->a;                                                            \
    const uint64_t *b = (const uint64_t *)row->a;                                                            \
    const int64_t s = row->stride;                                                                           \
    if (form == SORT_U32)                                                                                    \
      for (; i < last; i++) p[i * s] = unkey_##bits(o, (T)a[i]);                                             \
    else if (form == SORT_ALONE64)                                                                           \
      for (; i < last; i++) p[i * s] = unkey_##bits(o, (T)b[i]);                                             \
    else                                                                                                     \
      for (; i < last; i++) p[i * s] = unkey_##bits(o, (T)(b[i] >> 32));                                     \
  }

KEYS(uint8_t, 8)
KEYS(uint16_t, 16)
KEYS(uint32_t, 32)
KEYS(uint64_t, 64)

int sort_load(sort_row *row, const sort_key *key, const char *p, int form, const uint32_t *payload,
              const uint32_t *by, int64_t first, int64_t last) {
  const order o = order_of(key);
  switch (key->log_width) {
  case 0: return load_8(&o, row, (const uint8_t *)p, form, payload, by, first, last);
  case 1: return load_16(&o, row, (const uint16_t *)p, form, payload, by, first, last);
  case 2: return load_32(&o, row, (const uint32_t *)p, form, payload, by, first, last);
  }
  return load_64(&o, row, (const uint64_t *)p, form, payload, by, first, last);
}

void sort_store(sort_row *row, const sort_key *key, char *p, int form, int64_t first, int64_t last) {
  const order o = order_of(key);
  switch (key->log_width) {
  case 0: store_8(&o, row, (uint8_t *)p, form, first, last); return;
  case 1: store_16(&o, row, (uint16_t *)p, form, first, last); return;
  case 2: store_32(&o, row, (uint32_t *)p, form, first, last); return;
  }
  store_64(&o, row, (uint64_t *)p, form, first, last);
}
