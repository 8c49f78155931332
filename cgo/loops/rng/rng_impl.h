// The loops of one ISA level. The including file sets LEVEL, the table's name, LANES, the 32-bit words of a vector, and
// MUL(a, b), which multiplies the low halves of 64-bit words.
#include <string.h>

#include "rng.h"

#define INLINE static inline __attribute__((always_inline))

typedef uint32_t word __attribute__((vector_size(4 * LANES), may_alias));
typedef uint64_t wide __attribute__((vector_size(4 * LANES), may_alias));
typedef uint32_t loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

// zips of the lower and the upper halves of two vectors
#if LANES == 4
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#elif LANES == 8
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#endif

// counters are the low and the high words of LANES counters from c on.
INLINE void counters(uint64_t c, word *low, word *high) {
  word k;
  for (int i = 0; i < LANES; i++) k[i] = i;
  *low = k + (uint32_t)c;
  *high = (uint32_t)(c >> 32) - (word)(*low < (uint32_t)c);
}

// ---- ThreeFry

enum { UNROLL = 4 }; // vectors under way at once: a round waits for the one before

#define ROTATE(x, by) ((x) << (by) | (x) >> (32 - (by)))
#define ROUND(by) \
  for (int u = 0; u < UNROLL; u++) x0[u] += x1[u], x1[u] = ROTATE(x1[u], by) ^ x0[u];
#define KEYS(a, b) \
  for (int u = 0; u < UNROLL; u++) x0[u] += (a), x1[u] += (b);

INLINE void fry(word *x0, word *x1, uint64_t key, uint64_t counter) {
  const uint32_t k0 = key, k1 = key >> 32, k2 = 0x1BD11BDA ^ k0 ^ k1;
  for (int u = 0; u < UNROLL; u++) counters(counter + u * LANES, &x0[u], &x1[u]);
  KEYS(k0, k1)
  ROUND(13) ROUND(15) ROUND(26) ROUND(6)
  KEYS(k1, k2 + 1)
  ROUND(17) ROUND(29) ROUND(16) ROUND(24)
  KEYS(k2, k0 + 2)
  ROUND(13) ROUND(15) ROUND(26) ROUND(6)
  KEYS(k0, k1 + 3)
  ROUND(17) ROUND(29) ROUND(16) ROUND(24)
  KEYS(k1, k2 + 4)
  ROUND(13) ROUND(15) ROUND(26) ROUND(6)
  KEYS(k2, k0 + 5)
}

enum { STEP = UNROLL * LANES };

static void rows(uint32_t *p0, uint32_t *p1, int64_t n, uint64_t key, uint64_t counter) {
  word x0[UNROLL], x1[UNROLL];
  for (int64_t i = 0; i < n; i += STEP) {
    fry(x0, x1, key, counter + i);
    const int64_t some = n - i < STEP ? n - i : STEP;
    memcpy(p0 + i, x0, 4 * some);
    memcpy(p1 + i, x1, 4 * some);
  }
}

static void pairs(uint32_t *p, int64_t n, uint64_t key, uint64_t counter) {
  word x0[UNROLL], x1[UNROLL], z[2 * UNROLL];
  for (int64_t i = 0; i < n; i += STEP) {
    fry(x0, x1, key, counter + i);
    for (int u = 0; u < UNROLL; u++) z[2 * u] = LOW(x0[u], x1[u]), z[2 * u + 1] = HIGH(x0[u], x1[u]);
    memcpy(p + 2 * i, z, 8 * (n - i < STEP ? n - i : STEP));
  }
}

// ---- Philox

// product is the low and the high words of x times by.
INLINE void product(word x, uint32_t by, word *low, word *high) {
  const wide m = (wide){0} + by;
  const wide even = MUL((wide)x, m), odd = MUL((wide)x >> 32, m);
  const wide mask = (wide){0} + 0xFFFFFFFFu;
  *low = (word)((even & mask) | odd << 32);
  *high = (word)(even >> 32 | (odd & ~mask));
}

static void philox(uint32_t *p, int64_t n, uint64_t key, uint64_t low, uint64_t high) {
  for (int64_t i = 0; i < n; i += LANES) {
    word c0, c1, c2 = (word){0} + (uint32_t)high, c3 = (word){0} + (uint32_t)(high >> 32);
    counters(low + i, &c0, &c1);
    uint32_t k0 = key, k1 = key >> 32;
    for (int r = 0; r < 10; r++) {
      word al, ah, bl, bh;
      product(c0, 0xD2511F53, &al, &ah);
      product(c2, 0xCD9E8D57, &bl, &bh);
      c0 = bh ^ c1 ^ k0, c1 = bl, c2 = ah ^ c3 ^ k1, c3 = al;
      k0 += 0x9E3779B9, k1 += 0xBB67AE85;
    }
    const word a = LOW(c0, c2), b = LOW(c1, c3), c = HIGH(c0, c2), d = HIGH(c1, c3);
    const word z[4] = {LOW(a, b), HIGH(a, b), LOW(c, d), HIGH(c, d)};
    memcpy(p + 4 * i, z, 16 * (n - i < LANES ? n - i : LANES));
  }
}

const rng_table LEVEL = {rows, pairs, philox};
