/* Products of some rows, as they lie, by whole panels of columns, for one type T of sums: all of a block in one call,
 * and little in a tile's loop but what it multiplies. A core that another thread shares begins three instructions a
 * cycle, and a processor sees panels coming that are not far. If they are, two tiles of few rows take three vectors of
 * columns out of panels of two: twelve sums wait less for what is late than eight do. */

/* rows are those of a tile: where they begin, in a and in c. Those that do not count are the last once more. */
typedef struct {
  int64_t height;
  const T *a[ROWS];
  int64_t c[ROWS];
} NAME(rows);

/* next is where the sums of the block behind go, 0 if that is not asked for. Short sums are stored often, and wait for
 * rows of a few lines that come from far, since no processor sees the next row coming. */
typedef struct {
  T *c;
  const T *next;
  int64_t words;
  int first;
  const halo_packed_besides *besides;
} NAME(block_work);

/* one adds the products of a term to the sums of a tile. */
INLINE void NAME(one)(const int height, const int vectors, const T *const *line, int64_t p, const T *b, int64_t second,
                      int64_t third, NAME(sums) (*s)[3]) {
  NAME(sums) right[3];
#pragma GCC unroll 3
  for (int v = 0; v < vectors; v++) right[v] = *(const NAME(in_memory) *)(b + (v == 2 ? third : v ? second : 0));
#pragma GCC unroll 6
  for (int i = 0; i < height; i++) {
    const NAME(sums) left = line[i][p] - (NAME(sums)){0};
#pragma GCC unroll 3
    for (int v = 0; v < vectors; v++) MULTIPLY_ADD(s[i][v], left, right[v]);
  }
}

/* group is a tile of so many rows and vectors of columns, which lie at b and so many elements behind it, and go to a
 * column of c. Sums are complete before one is stored, since rows may be the same. */
INLINE void NAME(group)(const int height, const int vectors, const int asks, const NAME(block_work) *w,
                        const NAME(rows) *r, const T *b, int64_t second, int64_t third, int64_t column,
                        const char *ahead) {
  NAME(sums) s[ROWS][3];
  const T *line[ROWS], *bias = w->besides->bias, *more = w->besides->more, *end = more ? more : w->first ? 0 : w->c;
  const int64_t words = w->words;
#pragma GCC unroll 6
  for (int i = 0; i < height; i++) {
    line[i] = r->a[i];
    if (end) __builtin_prefetch(end + r->c[i] + column);
    if (end) __builtin_prefetch(end + r->c[i] + column + vectors * LANES - 1);
    if (w->next) __builtin_prefetch(w->next + r->c[i] + column + vectors * LANES - 1, 0, 2);
#pragma GCC unroll 3
    for (int v = 0; v < vectors; v++) s[i][v] = (NAME(sums)){0};
  }
  int64_t p = 0;
  for (; p + TOGETHER <= words; p += TOGETHER, b += TOGETHER * 2 * LANES)
#pragma GCC unroll 4
    for (int q = 0; q < TOGETHER; q++) {
      if (asks) __builtin_prefetch(ahead, 0, 2), ahead += ASKED;
      NAME(one)(height, vectors, line, p + q, b + q * 2 * LANES, second, third, s);
      __asm__ volatile("" ::: "memory"); /* else terms are mixed, and sums go round by memory */
    }
  for (; p < words; p++, b += 2 * LANES) NAME(one)(height, vectors, line, p, b, second, third, s);
#define EACH(...)                                                                                                      \
  _Pragma("GCC unroll 6") for (int i = 0; i < height; i++) _Pragma("GCC unroll 3") for (int v = 0; v < vectors; v++)   \
      __VA_ARGS__;
#define AT(p) *(NAME(in_memory) *)((p) + r->c[i] + column + v * LANES)
  if (!w->first) EACH(s[i][v] += AT(w->c))
  if (bias) EACH(s[i][v] += *(const NAME(in_memory) *)(bias + column + v * LANES))
  if (more) EACH(s[i][v] += AT(more))
  if (w->besides->floor) EACH(s[i][v] = (NAME(sums))((NAME(bits))s[i][v] & ~(s[i][v] <= 0)))
  if (w->besides->most) EACH(s[i][v] = NAME(cap)(s[i][v], w->besides->most))
  EACH(AT(w->c) = s[i][v])
#undef EACH
#undef AT
}

#define GROUP(name, height, vectors, asks)                                                                            \
  static __attribute__((noinline)) void name(const NAME(block_work) *w, const NAME(rows) *r, const T *b,              \
                                             int64_t second, int64_t third, int64_t column, const char *ahead) {      \
    NAME(group)(height, vectors, asks, w, r, b, second, third, column, ahead);                                        \
  }
GROUP(NAME(tall_pair), ROWS, 2, 0)
GROUP(NAME(few_pair), FEW, 2, 0)
GROUP(NAME(few_three), FEW, 3, 1)
GROUP(NAME(only_three), FEW, 3, 0)
#undef GROUP

/* divide makes tiles of rows, and returns how many there are. Two rows have too few sums to be made at once: if that is
 * what a whole tile leaves, both have few. */
static int64_t NAME(divide)(NAME(rows) *tile, const T *a, int64_t apart, int64_t row_c, int64_t rows) {
  int64_t tiles = 0;
  for (int64_t i = 0; i < rows; i += tile[tiles++].height) {
    const int64_t left = rows - i;
    NAME(rows) *t = tile + tiles;
    t->height = left <= FEW || left > ROWS && left <= 2 * FEW ? FEW : ROWS;
    for (int64_t j = 0; j < t->height; j++) {
      const int64_t row = j < left ? i + j : rows - 1;
      t->a[j] = a + row * apart, t->c[j] = row * row_c;
    }
  }
  return tiles;
}

/* threes multiplies one tile or two by three panels: by their first three vectors, and by the others. Each of the four
 * asks for its part of the next three panels, where a word's columns are a line. One tile goes on to the next panels so
 * soon that processors see them coming. */
static void NAME(threes)(const NAME(block_work) *w, const NAME(rows) *tile, int64_t tiles, const T *b, int64_t panel,
                         int64_t column) {
  for (int64_t half = 0, part = 0; half < 2; half++)
    for (int64_t i = 0; i < tiles; i++, part += ASKED)
      (tiles > 1 ? NAME(few_three) : NAME(only_three))(
          w, tile + i, b + half * (panel + LANES), half ? panel - LANES : LANES, panel, column + half * 3 * LANES,
          (const char *)(b + (3 + part / 64) * panel) + part % 64 * w->words);
}

static void NAME(block)(const void *a, int64_t apart, const void *b, int64_t panel, void *c, int64_t words,
                        int64_t row_c, int64_t rows, int64_t panels, int first, const halo_packed_besides *besides) {
  const NAME(block_work) w = {c, words <= SHORT && first ? (const T *)c + rows * row_c : 0, words, first, besides};
  NAME(rows) tile[BLOCK];
  const int64_t tiles = NAME(divide)(tile, a, apart, row_c, rows), width = 2 * LANES;
  const T *p = b;
  int64_t j = 0;
  for (; besides->ahead && tiles <= 2 && rows <= tiles * FEW && j + 3 <= panels; j += 3, p += 3 * panel)
    NAME(threes)(&w, tile, tiles, p, panel, j * width);
  for (; j < panels; j++, p += panel)
    for (int64_t i = 0; i < tiles; i++)
      (tile[i].height == FEW ? NAME(few_pair) : NAME(tall_pair))(&w, tile + i, p, LANES, 0, j * width, 0);
}
