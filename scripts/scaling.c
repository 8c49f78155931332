// scaling.c: what scaling.py --limit compares with: numbers gathered or added at random places by a plain loop, in huge
// pages. scaling gather|scatter N THREADS prints the nanoseconds an element takes, the median of the runs of a second.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static int64_t n, threads;
static int scatter;
static float *to, *from;
static int32_t *place;
static pthread_barrier_t turn;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *pages(int64_t bytes) {
  char *p = aligned_alloc(2 << 20, (bytes + (2 << 20) - 1) / (2 << 20) * (2 << 20));
  if (!p) exit(1);
  madvise(p, bytes, MADV_HUGEPAGE);
  return memset(p, 0, bytes);
}

// part does thread k's share: of the indices, or of the places that are added to.
static void part(int64_t k) {
  const int64_t low = k * n / threads, high = (k + 1) * n / threads;
  if (!scatter) {
    for (int64_t i = low; i < high; i++) to[i] = from[place[i]];
    return;
  }
  for (int64_t i = 0; i < n; i++)
    if (place[i] >= low && place[i] < high) to[place[i]] += from[i];
}

static void *helper(void *k) {
  for (;;) {
    pthread_barrier_wait(&turn);
    part((int64_t)k);
    pthread_barrier_wait(&turn);
  }
  return NULL;
}

static int less(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

int main(int count, char **words) {
  if (count != 4) return 2;
  scatter = words[1][0] == 's', n = atoll(words[2]), threads = atoll(words[3]);
  to = pages(4 * n), from = pages(4 * n), place = pages(4 * n);
  uint64_t state = 88172645463325252u;
  for (int64_t i = 0; i < n; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    place[i] = state % n;
  }
  pthread_barrier_init(&turn, NULL, threads);
  for (int64_t k = 1; k < threads; k++) {
    pthread_t t;
    if (pthread_create(&t, NULL, helper, (void *)k)) return 1;
  }
  enum { MOST = 100000 };
  static double took[MOST];
  int64_t runs = 0;
  for (double begin = now(); runs < MOST && (runs < 3 || now() - begin < 1e9); runs++) {
    const double at = now();
    pthread_barrier_wait(&turn);
    part(0);
    pthread_barrier_wait(&turn);
    took[runs] = now() - at;
  }
  qsort(took, runs, sizeof *took, less);
  printf("%g\n", took[runs / 2] / n);
}
