// ops.h: the loops of reductions by one op.
#ifndef HALO_OPS_H
#define HALO_OPS_H

#include <stdint.h>

// halo_plain_ops is one op on one type. Accumulators are of a type of their own: F64 for sums of floats, keys in the
// order of the floats for the greatest and the least.
typedef struct {
  int32_t x_bytes, acc_bytes, out_bytes, pad;
  void (*start)(void *acc, int64_t n);                       // makes accumulators of nothing
  void (*row)(const void *x, int64_t n, void *acc);          // takes n elements into one accumulator
  void (*rows)(const void *x, int64_t n, int64_t count, void *acc); // n elements, side by side, into each of count
  // cols takes rows that are stride elements apart into n accumulators, an element each.
  void (*cols)(const void *x, int64_t stride, int64_t rows, int64_t n, void *acc);
  void (*merge)(void *acc, const void *other, int64_t n);
  void (*finish)(const void *acc, const void *init, void *out, int64_t n, int32_t bits); // bits: of narrow integers
  void (*gather)(void *acc, int64_t each, int64_t n); // makes of each so many accumulators one, so that n are left
  // four takes n elements of each of four rows, which are s elements apart, into accumulators that are each so many
  // apart; null: rows are not taken so. n is HALO_FOUR_LEAST at least.
  void (*four)(const void *x, int64_t s, int64_t n, void *acc, int64_t each);
} halo_plain_ops;

// HALO_FAR_BYTES is how much it must be that rows are read far from one another, as many streams of memory.
enum { HALO_FAR_BYTES = 1 << 19, HALO_FOUR_LEAST = 256 };

// halo_plain_cols takes rows into n accumulators as cols does. Where rows lie one behind the other and have few
// elements, several are one wide row first.
static inline void halo_plain_cols(const halo_plain_ops *o, const char *x, int64_t stride, int64_t rows, int64_t n,
                                   char *acc) {
  _Alignas(64) char wide[256 * 8];
  int64_t fold = 1, done = 0;
  if (stride == n && n < 64 && rows >= 64) {
    while (fold * n < 128)
      fold *= 2;
    done = rows / fold * fold;
    o->start(wide, fold * n);
    o->cols(x, fold * n, rows / fold, fold * n, wide);
    for (int64_t half = fold / 2; half > 0; half /= 2)
      o->merge(wide, wide + half * n * o->acc_bytes, half * n);
    o->merge(acc, wide, n);
  }
  o->cols(x + done * n * o->x_bytes, stride, rows - done, n, acc);
}

#endif
