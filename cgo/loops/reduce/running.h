// running.h: running sums, products and extremes along a dimension.
#ifndef HALO_RUNNING_H
#define HALO_RUNNING_H

#include "plain.h"

// halo_running_ops takes n elements, step apart (1 or -1), after those of the accumulator carry, and writes each
// result; or rows of m elements that are step apart, after m accumulators.
typedef struct {
  void (*line)(const void *x, void *out, int64_t n, int64_t step, void *carry);
  void (*rows)(const void *x, void *out, int64_t n, int64_t step, int64_t m, void *carry);
} halo_running_ops;

typedef halo_running_ops halo_running_table[PLAIN_OPS][PLAIN_TYPES];
extern const halo_running_table halo_running_base, halo_running_avx2, halo_running_avx512;
const halo_running_ops *halo_running_find(int32_t level, int32_t op, int32_t type);

// HALO_RUNNING_STRIP is how many accumulators of a strip a task has room for.
enum { HALO_RUNNING_STRIP = 2048 };

// halo_running is a record: arrays are outer by n by inner. A task is grain outer places, or a strip of the inner ones
// and a chunk of the n. More chunks than one begin with what the chunks before amount to: their accumulators are in
// scratch.
typedef struct {
  halo_record head;
  const halo_plain_ops *ops;
  const halo_running_ops *running;
  halo_ref x, init, out, scratch;
  int64_t outer, n, inner, reverse;
  int64_t grain, strips, strip, chunks, chunk, pad;
} halo_running;

void halo_running_record(const halo_record *, halo_run *);

#endif
