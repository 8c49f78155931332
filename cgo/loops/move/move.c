//go:build linux
#include "move.h"

enum { MAX_AXES = 64 };

// In the order of run.ISA.
static const move_table *const tables[] = {
#if defined(__x86_64__)
    &halo_move_base, &halo_move_avx2, &halo_move_avx512, &halo_move_base,
#else
    &halo_move_base, &halo_move_base, &halo_move_base, &halo_move_base,
#endif
};

typedef struct {
  const move_box *box;
  const move_axis *axes;
  move_loop loop;
  char *dst;
  const char *src;
} move_job;

// count goes through the outer axes and calls the loop for the last two.
static void count(move_loop loop, char *d, const char *s, const move_axis *axes, int64_t rank) {
  const int64_t outer = rank - 2;
  int64_t index[MAX_AXES] = {0}, k;
  do {
    loop(d, s, &axes[outer], &axes[outer + 1]);
    for (k = outer - 1; k >= 0; k--) {
      d += axes[k].dst, s += axes[k].src;
      if (++index[k] < axes[k].n) break;
      d -= axes[k].n * axes[k].dst, s -= axes[k].n * axes[k].src;
      index[k] = 0;
    }
  } while (k >= 0);
}

// task moves part i of a box.
static void task(void *arg, int64_t i) {
  const move_job *job = arg;
  const int64_t rank = job->box->axes;
  move_axis axes[MAX_AXES];
  char *d = job->dst;
  const char *s = job->src;
  for (int64_t k = rank - 1; k >= 0; k--) {
    move_axis a = job->axes[k];
    const int64_t parts = (a.n + a.part - 1) / a.part, first = i % parts * a.part;
    i /= parts;
    d += first * a.dst, s += first * a.src;
    a.n = a.n - first < a.part ? a.n - first : a.part;
    axes[k] = a;
  }
  count(job->loop, d, s, axes, rank);
}

int64_t halo_move_index(const void *p, int64_t type) {
  switch (type) {
  case 0: return *(const uint8_t *)p;
  case 1: return *(const uint16_t *)p;
  case 2: return *(const uint32_t *)p;
  case 3: return *(const uint64_t *)p > INT64_MAX ? INT64_MAX : (int64_t)*(const uint64_t *)p;
  case 0 | MOVE_SIGNED: return *(const int8_t *)p;
  case 1 | MOVE_SIGNED: return *(const int16_t *)p;
  case 2 | MOVE_SIGNED: return *(const int32_t *)p;
  }
  return *(const int64_t *)p;
}

static int64_t offset(const move_index *x, halo_run *run) {
  int64_t i = halo_move_index(HALO_AT(run, x->ref), x->type);
  i = i > x->limit ? x->limit : i;
  return (i < 0 ? 0 : i) * x->stride;
}

// streams reports whether every row of a destination begins a cache line.
static int streams(const move_job *job) {
  uintptr_t bits = (uintptr_t)job->dst;
  for (int64_t k = 0; k + 1 < job->box->axes; k++) bits |= (uintptr_t)job->axes[k].dst;
  return job->box->stream && (bits & 63) == 0;
}

static void move(const move_table *table, const move_box *box, halo_run *run) {
  move_job job = {.box = box, .axes = (const move_axis *)(box + 1)};
  job.dst = HALO_AT(run, box->dst), job.src = HALO_AT(run, box->src);
  if (box->in_place && job.dst == job.src) return;
  const move_index *x = (const move_index *)(job.axes + box->axes);
  for (int64_t k = 0; k < box->indices; k++) {
    if (x[k].in_src) job.src += offset(&x[k], run);
    else job.dst += offset(&x[k], run);
  }
  job.loop = (streams(&job) ? table->stream : table->loop)[box->kind][box->log_width];
  if (box->tasks == 1) count(job.loop, job.dst, job.src, job.axes, box->axes);
  else if (box->tasks > 1) run->parallel(run, box->tasks, task, &job);
}

void halo_move(const halo_record *record, halo_run *run) {
  const halo_move_record *r = (const halo_move_record *)record;
  const char *at = (const char *)(r + 1);
  for (int64_t k = 0; k < r->boxes && !*run->cancel; k++) {
    const move_box *box = (const move_box *)at;
    move(tables[r->isa], box, run);
    at += sizeof *box + box->axes * sizeof(move_axis) + box->indices * sizeof(move_index);
  }
}
