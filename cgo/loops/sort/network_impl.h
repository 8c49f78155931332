// network_impl.h: Batcher's merges of odd and even places, for one ISA level, which the including file names NETWORK.
#include "network.h"

// EXCHANGE puts the lesser of two places' lanes first. Unrolled, lanes were numbers.
#define EXCHANGE(T, ROWS)                                                                                    \
  static inline void exchange_##T(T *restrict x, T *restrict y) {                                            \
    _Pragma("GCC unroll 1") for (int r = 0; r < ROWS; r++) {                                                 \
      const T a = x[r], b = y[r];                                                                            \
      x[r] = a < b ? a : b;                                                                                  \
      y[r] = a < b ? b : a;                                                                                  \
    }                                                                                                        \
  }

// Runs of p places in order become such of 2p: places step apart, of the same two runs, are exchanged.
#define SORT_ROWS(NAME, T, ROWS)                                                                             \
  EXCHANGE(T, ROWS)                                                                                          \
  static void NAME(T *lanes, int64_t n) {                                                                    \
    for (int64_t p = 1; p < n; p *= 2)                                                                       \
      for (int64_t step = p; step >= 1; step /= 2)                                                           \
        for (int64_t j = step % p; j + step < n; j += 2 * step)                                              \
          for (int64_t i = j; i < j + step && i + step < n; i++)                                             \
            if ((i ^ (i + step)) < 2 * p) exchange_##T(lanes + i * ROWS, lanes + (i + step) * ROWS);         \
  }

SORT_ROWS(rows32, uint32_t, NETWORK_ROWS32)
SORT_ROWS(rows64, int64_t, NETWORK_ROWS64)

const network NETWORK = {rows32, rows64};
