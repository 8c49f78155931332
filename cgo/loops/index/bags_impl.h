// bags_impl.h: one row of a sum of rows, for one ISA level.
#include <string.h>

typedef float bag_wide __attribute__((vector_size(VB), aligned(4)));
typedef float bag_narrow __attribute__((vector_size(16), aligned(4)));

// Windows that are asked for ahead, and how much of each. They come into the second cache: few lines can be on the way
// to the first.
enum { BAG_VECTORS = 8, BAG_AHEAD = 24, BAG_LINES = 8 };

static inline void ask(const char *s, int64_t bytes) {
  for (int64_t at = 0; at < bytes && at < 64 * BAG_LINES; at += 64) __builtin_prefetch(s + at, 0, 2);
}

// While there is room for COUNT vectors from float i on, their sums of n windows are made in registers, rounded term by
// term, in the order of the windows.
#define BAG(VECTOR, COUNT)                                                                                   \
  for (; i + (int64_t)(COUNT * sizeof(VECTOR) / 4) <= row; i += COUNT * sizeof(VECTOR) / 4) {                \
    VECTOR sum[COUNT];                                                                                       \
    for (int j = 0; j < COUNT; j++) sum[j] = init - (VECTOR){0};                                             \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      const VECTOR *w = (const VECTOR *)(s + 4 * i + places[k]);                                             \
      if (i == 0 && k + BAG_AHEAD < more) ask(s + places[k + BAG_AHEAD], 4 * row);                           \
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
