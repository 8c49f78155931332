// lines_impl.h: the loops that fold lines of updates, for one ISA level.
#include "ask.h"

#define FOLD(name, T, EXPRESSION)                                                                            \
  static void line_##name(char *dst, const char *src, int64_t n, int64_t dst_step, int64_t src_step) {       \
    if (dst_step == sizeof(T) && src_step == sizeof(T)) {                                                    \
      T *restrict d = (T *)dst;                                                                              \
      const T *restrict s = (const T *)src;                                                                  \
      for (int64_t i = 0; i < n; i++) {                                                                      \
        const T a = d[i], b = s[i];                                                                          \
        (void)a;                                                                                             \
        d[i] = EXPRESSION;                                                                                   \
      }                                                                                                      \
      return;                                                                                                \
    }                                                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                                        \
      const T a = *(T *)(dst + i * dst_step), b = *(const T *)(src + i * src_step);                          \
      (void)a;                                                                                               \
      *(T *)(dst + i * dst_step) = EXPRESSION;                                                               \
    }                                                                                                        \
  }                                                                                                          \
  static void lines_##name(char *dst, const char *src, const fold_lines *l) {                                \
    for (int64_t i = 0; i < l->lines; i++) {                                                                 \
      if (l->far) ask(dst, l->operand, i, l->lines, l->n * l->operand_step);                                 \
      ask(src, l->windowed, i, l->lines, l->n * l->windowed_step);                                           \
      if (l->operand[i] < 0) continue;                                                                       \
      line_##name(dst + l->operand[i], src + l->windowed[i], l->n, l->operand_step, l->windowed_step);       \
    }                                                                                                        \
  }

#define OF(name) lines_##name
#include "folds.h"
#define LINES FOLDS_TABLE
