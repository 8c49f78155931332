// skew_impl.h: planes past the caches whose destination's rows begin anywhere in a cache line.

// Rows of fewer bytes have too few whole lines.
enum { SKEW_LEAST = 512 };

// SKEW makes SKEW_LINES lines of each of a block of rows at a time, wherever those begin in each row, and so one line
// more, of which the next lines take what is left; what is no whole line at the ends of rows goes through the cache.
enum { SKEW_LINES = 4, SKEW_ROOM = 64 * (SKEW_LINES + 1) };
#define SKEW(T, name, SIDE)                                                                                  \
  INLINE void CAT(skewed_, name)(char *d, int64_t ds, const char *s, int64_t ss, int64_t n, int64_t from,    \
                                 int64_t lines) {                                                            \
    enum { ROWS = 64 / sizeof(T) };                                                                          \
    char part[ROWS * SKEW_ROOM] __attribute__((aligned(64)));                                                \
    const int64_t w = sizeof(T), m = n / SIDE * SIDE;                                                        \
    look_ahead(s, ss, n);                                                                                    \
    for (int64_t j = 0; j < m; j += SIDE)                                                                    \
      for (int64_t i = 0; i < ROWS; i += SIDE)                                                               \
        CAT(square_, name)(part + i * SKEW_ROOM + j * w, SKEW_ROOM, s + i * w + j * ss, ss);                 \
    CAT(few_, name)(part + m * w, SKEW_ROOM, s + m * ss, ss, ROWS, n - m);                                   \
    for (int64_t i = 0; i < ROWS; i++, d += ds) {                                                            \
      const int64_t skip = -(uintptr_t)d & 63, x = from < skip ? from : skip, y = lines ? 64 * lines + skip : n * w; \
      stream_bytes(d + x, part + i * SKEW_ROOM + x, y - x);                                                  \
    }                                                                                                        \
  }                                                                                                          \
  static void CAT(skew_, name)(char *d, const char *s, const move_axis *rows, const move_axis *cols) {       \
    const int64_t w = sizeof(T), line = 64 / w, ds = rows->dst, ss = cols->src, m = rows->n / line * line;   \
    for (int64_t j = 0, n = 0; j < cols->n; j += n) {                                                        \
      const int64_t left = cols->n - j, last = left <= (SKEW_LINES + 1) * line;                              \
      n = last ? left : SKEW_LINES * line;                                                                   \
      for (int64_t i = 0; i < m; i += line)                                                                  \
        CAT(skewed_, name)(d + i * ds + j * w, ds, s + i * w + j * ss, ss, last ? left : n + line, j ? 64 : 0, \
                           last ? 0 : SKEW_LINES);                                                           \
    }                                                                                                        \
    if (m < rows->n) CAT(few_, name)(d + m * ds, ds, s + m * w, ss, rows->n - m, cols->n);                   \
  }
