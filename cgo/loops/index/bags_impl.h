// bags_impl.h: one row of a sum of rows, for one ISA level.
#include "ask.h"

#include <string.h>

typedef float bag_wide __attribute__((vector_size(VB), aligned(4)));
typedef float bag_narrow __attribute__((vector_size(16), aligned(4)));

enum { BAG_VECTORS = 8 };

// While there is room for COUNT vectors from float i on, their sums of n windows are made in registers, rounded term by
// term, in the order of the windows. What is asked for is as much as is read, so that no loop counts it.
#define BAG(VECTOR, COUNT)                                                                                   \
  for (; i + (int64_t)(COUNT * sizeof(VECTOR) / 4) <= row; i += COUNT * sizeof(VECTOR) / 4) {                \
    VECTOR sum[COUNT];                                                                                       \
    for (int j = 0; j < COUNT; j++) sum[j] = init - (VECTOR){0};                                             \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      const VECTOR *w = (const VECTOR *)(s + 4 * i + places[k]);                                             \
      if (k + BAG_FAR < more) ask_far(s + 4 * i + places[k + BAG_FAR], COUNT * sizeof(VECTOR));              \
      if (k + BAG_NEAR < more) ask_near(s + 4 * i + places[k + BAG_NEAR], COUNT * sizeof(VECTOR));           \
      for (int j = 0; j < COUNT; j++) sum[j] += w[j];                                                        \
    }                                                                                                        \
    for (int j = 0; j < COUNT; j++) ((VECTOR *)(d + i))[j] = sum[j];                                         \
  }

// bag makes one row of the n windows at places; as many as more are known.
static void bag(float *d, const char *s, int64_t row, const int64_t *places, int64_t n, int64_t more, float init) {
  int64_t i = 0;
  BAG(bag_wide, BAG_VECTORS)
  BAG(bag_wide, 1)
  BAG(bag_narrow, 1)
  for (; i < row; i++) {
    float sum = init;
    for (int64_t k = 0; k < n; k++) {
      float x;
      memcpy(&x, s + 4 * i + places[k], 4);
      sum += x;
    }
    d[i] = sum;
  }
}
