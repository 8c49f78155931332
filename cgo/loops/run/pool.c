//go:build linux

// The pool: threads that help callers with the tasks of a parallel region. They are made when first wanted, and sleep
// when there is nothing to do. Callers and helping workers together are never more than the budget of the region.
#define _GNU_SOURCE
#include "segment.h"

#include "mode.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  JOBS = 64,         // regions open at once; further callers work alone
  WORKERS = 255,     // at most
  SPIN_NS = 100000,  // a worker looks for work so long before it sleeps
  WAIT_NS = 100000,  // a caller looks so long whether its helpers are done before it sleeps; waking may take as long
  OPEN = 1 << 30,    // state: helpers may enter
  WAITING = 1 << 29, // state: the caller sleeps
  TAKEN = 1 << 28,   // state: the job has a caller
  COUNT = TAKEN - 1, // state: helpers inside
};

// job is one parallel region. Only who is counted in its state may read the rest.
typedef struct {
  int32_t state;
  int32_t budget;
  halo_task task;
  void *arg;
  const volatile uint32_t *cancel;
  int64_t tasks;
  uint64_t mode; // of the caller's floating-point unit
  int64_t taken __attribute__((aligned(64))); // of the tasks
  int64_t front, back;                        // of these, by the caller and by helpers
} __attribute__((aligned(128))) job;

static job jobs[JOBS];
static int32_t busy;     // callers and helping workers
static int32_t open;     // jobs that are open
static int32_t signal_;  // counts calls for help; workers sleep on it
static int32_t sleepers; // workers asleep, or about to be
static int32_t spinners; // workers that look for work
static int32_t workers;  // threads made
static int32_t cpus;     // this process may run on
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

#define LOAD(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define ADD(p, n) __atomic_add_fetch(p, n, __ATOMIC_SEQ_CST)

static int swap(int32_t *p, int32_t from, int32_t to) {
  return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void sleep_on(int32_t *p, int32_t value) { syscall(SYS_futex, p, FUTEX_WAIT_PRIVATE, value, 0, 0, 0); }

static void wake(int32_t *p, int32_t n) { syscall(SYS_futex, p, FUTEX_WAKE_PRIVATE, n, 0, 0, 0); }

static void pause_(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

// spin waits until *p is not value, or the time is over.
static int spin(const int32_t *p, int32_t value, int64_t ns) {
  int64_t end = now() + ns;
  do {
    for (int i = 0; i < 16; i++) {
      if (LOAD(p) != value)
        return 1;
      pause_();
    }
  } while (now() < end);
  return 0;
}

// work takes tasks until there are none: the caller from the front, helpers from the back, so that in one region after
// the other a thread works on the same parts of arrays, which its caches have. Helpers give way when new callers have
// come.
static void work(job *j, int helper) {
  while (!*j->cancel && !(helper && LOAD(&busy) > j->budget)) {
    if (__atomic_fetch_add(&j->taken, 1, __ATOMIC_RELAXED) >= j->tasks)
      return;
    if (helper)
      j->task(j->arg, j->tasks - 1 - __atomic_fetch_add(&j->back, 1, __ATOMIC_RELAXED));
    else
      j->task(j->arg, j->front++);
  }
}

// enter counts a worker in as helper of a job.
static int enter(job *j) {
  int32_t s = LOAD(&j->state);
  while (s & OPEN) {
    if (swap(&j->state, s, s + 1))
      return 1;
    s = LOAD(&j->state);
  }
  return 0;
}

static void leave(job *j) {
  if (ADD(&j->state, -1) == (TAKEN | WAITING))
    wake(&j->state, 1);
}

// reserve counts one more in busy, if that is within the budget.
static int reserve(int32_t budget) {
  for (int32_t b = LOAD(&busy); b < budget; b = LOAD(&busy))
    if (swap(&busy, b, b + 1))
      return 1;
  return 0;
}

// help works for one open job with work left; it returns 0 if there is none.
static int help(int first) {
  for (int k = 0; k < JOBS; k++) {
    job *j = &jobs[(first + k) % JOBS];
    if (!(LOAD(&j->state) & OPEN) || !enter(j))
      continue;
    int some = __atomic_load_n(&j->taken, __ATOMIC_RELAXED) < j->tasks && reserve(j->budget);
    if (some) {
      uint64_t mode = halo_mode();
      halo_set_mode(j->mode);
      work(j, 1);
      halo_set_mode(mode);
      ADD(&busy, -1);
    }
    leave(j);
    if (some)
      return 1;
  }
  return 0;
}

// may_spin keeps spinning workers from taking the CPUs that callers need.
static int may_spin(void) { return LOAD(&spinners) + LOAD(&busy) < cpus + 1; }

static void *worker(void *arg) {
  int first = (int)(intptr_t)arg * 7;
  for (;;) {
    int32_t s = LOAD(&signal_);
    if (LOAD(&open) && help(first))
      continue;
    ADD(&spinners, 1);
    int found = may_spin() && spin(&signal_, s, SPIN_NS);
    ADD(&spinners, -1);
    if (found)
      continue;
    ADD(&sleepers, 1);
    sleep_on(&signal_, s);
    ADD(&sleepers, -1);
  }
  return 0;
}

static void count_cpus(void) {
  cpu_set_t set;
  cpus = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

enum { STACK = 8 << 20 }; // what threads have unless somebody set a limit, which tasks and vendors' code rely on

// make_workers sees that there are n workers, as far as threads can be had. They take no signals: those are Go's.
static void make_workers(int32_t n) {
  sigset_t all, old;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes))
    return;
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_mutex_lock(&making);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  if (!cpus)
    count_cpus();
  while (workers < n) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, worker, (void *)(intptr_t)workers))
      break;
    ADD(&workers, 1);
  }
  pthread_sigmask(SIG_SETMASK, &old, 0);
  pthread_mutex_unlock(&making);
  pthread_attr_destroy(&attributes);
}

