//go:build linux

#include "window.h"

#define WINDOW_AT(w, offset) ((const void *)((const char *)(w) + (offset)))

int64_t halo_window_row(const halo_window_plan *p, int64_t row, int64_t *taps, int64_t *out) {
  const halo_place_axis *axes = HALO_PLAN_AT(p, axes_at);
  const halo_taps *places = HALO_PLAN_AT(p, places_at);
  int64_t count = 1, to = 0;
  taps[0] = 0;
  for (int64_t d = p->axes - 1; d >= 0; d--) { // the slowest axis last, so that its taps come first
    const halo_place_axis *a = axes + d;
    int64_t i = row % a->n;
    halo_taps t = places[a->places + i];
    row /= a->n;
    to += i * a->stride;
    for (int64_t k = t.n - 1; k >= 0; k--)
      for (int64_t j = 0; j < count; j++)
        taps[k * count + j] = taps[j] + t.at + k * t.step;
    count *= t.n;
  }
  *out = to;
  return count;
}

typedef struct {
  const halo_window *w;
  halo_run *run;
} window_task;

// worker is what one task has.
typedef struct {
  const halo_window *w;
  halo_run *run;
  const halo_window_plan *plan;
  int64_t *taps, count, row_out;
  const halo_program *program[3];
  halo_reg *regs[3];
  halo_stream *streams;
  halo_reg stack[3][HALO_STACK_REGISTERS];
} worker;

static void apply(worker *k, int which, int64_t n) {
  k->program[which]->run(k->program[which], k->regs[which], k->streams, n, k->run->cancel);
}

static char *place_of(const worker *k, halo_ref ref, int64_t at, int64_t bytes) {
  return (char *)HALO_AT(k->run, ref) + at * bytes;
}

// rounds runs the step program n times: accumulators begin at to and elements at from.
static void rounds(worker *k, int64_t n, int64_t to, int64_t to_stride, int64_t from, int64_t from_stride) {
  const halo_window_operand *o = WINDOW_AT(k->w, k->w->list);
  int64_t count = k->w->operands;
  for (int64_t i = 0; i < count; i++) {
    halo_stream acc = {place_of(k, o[i].acc, to, o[i].acc_bytes), to_stride * o[i].acc_bytes};
    k->streams[i] = k->streams[2 * count + i] = acc;
    k->streams[count + i] = (halo_stream){place_of(k, o[i].x, from, o[i].x_bytes), from_stride * o[i].x_bytes};
  }
  apply(k, 1, n);
}

// by_program reduces the places of a segment: taps in turn, each for all places, or places in turn.
static void by_program(worker *k, const halo_line_segment *s) {
  const halo_window_operand *o = WINDOW_AT(k->w, k->w->list);
  int64_t count = k->w->operands, stride = k->plan->line_stride, to = k->row_out + s->out * stride;
  for (int64_t i = 0; i < count; i++) {
    k->streams[i] = (halo_stream){HALO_AT(k->run, o[i].init), 0};
    k->streams[count + i] = (halo_stream){place_of(k, o[i].acc, to, o[i].acc_bytes), stride * o[i].acc_bytes};
  }
  apply(k, 0, s->n);
  if (s->n < s->taps)
    for (int64_t j = 0; j < s->n; j++)
      for (int64_t t = 0; t < k->count && !*k->run->cancel; t++)
        rounds(k, s->taps, to + j * stride, 0, k->taps[t] + s->at + j * s->move, s->step);
  else
    for (int64_t t = 0; t < k->count && !*k->run->cancel; t++)
      for (int64_t i = 0; i < s->taps; i++)
        rounds(k, s->n, to, stride, k->taps[t] + s->at + i * s->step, s->move);
  if (!k->w->finish)
    return;
  for (int64_t i = 0; i < count; i++) {
    k->streams[i] = (halo_stream){place_of(k, o[i].acc, to, o[i].acc_bytes), stride * o[i].acc_bytes};
    k->streams[count + i] = (halo_stream){place_of(k, o[i].out, to, o[i].out_bytes), stride * o[i].out_bytes};
  }
  apply(k, 2, s->n);
}

static void by_pool(worker *k, const halo_line_segment *s) {
  const halo_window_operand *o = WINDOW_AT(k->w, k->w->list);
  int64_t stride = k->plan->line_stride;
  k->w->pool(place_of(k, o->x, s->at, o->x_bytes), HALO_AT(k->run, o->init),
             place_of(k, o->out, k->row_out + s->out * stride, o->out_bytes), k->taps, k->count, s->taps, s->step, s->n,
             s->move, stride, s->width);
}

static void segments(worker *k, int64_t task) {
  const halo_window_plan *p = k->plan;
  const halo_line_segment *line = HALO_PLAN_AT(p, line_at);
  int64_t end = (task + 1) * k->w->grain, all = p->rows * p->segments, last = -1;
  for (int64_t i = task * k->w->grain; i < end && i < all && !*k->run->cancel; i++) {
    int64_t row = i / p->segments;
    if (row != last)
      k->count = halo_window_row(p, row, k->taps, &k->row_out);
    last = row;
    if (k->w->pool)
      by_pool(k, line + i % p->segments);
    else
      by_program(k, line + i % p->segments);
  }
}

static void task(void *arg, int64_t i) {
  const window_task *t = arg;
  const halo_window *w = t->w;
  const halo_window_plan *p = WINDOW_AT(w, w->plan);
  worker *k = calloc(1, w->pool ? offsetof(worker, stack) : sizeof(worker));
  if (k) {
    k->w = w, k->run = t->run, k->plan = p;
    k->taps = malloc(sizeof(int64_t) * (size_t)(p->terms + 1));
    k->streams = malloc(sizeof(halo_stream) * 3 * (size_t)w->operands);
  }
  int64_t offsets[3] = {w->start, w->step, w->finish};
  int ready = k && k->taps && k->streams;
  for (int j = 0; ready && !w->pool && j < 3; j++)
    if (offsets[j]) {
      k->program[j] = WINDOW_AT(w, offsets[j]);
      k->regs[j] = halo_registers(k->program[j], k->stack[j]);
      ready = k->regs[j] != NULL;
    }
  if (ready)
    segments(k, i);
  else
    halo_fail(t->run, "out of memory for a reduction of windows");
  for (int j = 0; k && j < 3; j++)
    if (k->regs[j])
      halo_registers_free(k->regs[j], k->stack[j]);
  if (k) {
    free(k->taps);
    free(k->streams);
  }
  free(k);
}

void halo_window_record(const halo_record *r, halo_run *run) {
  window_task t = {(const halo_window *)r, run};
  if (t.w->tasks == 1)
    task(&t, 0);
  else if (t.w->tasks > 1)
    run->parallel(run, t.w->tasks, task, &t);
}
