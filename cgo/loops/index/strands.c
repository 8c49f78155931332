//go:build linux
// strands.c: see strands.h.
#pragma GCC optimize("O3")
#include "level.h"
#include "strands.h"

enum { STRAND_BLOCK = INDEX_BLOCK / STRANDS };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// first returns the first index vector from number i on that has another place than the one before, or -1 if it is far.
static int64_t first(const index_plan *p, const halo_run *run, int64_t i) {
  int64_t at[STRAND_BLOCK];
  const int64_t n = least(STRAND_BLOCK, p->count - i + 1);
  halo_index_places(p, run, i - 1, n, 0, NULL, at);
  for (int64_t k = 1; k < n; k++)
    if (at[k] != at[k - 1]) return i + k - 1;
  return -1;
}

// are_apart looks at a block of each strand in turn, so that strands of places in no order are known soon.
static int are_apart(const index_plan *p, const halo_run *run, int64_t bytes, const index_strand *x, int64_t n) {
  const index_level *level = halo_index_level(p->isa);
  index_span spans[MOST_STRANDS];
  for (int64_t k = 0; k < n; k++) spans[k] = (index_span){INT64_MAX, -1};
  for (int64_t done = 0, more = 1; more && !*run->cancel; done += INDEX_BLOCK) {
    more = 0;
    int64_t high = -1;
    for (int64_t k = 0; k < n; k++) {
      int64_t at[INDEX_BLOCK];
      const int64_t from = x[k].at + done, m = least(INDEX_BLOCK, x[k].end - from);
      if (m > 0) halo_index_places(p, run, from, m, 0, NULL, at), level->widen(&spans[k], at, m), more = 1;
      if (high >= 0 && spans[k].low < high + bytes) return 0;
      if (spans[k].high >= 0) high = spans[k].high;
    }
  }
  return 1;
}

int halo_index_strands(const index_plan *p, const halo_run *run, int64_t bytes, index_strand *x, int64_t n) {
  if (p->count < 2 * n * STRAND_BLOCK) return 0;
  x[0].at = 0, x[n - 1].end = p->count;
  for (int64_t k = 1; k < n; k++) {
    const int64_t i = first(p, run, k * (p->count / n));
    if (i < 0) return 0;
    x[k].at = x[k - 1].end = i;
  }
  return are_apart(p, run, bytes, x, n);
}

int64_t halo_index_side_by_side(const index_plan *p, const halo_run *run, index_strand *x, index_places *places) {
  int64_t windowed[STRANDS][STRAND_BLOCK], operand[STRANDS][STRAND_BLOCK], n[STRANDS], m = 0;
  for (int k = 0; k < STRANDS; k++) {
    n[k] = least(STRAND_BLOCK, x[k].end - x[k].at);
    halo_index_places(p, run, x[k].at, n[k], 0, windowed[k], operand[k]);
    x[k].at += n[k];
  }
  for (int64_t i = 0; i < STRAND_BLOCK; i++)
    for (int k = 0; k < STRANDS; k++)
      if (i < n[k]) places->windowed[m] = windowed[k][i], places->operand[m++] = operand[k][i];
  return m;
}
