// pool.c: the threads that functions may give tasks to. They are the process's: a task may outlive the call that made
// it.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "runtime.h"

typedef struct task {
  struct task *next;
  XLA_FFI_Task *run;
  void *data;
} task;

static struct {
  pthread_mutex_t mu;
  pthread_cond_t work;
  task *first, **last;
  int64_t threads, idle, waiting, running;
} pool = {.mu = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .last = &pool.first};

int64_t halo_pool_threads(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

__thread int32_t halo_pool_thread;

static void *worker(void *unused) {
  (void)unused;
  halo_pool_thread = 1;
  pthread_mutex_lock(&pool.mu);
  for (;;) {
    while (!pool.first) {
      pool.idle++;
      pthread_cond_wait(&pool.work, &pool.mu);
      pool.idle--;
    }
    task *t = pool.first;
    pool.first = t->next;
    if (!pool.first)
      pool.last = &pool.first;
    pool.waiting--;
    pool.running++;
    pthread_mutex_unlock(&pool.mu);
    t->run(t->data);
    free(t);
    pthread_mutex_lock(&pool.mu);
    pool.running--;
  }
  return NULL;
}

// start adds a thread, on which no signals arrive but those of its own faults.
static int start(void) {
  sigset_t blocked, before;
  sigfillset(&blocked);
  const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_t thread;
  int failed = pthread_create(&thread, NULL, worker, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!failed) {
    pthread_detach(thread);
    pool.threads++;
  }
  return failed;
}

XLA_FFI_Error *halo_pool_schedule(XLA_FFI_Task *run, void *data) {
  task *t = malloc(sizeof *t);
  if (!t)
    return halo_error(XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "no memory for a task");
  *t = (task){NULL, run, data};
  pthread_mutex_lock(&pool.mu);
  if (pool.idle <= pool.waiting && pool.threads < halo_pool_threads() && start() && !pool.threads) {
    pthread_mutex_unlock(&pool.mu);
    free(t);
    return halo_error(XLA_FFI_Error_Code_UNAVAILABLE, "no thread can be started");
  }
  *pool.last = t;
  pool.last = &t->next;
  pool.waiting++;
  pthread_cond_signal(&pool.work);
  pthread_mutex_unlock(&pool.mu);
  return NULL;
}

int64_t halo_pool_pending(void) {
  pthread_mutex_lock(&pool.mu);
  int64_t n = pool.waiting + pool.running;
  pthread_mutex_unlock(&pool.mu);
  return n;
}
