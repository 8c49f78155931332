// segment.h: segments, the records that run segments, and the copy.
#ifndef HALO_SEGMENT_H
#define HALO_SEGMENT_H

#include "record.h"

// halo_segment is records that run one after the other.
typedef struct {
  int64_t bytes; // of all records, which follow
  int64_t pad;
  char records[];
} halo_segment;

typedef struct {
  halo_record head;
  halo_ref dst, src;
  int64_t bytes;
} halo_copy_record;

typedef struct {
  halo_record head;
  const halo_segment *condition, *body;
  halo_ref pred;
} halo_while_record;

typedef struct {
  halo_record head;
  const halo_segment *body;
  int64_t times;
} halo_repeat_record;

typedef struct {
  halo_record head;
  const halo_segment *body;
  halo_ref at; // of an integer of so many bytes, which is first in the first round and step more in each
  int64_t times, bytes, first, step;
  int64_t wanted; // it is there when all is over, with what it would be in one more round
} halo_count_record;

typedef struct {
  halo_record head;
  halo_ref selector;
  int64_t branches;
  int64_t is_pred; // the selector is a byte, 1 for branch 0, and not an s32
  const halo_segment *branch[];
} halo_conditional_record;

void halo_copy(const halo_record *, halo_run *);
void halo_while(const halo_record *, halo_run *);
void halo_repeat(const halo_record *, halo_run *);
void halo_count(const halo_record *, halo_run *);
void halo_conditional(const halo_record *, halo_run *);

// Modes of a run, as Mode in run.go has them.
enum { HALO_MODE_FLUSH = 1, HALO_MODE_BRIEF = 2 };

// halo_segment_run runs a segment. It returns null, halo_cancelled, halo_wordless if it failed and there is no memory
// for a message, or a message that the caller frees.
char *halo_segment_run(uintptr_t segment, uintptr_t base, uintptr_t cancel, int32_t threads, int32_t mode);
extern char *const halo_cancelled, *const halo_wordless;

// From pool.c.
void halo_parallel(halo_run *, int64_t tasks, halo_task task, void *arg);
void halo_enter(halo_run *);
void halo_leave(void);
int32_t halo_workers(void);
int32_t halo_level(void);

#endif
