//go:build linux
// fold.c: the loops that fold single updates, at places that are known or along a stretch of index vectors.
#pragma GCC optimize("O3,no-math-errno,no-trapping-math")
#include "ask.h"
#include "entry.h"
#include "scatter.h"

#define UPDATE(T, EXPRESSION, to, from)                                                                      \
  {                                                                                                          \
    const T a = *(T *)(dst + (to)), b = *(const T *)(src + (from));                                          \
    (void)a;                                                                                                 \
    *(T *)(dst + (to)) = EXPRESSION;                                                                         \
  }
#define ALONG_BY(INDEX, T, EXPRESSION, START, WINDOWED, OPERAND, STRIDE)                                     \
  for (int64_t i = 0; i < x.n; i++) {                                                                        \
    const int64_t v = value_##INDEX(p[i * (START)], e);                                                      \
    if ((uint64_t)v <= (uint64_t)e.last)                                                                     \
      UPDATE(T, EXPRESSION, i * (OPERAND) + v * (STRIDE), i * (WINDOWED))                                    \
  }
// Indices that are ahead are asked for before it is known whether they are places; what are none are no pointers. Those
// that count from the end are not worth the instructions for all.
#define AHEAD(INDEX, T, k) (const char *)((uintptr_t)dst + (uintptr_t)p[k] * sizeof(T))
#define ALONG_DENSE(INDEX, T, EXPRESSION)                                                                    \
  const int far = (e.last + 1) * (int64_t)sizeof(T) > SHARED_BYTES;                                          \
  for (int64_t i = 0; i < x.n; i++) {                                                                        \
    if (i + ASK_ELEMENTS < x.n) ask_near(AHEAD(INDEX, T, i + ASK_ELEMENTS), 1);                              \
    if (far && i + ASK_FAR < x.n) ask_far(AHEAD(INDEX, T, i + ASK_FAR), 1);                                  \
    const int64_t v = value_##INDEX(p[i], e);                                                                \
    if ((uint64_t)v <= (uint64_t)e.last) UPDATE(T, EXPRESSION, v * sizeof(T), i * sizeof(T))                 \
  }
#define ALONG(name, INDEX, T, EXPRESSION)                                                                    \
  static void along_##INDEX##_##name(char *dst, const char *src, index_stretch x, index_entry e) {           \
    const INDEX *p = (const INDEX *)x.starts;                                                                \
    dst += x.operand, src += x.windowed;                                                                     \
    if (is_dense(&x, e, sizeof(T))) {                                                                        \
      ALONG_DENSE(INDEX, T, EXPRESSION)                                                                      \
      return;                                                                                                \
    }                                                                                                        \
    ALONG_BY(INDEX, T, EXPRESSION, x.step.start, x.step.windowed, x.step.operand, e.stride)                  \
  }
#define FOLD(name, T, EXPRESSION)                                                                            \
  static void each_##name(char *dst, const char *src, const index_places *p, int64_t n) {                    \
    for (int64_t i = 0; i < n; i++)                                                                          \
      if (p->operand[i] >= 0) UPDATE(T, EXPRESSION, p->operand[i], p->windowed[i])                           \
  }                                                                                                          \
  ALONG(name, int32_t, T, EXPRESSION)                                                                        \
  ALONG(name, int64_t, T, EXPRESSION)
#define OF(name) {each_##name, {along_int32_t_##name, along_int64_t_##name}}
#include "folds.h"

const fold halo_folds[FOLDS][OF_TYPES] = FOLDS_TABLE;
