// future.c: what functions return that end a call later, on any thread. What they get is not an address but a number,
// which no other future ever has: one that is ended twice, or after nobody waits for it any more, is unknown.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime.h"

typedef struct future {
  struct future *next; // in its bucket
  uintptr_t number;
  pthread_cond_t over;
  int32_t done, interrupted;
  int32_t ender; // the thread that ended it, 0 if it is one of ours
  XLA_FFI_Error *error;
} future;

enum { BUCKETS = 256 };

static struct {
  pthread_mutex_t mu;
  uintptr_t last;
  future *bucket[BUCKETS];
} table = {.mu = PTHREAD_MUTEX_INITIALIZER};

// find returns where a future hangs, or where NULL does. The table is locked.
static future **find(const XLA_FFI_Future *number) {
  future **at = &table.bucket[(uintptr_t)number % BUCKETS];
  while (*at && (*at)->number != (uintptr_t)number)
    at = &(*at)->next;
  return at;
}

XLA_FFI_Error *halo_future_create(XLA_FFI_Future_Create_Args *a) {
  future *f = calloc(1, sizeof *f);
  if (!f)
    return halo_error(XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "no memory for a future");
  pthread_cond_init(&f->over, NULL);
  pthread_mutex_lock(&table.mu);
  f->number = ++table.last;
  future **at = &table.bucket[f->number % BUCKETS];
  f->next = *at;
  *at = f;
  pthread_mutex_unlock(&table.mu);
  a->future = (XLA_FFI_Future *)f->number;
  return NULL;
}

// end ends a future. A second end is none, and fails neither, since XLA's wrapper ends the process then. A thread is
// one of ours if it is the pool's, or called the function, which is to return.
static void end(const XLA_FFI_Future *number, XLA_FFI_Error *error) {
  static __thread int32_t thread;
  if (!halo_pool_thread && halo_minor < 0 && !thread)
    thread = (int32_t)syscall(SYS_gettid);
  pthread_mutex_lock(&table.mu);
  future *f = *find(number);
  if (f && !f->done) {
    f->done = 1;
    f->ender = halo_pool_thread || halo_minor >= 0 ? 0 : thread;
    f->error = error;
    error = NULL;
    pthread_cond_signal(&f->over);
  }
  pthread_mutex_unlock(&table.mu);
  free(error);
}

XLA_FFI_Error *halo_future_available(XLA_FFI_Future_SetAvailable_Args *a) {
  end(a->future, NULL);
  return NULL;
}

XLA_FFI_Error *halo_future_error(XLA_FFI_Future_SetError_Args *a) {
  end(a->future, a->error);
  return NULL;
}

// destroy takes a future out of the table, which is locked.
static void destroy(future **at) {
  future *f = *at;
  *at = f->next;
  pthread_cond_destroy(&f->over);
  free(f);
}

int halo_future_take(XLA_FFI_Future *number, int patient, XLA_FFI_Error **error, int32_t *ender) {
  *error = NULL;
  *ender = 0;
  int ended = 1; // as one is that nobody has made
  pthread_mutex_lock(&table.mu);
  future *f = *find(number);
  while (f && patient && !f->done && !f->interrupted)
    pthread_cond_wait(&f->over, &table.mu);
  if (f && f->done) {
    *error = f->error;
    *ender = f->ender;
    destroy(find(number));
  } else if (f) {
    ended = 0;
  } else {
    *error = halo_error(XLA_FFI_Error_Code_INTERNAL, "the function returned a future that it did not create");
  }
  pthread_mutex_unlock(&table.mu);
  return ended;
}

void halo_future_interrupt(XLA_FFI_Future *number) {
  pthread_mutex_lock(&table.mu);
  future *f = *find(number);
  if (f) {
    f->interrupted = 1;
    pthread_cond_signal(&f->over);
  }
  pthread_mutex_unlock(&table.mu);
}

void halo_future_drop(XLA_FFI_Future *number) {
  XLA_FFI_Error *error = NULL;
  pthread_mutex_lock(&table.mu);
  future **at = find(number);
  if (*at) {
    error = (*at)->error;
    destroy(at);
  }
  pthread_mutex_unlock(&table.mu);
  free(error);
}
