// record.h: what every family of native kernels shares. A record is a call that was prepared when a program was
// compiled: a function and its packed arguments, in C memory that nothing writes afterwards.
#ifndef HALO_RECORD_H
#define HALO_RECORD_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

// halo_ref is a place in the memory of a run: a slot of the table of addresses and an offset in bytes.
typedef struct {
  int32_t slot, pad;
  int64_t offset;
} halo_ref;

typedef struct halo_run halo_run;

// halo_record heads the packed arguments of a kernel: declare a struct that begins with one. Records stand on 16-byte
// boundaries, one behind the other.
typedef struct halo_record {
  void (*fn)(const struct halo_record *, halo_run *);
  int64_t bytes; // of header and arguments, a multiple of 16
} halo_record;

typedef void (*halo_task)(void *arg, int64_t i);

enum { HALO_OK, HALO_CANCELLED, HALO_FAILED };

// halo_run is one run of a segment. It lives as long as the call.
struct halo_run {
  char *const *base;               // addresses by slot
  const volatile uint32_t *cancel; // not 0: stop soon; kernels look at it between pieces of at most 1 ms
  // parallel calls task(arg, i) for each i from 0 to tasks-1, on the caller and on workers of the pool, and returns
  // when all have returned. After a cancel the rest is left out. Tasks take 20 us to 1 ms and 512 KiB of stack.
  void (*parallel)(halo_run *, int64_t tasks, halo_task task, void *arg);
  int32_t threads; // that may work for this run, the caller counted. No result may depend on it.
  int32_t counted; // whether the pool counts the caller among those at work
  int32_t status;  // HALO_OK until a kernel fails
  char message[240];
};

// HALO_AT is the address of a halo_ref.
#define HALO_AT(run, ref) ((void *)((run)->base[(ref).slot] + (ref).offset))

// halo_fail makes the run fail with a message; the first of several counts. Tasks may call it.
static inline void halo_fail(halo_run *run, const char *format, ...) {
  int32_t ok = HALO_OK;
  if (!__atomic_compare_exchange_n(&run->status, &ok, HALO_FAILED, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(run->message, sizeof run->message, format, args);
  va_end(args);
}

// halo_drain makes what went past the caches seen by other threads.
static inline void halo_drain(int bypassed) {
#if defined(__x86_64__)
  if (bypassed)
    __builtin_ia32_sfence();
#else
  (void)bypassed;
#endif
}

#endif
