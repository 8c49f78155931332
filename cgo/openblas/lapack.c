#include "lapack.h"

#include <stdint.h>

typedef uintptr_t W;
typedef void routine(W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W);

enum { ARGUMENTS = 16, TEXTS = 2 };

void halo_lapack(void *fn, int count, int texts, const int64_t *step, int64_t times, void *a0, void *a1, void *a2,
                 void *a3, void *a4, void *a5, void *a6, void *a7, void *a8, void *a9, void *a10, void *a11, void *a12,
                 void *a13, void *a14, void *a15) {
  void *const a[ARGUMENTS] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15};
  W x[ARGUMENTS + TEXTS] = {0};
  for (int i = 0; i < count; i++) x[i] = (W)a[i];
  for (int i = 0; i < texts; i++) x[count + i] = 1;
  for (int64_t t = 0; t < times; t++) {
    /* More words than the routine takes do no harm: the caller clears them away. */
    ((routine *)fn)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14],
                    x[15], x[16], x[17]);
    for (int i = 0; i < count; i++) x[i] += (W)step[i];
  }
}
