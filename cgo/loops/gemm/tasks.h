/* tasks.h: records that run records as tasks: the pieces of a contraction, and what is done to each piece. */
#ifndef HALO_TASKS_H
#define HALO_TASKS_H

#include "../run/record.h"

/* halo_tasks_record has the records of all tasks behind it. Those of task i begin start[i] bytes behind the record, and
 * end where those of the next begin. */
typedef struct {
  halo_record head;
  int64_t tasks, pad;
  int64_t start[];
} halo_tasks_record;

void halo_tasks(const halo_record *r, halo_run *run);

#endif