// call wakes as many workers as may help and do not look for work already.
static void call(int32_t n) {
  ADD(&signal_, 1);
  n -= LOAD(&spinners);
  int32_t asleep = LOAD(&sleepers);
  if (n > asleep)
    n = asleep;
  if (n > 0)
    wake(&signal_, n);
}

static job *take(void) {
  for (int k = 0; k < JOBS; k++)
    if (!LOAD(&jobs[k].state) && swap(&jobs[k].state, 0, TAKEN))
      return &jobs[k];
  return 0;
}

// finish keeps new helpers out and waits for those inside.
static void finish(job *j) {
  __atomic_and_fetch(&j->state, ~OPEN, __ATOMIC_SEQ_CST);
  ADD(&open, -1);
  int64_t end = 0;
  for (int32_t s = LOAD(&j->state); s & COUNT; s = LOAD(&j->state)) {
    if (!end)
      end = now() + WAIT_NS;
    if (now() < end)
      pause_();
    else if ((s & WAITING) || swap(&j->state, s, s | WAITING))
      sleep_on(&j->state, s | WAITING);
  }
  __atomic_store_n(&j->state, 0, __ATOMIC_SEQ_CST);
}

void halo_parallel(halo_run *run, int64_t tasks, halo_task task, void *arg) {
  int32_t budget = run->threads < WORKERS ? run->threads : WORKERS;
  int64_t helpers = tasks - 1 < budget - 1 ? tasks - 1 : budget - 1;
  if (helpers > 0 && LOAD(&workers) < budget - 1)
    make_workers(budget - 1);
  if (helpers > 0)
    halo_enter(run);
  int32_t room = budget - LOAD(&busy);
  job *j = helpers > 0 ? take() : 0;
  if (!j) {
    for (int64_t i = 0; i < tasks && !*run->cancel; i++)
      task(arg, i);
    return;
  }
  j->budget = budget;
  j->task = task;
  j->arg = arg;
  j->cancel = run->cancel;
  j->mode = halo_mode();
  j->tasks = tasks;
  j->taken = j->front = j->back = 0;
  ADD(&open, 1);
  __atomic_or_fetch(&j->state, OPEN, __ATOMIC_SEQ_CST);
  call(room < helpers ? room : (int32_t)helpers);
  work(j, 0);
  finish(j);
}

// halo_enter counts the caller among those at work until it leaves.
void halo_enter(halo_run *run) {
  if (run->counted)
    return;
  run->counted = 1;
  __atomic_add_fetch(&busy, 1, __ATOMIC_RELAXED);
}

// halo_leave lets a worker help another caller in this one's place.
void halo_leave(void) {
  ADD(&busy, -1);
  if (LOAD(&open))
    call(1);
}

int32_t halo_workers(void) { return LOAD(&workers); }

int32_t halo_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c"))
    return 0;
  int wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512cd");
  return wide ? 2 : 1;
#elif defined(__aarch64__)
  return 3;
#else
  return 0;
#endif
}
