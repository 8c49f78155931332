// sweep.h: recurrences: a program whose results are parameters of its next round, on many lines.
#ifndef HALO_SWEEP_H
#define HALO_SWEEP_H

#include "../run/record.h"
#include "program.h"

// halo_sweep_stream is where a stream stands in the first round of line (0, 0), and the bytes to the next outer and
// inner line and the next round.
typedef struct {
  halo_ref at;
  int64_t outer, inner, round;
} halo_sweep_stream;

// halo_sweep is a record: for each line start runs once and then step rounds times. Lines are outer by inner; a task is
// grain of them. Programs and lists of streams stand at offsets from the record's beginning.
typedef struct {
  halo_record head;
  int64_t lines, inner, rounds, grain;
  int64_t start, step, start_streams, step_streams;
} halo_sweep;

void halo_sweep_record(const halo_record *, halo_run *);

#endif
