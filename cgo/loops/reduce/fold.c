//go:build linux

#include "fold.h"

#define FOLD_AT(f, offset) ((const void *)((const char *)(f) + (offset)))

// worker is what one task has: registers of the three programs and room for streams.
typedef struct {
  const halo_fold *f;
  halo_run *run;
  const halo_program *program[3];
  halo_reg *regs[3];
  halo_reg stack[3][HALO_STACK_REGISTERS];
  halo_stream streams[];
} worker;

typedef struct {
  const halo_fold *f;
  halo_run *run;
} fold_task;

// apply runs program k for n rounds on the worker's streams.
static void apply(worker *w, int k, int64_t n) {
  w->program[k]->run(w->program[k], w->regs[k], w->streams, n, w->run->cancel);
}

// place reduces into results first to first+n-1 of kept place k.
static void place(worker *w, int64_t k, int64_t first, int64_t n) {
  const halo_fold *f = w->f;
  const halo_axis *kept = FOLD_AT(f, f->axes), *reduced = kept + f->kept;
  const halo_fold_operand *o = FOLD_AT(f, f->list);
  halo_stream *s = w->streams;
  int64_t count = f->operands, width = f->run_reduced ? 1 : f->run, to = k * width + first;
  int64_t from = halo_place(kept, f->kept, k) + first, rows = halo_places(reduced, f->reduced);
  for (int64_t i = 0; i < count; i++) {
    s[i] = (halo_stream){HALO_AT(w->run, o[i].init), 0};
    s[count + i] = (halo_stream){(char *)HALO_AT(w->run, o[i].acc) + to * o[i].acc_bytes, o[i].acc_bytes};
  }
  apply(w, 0, n);
  int64_t rounds = f->run_reduced ? f->run : n;
  for (int64_t row = 0; row < rows && rounds > 0 && *w->run->cancel == 0; row++) {
    int64_t at = from + halo_place(reduced, f->reduced, row);
    for (int64_t i = 0; i < count; i++) {
      char *acc = (char *)HALO_AT(w->run, o[i].acc) + to * o[i].acc_bytes;
      s[i] = s[2 * count + i] = (halo_stream){acc, f->run_reduced ? 0 : o[i].acc_bytes};
      s[count + i] = (halo_stream){(char *)HALO_AT(w->run, o[i].x) + at * o[i].x_bytes, o[i].x_bytes};
    }
    apply(w, 1, rounds);
  }
  if (!f->finish)
    return;
  for (int64_t i = 0; i < count; i++) {
    s[i] = (halo_stream){(char *)HALO_AT(w->run, o[i].acc) + to * o[i].acc_bytes, o[i].acc_bytes};
    s[count + i] = (halo_stream){(char *)HALO_AT(w->run, o[i].out) + to * o[i].out_bytes, o[i].out_bytes};
  }
  apply(w, 2, n);
}

static void places(worker *w, int64_t task) {
  const halo_fold *f = w->f;
  int64_t width = f->run_reduced ? 1 : f->run, kept = halo_places(FOLD_AT(f, f->axes), f->kept);
  if (f->strip) {
    int64_t strips = (width + f->strip - 1) / f->strip, first = task % strips * f->strip;
    place(w, task / strips, first, width - first < f->strip ? width - first : f->strip);
    return;
  }
  for (int64_t k = task * f->places; k < (task + 1) * f->places && k < kept && *w->run->cancel == 0; k++)
    place(w, k, 0, width);
}

static void task(void *arg, int64_t i) {
  const fold_task *t = arg;
  const halo_fold *f = t->f;
  worker *w = malloc(sizeof(worker) + sizeof(halo_stream) * 3 * (size_t)f->operands);
  if (!w) {
    halo_fail(t->run, "out of memory for a reduction");
    return;
  }
  w->f = f, w->run = t->run;
  int64_t offsets[3] = {f->start, f->step, f->finish};
  int ready = 1;
  for (int k = 0; k < 3; k++) {
    w->program[k] = FOLD_AT(f, offsets[k]);
    w->regs[k] = offsets[k] ? halo_registers(w->program[k], w->stack[k]) : w->stack[k];
    ready &= w->regs[k] != NULL;
  }
  if (ready)
    places(w, i);
  else
    halo_fail(t->run, "out of memory for the registers of a reduction");
  for (int k = 0; k < 3; k++)
    if (w->regs[k])
      halo_registers_free(w->regs[k], w->stack[k]);
  free(w);
}

void halo_fold_record(const halo_record *r, halo_run *run) {
  fold_task t = {(const halo_fold *)r, run};
  if (t.f->tasks == 1)
    task(&t, 0);
  else if (t.f->tasks > 1)
    run->parallel(run, t.f->tasks, task, &t);
}
