// opening.c: libraries run code when they are opened. One that crashes or exits then takes the process with it, and
// what the process says of its end does not name the file: it may be any in a folder.
#define _GNU_SOURCE
#include "opening.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The file that this thread opens, if it does. A signal's handler reads it, so its place must not be made on demand.
static __thread __attribute__((tls_model("initial-exec"))) const char *opening;

static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static struct {
  pthread_mutex_t mu;
  int64_t users;                    // threads that open
  struct sigaction before[NUMBERS]; // what handles the signals else
} table = {.mu = PTHREAD_MUTEX_INITIALIZER};

static void put(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    return; // there is nobody else to tell
}

static void name(const char *how) {
  if (!opening)
    return;
  put(opening);
  put(how);
  opening = NULL; // once
}

static void exiting(void) { name(": it ends this process while it is opened: it calls exit\n"); }

// before does what would have been done without us.
static void before(const struct sigaction *a, int number, siginfo_t *info, void *context) {
  if (a->sa_flags & SA_SIGINFO) {
    a->sa_sigaction(number, info, context);
  } else if (a->sa_handler == SIG_DFL) {
    signal(number, SIG_DFL);
    raise(number); // it is blocked in here, and comes when we return
  } else if (a->sa_handler != SIG_IGN) {
    a->sa_handler(number);
  }
}

static void dying(int number, siginfo_t *info, void *context) {
  name(": it ends this process while it is opened: its own code dies of a signal\n");
  for (int i = 0; i < NUMBERS; i++)
    if (numbers[i] == number)
      before(&table.before[i], number, info, context);
}

static void watch_exit(void) { atexit(exiting); }

static void begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_exit);
  pthread_mutex_lock(&table.mu);
  if (!table.users++)
    for (int i = 0; i < NUMBERS; i++) {
      sigaction(numbers[i], NULL, &table.before[i]);
      struct sigaction ours = table.before[i];
      ours.sa_sigaction = dying;
      ours.sa_flags |= SA_SIGINFO | SA_ONSTACK;
      sigaction(numbers[i], &ours, NULL);
    }
  pthread_mutex_unlock(&table.mu);
}

// end gives the signals back, but those that the library has taken.
static void end(void) {
  pthread_mutex_lock(&table.mu);
  if (!--table.users)
    for (int i = 0; i < NUMBERS; i++) {
      struct sigaction now;
      if (!sigaction(numbers[i], NULL, &now) && now.sa_flags & SA_SIGINFO && now.sa_sigaction == dying)
        sigaction(numbers[i], &table.before[i], NULL);
    }
  pthread_mutex_unlock(&table.mu);
}

void *halo_dl_open(const char *file, int flags) {
  const char *outer = opening;
  begin();
  opening = file;
  void *handle = dlopen(file, flags);
  opening = outer;
  end();
  return handle;
}
