// rowjob.h: a run of a program over rows, as its tasks see it.
#ifndef HALO_ROWJOB_H
#define HALO_ROWJOB_H

#include "rows.h"
#include "streams.h"

typedef struct {
  const halo_rows_record *r;
  halo_space places, rows;
  const halo_stream *streams;
  const halo_phase *phases;
  const int32_t *numbers;
  const halo_stage *stages;
  int bypass;                       // the stages are those of halo_bypass
  int64_t pitch;                    // places of a row in a saved value: whole blocks
  int64_t chunks;                   // of a row
  uint64_t *partials;               // what the chunks of each row come to, if it has several
  const halo_phase *first, *second; // that sweep; null: there is none
} halo_row_job;

// halo_row_start returns the element of a stream at the beginning of a row.
static inline int64_t halo_row_start(const halo_row_job *j, const halo_stream *s, int64_t row) {
  int64_t rest;
  return s->kind == HALO_LINEAR ? s->offset + row * j->r->row : halo_place(&j->rows, s, row, &rest);
}

// halo_staggers is the task of a job whose rows go through all phases in one loop.
void halo_staggers(void *job, int64_t number);

#endif
