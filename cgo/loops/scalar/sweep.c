//go:build linux

#include "sweep.h"

#define SWEEP_AT(s, offset) ((const void *)((const char *)(s) + (offset)))

typedef struct {
  const halo_sweep *s;
  halo_run *run;
} sweep_task;

// rounds runs a program n times on a line.
static void rounds(const sweep_task *t, const halo_program *p, halo_reg *r, const halo_sweep_stream *from,
                   halo_stream *streams, int64_t line, int64_t n) {
  int64_t outer = line / t->s->inner, inner = line % t->s->inner;
  for (int k = 0; k < p->streams; k++) {
    char *at = (char *)HALO_AT(t->run, from[k].at) + outer * from[k].outer + inner * from[k].inner;
    streams[k] = (halo_stream){at, from[k].round};
  }
  p->run(p, r, streams, n, t->run->cancel);
}

static void lines(void *arg, int64_t piece) {
  const sweep_task *t = arg;
  const halo_sweep *s = t->s;
  const halo_program *p[2] = {SWEEP_AT(s, s->start), SWEEP_AT(s, s->step)};
  const halo_sweep_stream *from[2] = {SWEEP_AT(s, s->start_streams), SWEEP_AT(s, s->step_streams)};
  halo_reg stack[2][HALO_STACK_REGISTERS], *r[2] = {halo_registers(p[0], stack[0]), halo_registers(p[1], stack[1])};
  int most = p[0]->streams > p[1]->streams ? p[0]->streams : p[1]->streams;
  halo_stream *streams = malloc(sizeof(halo_stream) * (size_t)(most + 1));
  if (r[0] && r[1] && streams) {
    int64_t end = (piece + 1) * s->grain;
    for (int64_t i = piece * s->grain; i < end && i < s->lines && !*t->run->cancel; i++) {
      rounds(t, p[0], r[0], from[0], streams, i, 1);
      if (s->rounds > 0)
        rounds(t, p[1], r[1], from[1], streams, i, s->rounds);
    }
  } else {
    halo_fail(t->run, "out of memory for a recurrence");
  }
  for (int k = 0; k < 2; k++)
    if (r[k])
      halo_registers_free(r[k], stack[k]);
  free(streams);
}

void halo_sweep_record(const halo_record *r, halo_run *run) {
  sweep_task t = {(const halo_sweep *)r, run};
  int64_t pieces = (t.s->lines + t.s->grain - 1) / t.s->grain;
  if (pieces == 1)
    lines(&t, 0);
  else if (pieces > 1)
    run->parallel(run, pieces, lines, &t);
}
