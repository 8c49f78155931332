//go:build linux
#include "move.h"

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
  int bypass; // the loop's stores go past the caches
  char *dst;
  const char *src;
} move_job;

static void task(void *arg, int64_t i) {
  const move_job *job = arg;
  move_part(job->loop, job->dst, job->src, job->axes, job->box->axes, i);
  halo_drain(job->bypass);
}

move_loop halo_move_loop(int64_t isa, int64_t kind, int64_t log_width, int64_t stream) {
  return (stream ? tables[isa]->stream : tables[isa]->loop)[kind][log_width];
}

static int64_t index_at(const void *p, int64_t type) {
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

static inline int64_t offset(const move_index *x, halo_run *run) {
  const void *p = HALO_AT(run, x->ref);
  int64_t i = __builtin_expect(x->type == (2 | MOVE_SIGNED), 1) ? *(const int32_t *)p : index_at(p, x->type);
  i = i > x->limit ? x->limit : i;
  return (i < 0 ? 0 : i) * x->stride;
}

// streams reports whether every row of a destination begins where a level's loops past the caches want it to: with a
// cache line, most often.
static int streams(int64_t isa, const move_job *job) {
  uintptr_t bits = (uintptr_t)job->dst;
  if (job->box->kind == MOVE_PLANE && tables[isa]->skews) return 1;
  for (int64_t k = 0; k + 1 < job->box->axes; k++) bits |= (uintptr_t)job->axes[k].dst;
  return (bits & 63) == 0;
}

// job_of finds where a box moves from and to.
static move_job job_of(int64_t isa, const move_box *box, halo_run *run) {
  move_job job = {.box = box, .axes = (const move_axis *)(box + 1)};
  job.dst = HALO_AT(run, box->dst), job.src = HALO_AT(run, box->src);
  const move_index *x = (const move_index *)(job.axes + box->axes);
  for (int64_t k = 0; k < box->indices; k++) {
    if (x[k].in_src) job.src += offset(&x[k], run);
    else job.dst += offset(&x[k], run);
  }
  job.bypass = box->stream && streams(isa, &job);
  job.loop = halo_move_loop(isa, box->kind, box->log_width, job.bypass);
  return job;
}

static void move(int64_t isa, const move_box *box, halo_run *run) {
  if (box->in_place && HALO_AT(run, box->dst) == HALO_AT(run, box->src)) return;
  move_job job = job_of(isa, box, run);
  if (box->tasks > 1) {
    run->parallel(run, box->tasks, task, &job);
  } else if (box->tasks == 1) {
    move_count(job.loop, job.dst, job.src, job.axes, box->axes);
    halo_drain(job.bypass);
  }
}

static const char *behind(const move_box *box) {
  return (const char *)(box + 1) + box->axes * sizeof(move_axis) + box->indices * sizeof(move_index);
}

typedef struct {
  const move_job *jobs;
  int64_t n;
  move_turns turns;
} move_jobs;

static void tasks_of(void *arg, int64_t i) {
  const move_jobs *all = arg;
  for (int64_t k = 0; k < all->n; k++)
    if (i < all->jobs[k].box->tasks) task((void *)&all->jobs[k], i);
}

enum { TURNS = 4, TURN_AXES = 4 };

// in_turn reports whether boxes are the elements of some arrays in turn.
static int in_turn(const move_jobs *all) {
  const move_job *first = all->jobs;
  const int64_t rank = first->box->axes, width = (int64_t)1 << first->box->log_width;
  if (all->n < 2 || all->n > TURNS || rank > TURN_AXES) return 0;
  for (int64_t k = 0; k < all->n; k++) {
    const move_job *job = first + k;
    if (job->box->kind != MOVE_LINE || job->box->axes != rank || job->box->log_width != first->box->log_width ||
        job->dst != first->dst + k * width || job->axes[rank - 1].dst != all->n * width)
      return 0;
    for (int64_t d = 0; d < rank; d++)
      if (job->axes[d].n != first->axes[d].n || job->axes[d].dst != first->axes[d].dst ||
          job->axes[d].part != first->axes[d].part)
        return 0;
  }
  return 1;
}

// turns does a part of boxes whose elements are in turn: row by row of the innermost axis.
static void turns(void *arg, int64_t i) {
  const move_jobs *all = arg;
  const int64_t last = all->jobs->box->axes - 1;
  move_axis axes[TURNS][TURN_AXES];
  const char *src[TURNS];
  int64_t step[TURNS], index[TURN_AXES] = {0}, rows = 1, by = 0, from = 0;
  for (int64_t k = 0; k < all->n; k++) {
    move_place(axes[k], &by, &from, all->jobs[k].axes, last + 1, i);
    src[k] = all->jobs[k].src + from, step[k] = axes[k][last].src;
  }
  char *dst = all->jobs->dst + by;
  for (int64_t d = 0; d < last; d++) rows *= axes[0][d].n;
  for (; rows > 0; rows--) {
    all->turns(dst, src, step, axes[0][last].n, all->n);
    for (int64_t d = last - 1; d >= 0; d--) {
      const int64_t back = ++index[d] < axes[0][d].n ? 1 : 1 - axes[0][d].n;
      dst += back * axes[0][d].dst;
      for (int64_t k = 0; k < all->n; k++) src[k] += back * axes[k][d].src;
      if (back == 1) break;
      index[d] = 0;
    }
  }
}

// together moves the boxes from at on in as many tasks as the one with the most has.
static void together(const halo_move_record *r, const char *at, halo_run *run) {
  move_job jobs[r->boxes];
  int64_t most = 0;
  for (int64_t k = 0; k < r->boxes; k++) {
    const move_box *box = (const move_box *)at;
    jobs[k] = job_of(r->isa, box, run);
    most = box->tasks > most ? box->tasks : most;
    at = behind(box);
  }
  move_jobs all = {jobs, r->boxes, tables[r->isa]->turns[jobs->box->log_width]};
  const halo_task each = in_turn(&all) ? turns : tasks_of;
  if (most == 1) each(&all, 0);
  else if (most > 1) run->parallel(run, most, each, &all);
}

void halo_move(const halo_record *record, halo_run *run) {
  const halo_move_record *r = (const halo_move_record *)record;
  const char *at = (const char *)(r + 1);
  if (r->together) {
    together(r, at, run);
    return;
  }
  for (int64_t k = 0; k < r->boxes && !*run->cancel; k++) {
    const move_box *box = (const move_box *)at;
    move(r->isa, box, run);
    at = behind(box);
  }
}

void halo_view(const halo_record *record, halo_run *run) {
  const halo_view_record *r = (const halo_view_record *)record;
  const move_index *x = (const move_index *)(r + 1);
  char *src = HALO_AT(run, r->src);
  for (int64_t k = 0; k < r->indices; k++) src += offset(&x[k], run);
  ((char **)run->base)[r->slot] = src;
}
