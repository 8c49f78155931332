//go:build linux

#include "choose.h"

#include <string.h>

#define CHOOSE_AT(c, offset) ((const void *)((const char *)(c) + (offset)))

typedef struct {
  const halo_choose *c;
  halo_run *run;
} choose_task;

typedef struct {
  const halo_choose *c;
  halo_run *run;
  const halo_window_plan *plan;
  const halo_program *select, *scatter;
  halo_reg *select_regs, *scatter_regs;
  int64_t *taps, *all, count, row_out; // all: the taps of a segment's first place
  int32_t chosen[CHOOSE_PLACES];
  char *x, *source, *out;
  halo_reg stack[2][HALO_STACK_REGISTERS];
} worker;

enum { FILL_BYTES = 2048 }; // that are copied at once, from the first cache

static void fill_task(void *arg, int64_t i) {
  const choose_task *t = arg;
  const halo_choose *c = t->c;
  const halo_program *p = CHOOSE_AT(c, c->start);
  halo_reg stack[HALO_STACK_REGISTERS], *r = halo_registers(p, stack);
  if (!r) {
    halo_fail(t->run, "out of memory for select-and-scatter");
    return;
  }
  int64_t first = i * c->fill, n = c->results - first;
  char *out = (char *)HALO_AT(t->run, c->out) + first * c->out_bytes;
  halo_stream s[2] = {{HALO_AT(t->run, c->init), 0}, {out, 0}};
  p->run(p, r, s, 1, t->run->cancel);
  halo_registers_free(r, stack);
  const int64_t bytes = (n < c->fill ? n : c->fill) * c->out_bytes;
  for (int64_t done = c->out_bytes, piece; done < bytes; done += piece) {
    piece = done < FILL_BYTES ? done : FILL_BYTES;
    piece = piece < bytes - done ? piece : bytes - done;
    memcpy(out + done, out, piece);
  }
}

// by_program chooses with the program: what it has so far where the run is cancelled.
static void by_program(worker *w, const halo_line_segment *s, int64_t first, int64_t n) {
  int64_t size = w->c->x_bytes, all = w->count * s->taps;
  for (int64_t j = 0; j < n; j++) {
    const char *x = w->x + (first + j) * s->move * size;
    int64_t best = 0;
    for (int64_t k = 1; k < all && !*w->run->cancel; k++) {
      uint8_t keep = 0;
      halo_stream streams[3] = {
          {(char *)x + w->all[best] * size, 0}, {(char *)x + w->all[k] * size, 0}, {(char *)&keep, 0}};
      w->select->run(w->select, w->select_regs, streams, 1, w->run->cancel);
      if (!keep)
        best = k;
    }
    w->chosen[j] = (int32_t)best;
  }
}

// combined combines n places of a segment into the results.
static void combined(worker *w, const halo_line_segment *s, int64_t first, int64_t n) {
  const halo_choose *c = w->c;
  int64_t stride = w->plan->line_stride;
  char *out = w->out + first * s->move * c->out_bytes;
  const char *source = w->source + (w->row_out + (s->out + first) * stride) * c->x_bytes;
  if (c->chooser)
    c->chooser(w->x + (s->at + first * s->move) * c->x_bytes, w->taps, w->count, s->taps, s->step, n, s->move,
               w->chosen);
  else
    by_program(w, s, first, n);
  if (c->adder) {
    c->adder(out, w->all, w->chosen, s->move, source, n, stride);
    return;
  }
  for (int64_t j = 0; j < n && !*w->run->cancel; j++) {
    char *to = out + (w->all[w->chosen[j]] + j * s->move) * c->out_bytes;
    halo_stream streams[3] = {{to, 0}, {(char *)source + j * stride * c->x_bytes, 0}, {to, 0}};
    w->scatter->run(w->scatter, w->scatter_regs, streams, 1, w->run->cancel);
  }
}

