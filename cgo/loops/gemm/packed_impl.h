/* The tiles of one instruction set, one type T of sums and vectors of VB bytes. */

typedef T NAME(sums) __attribute__((vector_size(VB)));
typedef __typeof__((NAME(sums)){0} <= 0) NAME(bits);
typedef T NAME(in_memory) __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));
enum { NAME(WIDTH) = VB / sizeof(T) };
#define LANES NAME(WIDTH)

/* part brings the rows and columns that count from a whole tile to c, and ends those sums if besides says so. */
static void NAME(part)(const T *tile, T *c, int64_t row_c, int64_t rows, int64_t columns, int first,
                       const halo_packed_besides *besides) {
  const T *bias = besides ? besides->bias : 0, *more = besides ? besides->more : 0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) {
      T s = tile[i * 2 * LANES + j];
      if (!first) s = c[i * row_c + j] + s;
      if (bias) s += bias[j];
      if (more) s += more[i * row_c + j];
      c[i * row_c + j] = besides && besides->floor && s <= 0 ? 0 : s;
    }
}

/* some is a tile of so many rows and vectors of columns. How says which rows: a panel's, or those at a + row[i], or
 * such as are apart elements apart, which takes fewer registers for addresses. The terms of the latter two are side by
 * side, and there is besides. */
INLINE void NAME(some)(const int height, const int vectors, const int how, const T *a, const int64_t *row,
                       int64_t apart, const T *b, T *c, int64_t words, int64_t row_c, int64_t rows, int64_t columns,
                       int first, const halo_packed_besides *besides) {
  NAME(sums) s[ROWS][2] = {{{0}}};
  const T *line[ROWS], *bias = how ? besides->bias : 0, *more = how ? besides->more : 0;
  const char *ahead = how ? besides->ahead : 0;
  const int64_t step = how ? besides->step : 0;
#pragma GCC unroll 16
  for (int i = 0; i < height; i++) {
    line[i] = how == PLACES ? a + row[i < rows ? i : rows - 1] : a; /* what is no row is the last once more */
    if (how == APART) line[i] = a + i / 4 * 4 * apart;
    if (i < rows) __builtin_prefetch(c + i * row_c, 0, 2), __builtin_prefetch(c + i * row_c + columns - 1, 0, 2);
    if (more && i < rows) __builtin_prefetch(more + i * row_c), __builtin_prefetch(more + i * row_c + columns - 1);
  }
  for (int64_t p = 0; p < words; p++, a += ROWS, b += 2 * LANES) {
    if (!how) __builtin_prefetch(a + 32 * ROWS);
    if (how) __builtin_prefetch(ahead, 0, 2), ahead += step;
    NAME(sums) right[2];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
      __builtin_prefetch(b + 64 * LANES + v * LANES);
      right[v] = *(const NAME(in_memory) *)(b + v * LANES);
    }
#pragma GCC unroll 16
    for (int i = 0; i < height; i++)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; v++)
        s[i][v] += (how == PANEL ? a[i] : line[i][how == APART ? i % 4 * apart + p : p]) * right[v];
  }
  if (rows < height || columns < vectors * LANES) {
    T whole[ROWS * 2 * LANES];
    memcpy(whole, s, sizeof whole);
    NAME(part)(whole, c, row_c, rows, columns, first, besides);
    return;
  }
#define EACH(...)                                                                                                      \
  _Pragma("GCC unroll 16") for (int i = 0; i < height; i++)                                                            \
      _Pragma("GCC unroll 2") for (int v = 0; v < vectors; v++) __VA_ARGS__;
#define AT(p) *(NAME(in_memory) *)((p) + i * row_c + v * LANES)
  if (!first) EACH(s[i][v] += AT(c))
  if (bias) EACH(s[i][v] += *(const NAME(in_memory) *)(bias + v * LANES))
  if (more) EACH(s[i][v] += AT(more))
  if (how && besides->floor) EACH(s[i][v] = (NAME(sums))((NAME(bits))s[i][v] & ~(s[i][v] <= 0)))
  EACH(AT(c) = s[i][v])
#undef EACH
#undef AT
}

/* tile leaves out whole thirds of rows and halves of columns that do not count; so does near. */
#define SOME(how, thirds, vectors)                                                                                     \
  NAME(some)(thirds * ROWS / 3, vectors, how, a, row, apart, b, c, words, row_c, rows, columns, first, besides)
#define TILE(how)                                                                                                      \
  const int half = columns <= LANES;                                                                                   \
  if (rows * 3 <= ROWS)                                                                                                \
    half ? SOME(how, 1, 1) : SOME(how, 1, 2);                                                                          \
  else if (rows * 3 <= 2 * ROWS)                                                                                       \
    half ? SOME(how, 2, 1) : SOME(how, 2, 2);                                                                          \
  else                                                                                                                 \
    half ? SOME(how, 3, 1) : SOME(how, 3, 2);

static void NAME(tile)(const void *a, const void *b, void *c, int64_t words, int64_t row_c, int64_t rows,
                       int64_t columns, int first) {
  const int64_t *row = 0, apart = 0;
  const halo_packed_besides *besides = 0;
  TILE(PANEL)
}

static void NAME(near)(const void *a, const int64_t *row, int64_t apart, const void *b, void *c, int64_t words,
                       int64_t row_c, int64_t rows, int64_t columns, int first, const halo_packed_besides *besides) {
  if (!row && rows * 3 % ROWS == 0) {
    TILE(APART)
    return;
  }
  int64_t places[ROWS];
  for (int i = 0; i < ROWS; i++) places[i] = row ? row[i < rows ? i : rows - 1] : i * apart;
  row = places;
  TILE(PLACES)
}

#undef SOME
#undef TILE
#undef LANES
