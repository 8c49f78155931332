// lines_impl.h: the loops that fold lines of updates, for one ISA level.
#include "ask.h"

// Lines that are evenly apart are not looked up. A load waits for a store before it to the same place of another page,
// and that for the sum of an update on its way from memory: were it the place of the next update, this were not asked
// for meanwhile.
#define FOLD(name, T, EXPRESSION)                                                                            \
  static inline void dense_##name(T *restrict d, const T *restrict s, int64_t n) {                           \
    for (int64_t i = 0; i < n; i++) {                                                                        \
      const T a = d[i], b = s[i];                                                                            \
      (void)a;                                                                                               \
      d[i] = EXPRESSION;                                                                                     \
    }                                                                                                        \
  }                                                                                                          \
  static __attribute__((noinline)) void even_##name(char *dst, const char *src, const fold_lines *lines) {   \
    const fold_lines l = *lines;                                                                             \
    const int64_t bytes = l.n * sizeof(T);                                                                   \
    for (int64_t i = 0; i < l.lines; i++, src += l.every) {                                                  \
      if (l.far) ask(dst, l.operand, i, l.lines, bytes);                                                     \
      ask_near((const char *)((uintptr_t)src + (uintptr_t)l.ahead), bytes);                                  \
      if (l.operand[i] >= 0) dense_##name((T *)(dst + l.operand[i]), (const T *)src, l.n);                   \
    }                                                                                                        \
  }                                                                                                          \
  static void line_##name(char *dst, const char *src, int64_t n, int64_t dst_step, int64_t src_step) {       \
    if (dst_step == sizeof(T) && src_step == sizeof(T)) {                                                    \
      dense_##name((T *)dst, (const T *)src, n);                                                             \
      return;                                                                                                \
    }                                                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                                        \
      const T a = *(T *)(dst + i * dst_step), b = *(const T *)(src + i * src_step);                          \
      (void)a;                                                                                               \
      *(T *)(dst + i * dst_step) = EXPRESSION;                                                               \
    }                                                                                                        \
  }                                                                                                          \
  static void lines_##name(char *dst, const char *src, const fold_lines *l) {                                \
    if (!l->windowed) {                                                                                      \
      even_##name(dst, src, l);                                                                              \
      return;                                                                                                \
    }                                                                                                        \
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
