//go:build linux
#pragma GCC optimize("O3")
#include "blend.h"

#include "level.h"

typedef struct {
  const index_blend *b;
  halo_run *run;
} blending;

// Where a row is: its number along each axis, and what belongs to it.
typedef struct {
  int64_t at[BLEND_AXES];
  char *dst;
  const char *src;
  const index_tap *taps;
} blend_place;

static const index_blend_axis *axes_of(const index_blend *b) { return (const index_blend_axis *)(b + 1); }

static void move_by(blend_place *p, const index_blend *b, int64_t d, int64_t n) {
  const index_blend_axis *a = axes_of(b) + d;
  p->at[d] += n, p->dst += n * a->dst, p->src += n * a->src, p->taps += n * a->taps * b->count;
}

static blend_place place_of(const blending *x, int64_t row) {
  const index_blend *b = x->b;
  blend_place p = {{0}, HALO_AT(x->run, b->dst), HALO_AT(x->run, b->src), HALO_AT(x->run, b->taps)};
  for (int64_t d = b->axes - 1; d >= 0; row /= axes_of(b)[d--].n) move_by(&p, b, d, row % axes_of(b)[d].n);
  return p;
}

static void next_place(blend_place *p, const index_blend *b) {
  int64_t d = b->axes - 1;
  for (; d > 0 && p->at[d] + 1 == axes_of(b)[d].n; d--) move_by(p, b, d, -p->at[d]);
  if (d >= 0) move_by(p, b, d, 1);
}

static void blend_task(void *arg, int64_t i) {
  const blending *x = arg;
  const index_blend *b = x->b;
  const int64_t end = (i + 1) * b->part < b->rows ? (i + 1) * b->part : b->rows;
  const index_level *level = halo_index_level(b->isa);
  const __typeof__(level->blend) blend = b->lanes ? level->lanes : level->blend;
  blend_place p = place_of(x, i * b->part);
  int spoiled = 0;
  for (int64_t k = i * b->part; k < end && !*x->run->cancel; k++, next_place(&p, b))
    spoiled |= blend((float *)p.dst, p.src, b->row, p.taps, b->count);
  if (spoiled) __atomic_store_n((uint8_t *)HALO_AT(x->run, b->spoiled), 1, __ATOMIC_RELAXED);
}

void halo_blend(const halo_record *head, halo_run *run) {
  const index_blend *b = (const index_blend *)head;
  blending x = {b, run};
  const int64_t tasks = (b->rows + b->part - 1) / b->part;
  *(uint8_t *)HALO_AT(run, b->spoiled) = 0;
  if (tasks > 1) run->parallel(run, tasks, blend_task, &x);
  else if (tasks == 1) blend_task(&x, 0);
}