// side_by_side combines n places that lie side by side, and returns how many of them it has.
static int64_t side_by_side(worker *w, const halo_line_segment *s, int64_t first, int64_t n) {
  const halo_choose *c = w->c;
  if (!c->side)
    return 0;
  return c->side(w->x + first * c->x_bytes, w->out + first * c->out_bytes,
                 w->source + (w->row_out + s->out + first) * c->x_bytes, w->all, w->count, n);
}

static void places(worker *w, const halo_line_segment *s, int64_t first, int64_t n) {
  int64_t done = side_by_side(w, s, first, n);
  if (done < n)
    combined(w, s, first + done, n - done);
}

static void segment(worker *w, const halo_line_segment *s, int64_t strip) {
  int64_t first = 0, end = s->n;
  if (w->c->strips > 1) {
    first = strip * w->c->strip;
    end = first + w->c->strip < end ? first + w->c->strip : end;
  }
  if (w->count * s->taps == 0)
    return;
  for (int64_t t = 0, tap = 0; t < w->count; t++)
    for (int64_t k = 0; k < s->taps; k++)
      w->all[tap++] = w->taps[t] + s->at + k * s->step;
  for (int64_t j = first; j < end && !*w->run->cancel; j += CHOOSE_PLACES)
    places(w, s, j, end - j < CHOOSE_PLACES ? end - j : CHOOSE_PLACES);
}

// most_taps is how many taps of the line a place has at most.
static int64_t most_taps(const halo_window_plan *p) {
  const halo_line_segment *line = HALO_PLAN_AT(p, line_at);
  int64_t most = 0;
  for (int64_t k = 0; k < p->segments; k++)
    most = line[k].taps > most ? line[k].taps : most;
  return most;
}

static void scatter_task(void *arg, int64_t i) {
  const choose_task *t = arg;
  const halo_choose *c = t->c;
  if (c->apart)
    fill_task(arg, i);
  worker *w = calloc(1, sizeof(worker));
  if (w) {
    w->c = c, w->run = t->run, w->plan = CHOOSE_AT(c, c->plan);
    w->select = CHOOSE_AT(c, c->select), w->scatter = CHOOSE_AT(c, c->scatter);
    w->x = HALO_AT(t->run, c->operand), w->source = HALO_AT(t->run, c->source), w->out = HALO_AT(t->run, c->out);
    w->taps = malloc(sizeof(int64_t) * (size_t)(w->plan->terms + 1));
    w->all = malloc(sizeof(int64_t) * (size_t)(w->plan->terms * most_taps(w->plan) + 1));
    w->select_regs = halo_registers(w->select, w->stack[0]);
    w->scatter_regs = halo_registers(w->scatter, w->stack[1]);
  }
  if (!w || !w->taps || !w->all || !w->select_regs || !w->scatter_regs) {
    halo_fail(t->run, "out of memory for select-and-scatter");
  } else {
    const halo_line_segment *line = HALO_PLAN_AT(w->plan, line_at);
    int64_t group = i / c->strips;
    for (int64_t row = group * c->rows; row < (group + 1) * c->rows && !*t->run->cancel; row++) {
      w->count = halo_window_row(w->plan, row, w->taps, &w->row_out);
      for (int64_t k = 0; k < w->plan->segments; k++)
        segment(w, line + k, i % c->strips);
    }
  }
  if (w) {
    if (w->select_regs)
      halo_registers_free(w->select_regs, w->stack[0]);
    if (w->scatter_regs)
      halo_registers_free(w->scatter_regs, w->stack[1]);
    free(w->taps);
    free(w->all);
  }
  free(w);
}

static void tasks(halo_run *run, int64_t n, halo_task f, void *arg) {
  if (n == 1)
    f(arg, 0);
  else if (n > 1)
    run->parallel(run, n, f, arg);
}

void halo_choose_record(const halo_record *r, halo_run *run) {
  choose_task t = {(const halo_choose *)r, run};
  if (!t.c->apart)
    tasks(run, (t.c->results + t.c->fill - 1) / t.c->fill, fill_task, &t);
  tasks(run, t.c->groups * t.c->strips, scatter_task, &t);
}
