// plain.h: reductions by one op.
#ifndef HALO_PLAIN_H
#define HALO_PLAIN_H

#include "../run/record.h"
#include <string.h>

#include "axes.h"
#include "choose.h"
#include "ops.h"
#include "window.h"

enum { PLAIN_ADD, PLAIN_MULTIPLY, PLAIN_MINIMUM, PLAIN_MAXIMUM, PLAIN_AND, PLAIN_OR, PLAIN_XOR, PLAIN_OPS };
enum {
  PLAIN_S8, PLAIN_S16, PLAIN_S32, PLAIN_S64, PLAIN_U8, PLAIN_U16, PLAIN_U32, PLAIN_U64,
  PLAIN_F32, PLAIN_F64, PLAIN_BF16, PLAIN_F16, PLAIN_TYPES
};

typedef halo_plain_ops halo_plain_table[PLAIN_OPS][PLAIN_TYPES];
extern const halo_plain_table halo_plain_base, halo_plain_avx2, halo_plain_avx512;

// halo_pool_table is the loops over windows; choosers by relation: GE, GT, LE, LT.
typedef struct {
  halo_pool pool[PLAIN_OPS][PLAIN_TYPES];
  halo_chooser choose[PLAIN_TYPES][4];
  halo_side_chooser side[PLAIN_TYPES][4];
  halo_adder add[PLAIN_TYPES];
} halo_pool_table;

extern const halo_pool_table halo_pool_base, halo_pool_avx2, halo_pool_avx512;
const halo_pool_table *halo_pool_find(int32_t level);

// HALO_STRIP is how many accumulators of a strip a task has room for.
enum { HALO_STRIP = 4096 };

// halo_plain is a record. A task is grain kept places, or a strip of one's results, and one of the chunks of what goes
// into them: chunk rows, or elements where there is one row. More chunks than one leave accumulators in scratch, which
// are merged in pairs. In the end each accumulators side by side become one result. Axes follow, kept and reduced.
typedef struct {
  halo_record head;
  const halo_plain_ops *ops;
  halo_ref x, init, out, scratch;
  int64_t kept, reduced, run, run_reduced, bits;
  int64_t grain, strips, strip, chunks, chunk;
  int64_t each;
  halo_axis axes[];
} halo_plain;

void halo_plain_record(const halo_record *, halo_run *);
const halo_plain_ops *halo_plain_find(int32_t level, int32_t op, int32_t type);

#endif
