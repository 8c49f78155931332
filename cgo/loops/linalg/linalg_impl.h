/* The kernels of one instruction set and one type. The including file defines T, the type; BITS, the unsigned integer
 * of its size; ABS and INF, the bits of an absolute value and of infinity; LEAST, the least normal number; VB, bytes of
 * a vector; MR, rows, and NV, vectors of columns of a tile; NAME(x), names of this set and type. */

enum { NAME(VL) = VB / sizeof(T), NAME(W) = NV * VB / sizeof(T) };
#define VL NAME(VL)
#define W NAME(W)
#define vec NAME(any)
#define ivec NAME(ivec)
#define job NAME(job)

#include "../gemm/packed_squares.h"

typedef T vec __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));
typedef BITS ivec __attribute__((vector_size(VB), aligned(sizeof(T)), may_alias));

/* job is a block of nb columns from j0 on, packed: element i of column k is p[k * ld + i], where row 0 is row j0. It
 * changes columns from begin to end; of an upper triangular factor, rows up to end. If rows is not 0, it has the rows
 * behind the block once more, MR by MR, each time nb columns, since columns of a large matrix are pages apart. Who
 * brings the columns of next, the block behind this one, up to date factors it, while others do the rest; bad is what
 * came of it. */
typedef struct job {
  T *a, *p, *rows;
  int64_t m, n, ld, j0, nb, begin, end;
  int32_t *pivots; /* of the block, from 0 on */
  int lower;
  struct job *next;
  int64_t bad;
  halo_run *run;
} job;

enum { NAME(INNER) = 8 };

/* first returns the least of the rows of the lanes that have the greatest of many. */
static int64_t NAME(first)(ivec many, ivec row) {
  BITS most = 0, at = 0;
  for (int v = 0; v < VL; v++)
    if (v == 0 || many[v] > most || (many[v] == most && row[v] < at)) most = many[v], at = row[v];
  return at;
}

/* take takes the product of n columns from b on off column k of a packed block, from row i on; of a factorization with
 * exchanges the rows of those columns come first. With search it returns the first row, from i on, with the greatest
 * magnitude; NaN is none. Bits of magnitudes are in the order of the numbers, NaN's behind those of infinity. Places
 * behind the rows that fill a vector are zero, or become NaN. */
INLINE int64_t NAME(take)(const int n, const int search, job *w, int64_t b, int64_t k, int64_t i, int64_t rows) {
  const int64_t ld = w->ld;
  const T *l = w->p + b * ld;
  T *c = w->p + k * ld, x[NAME(INNER)];
#pragma GCC unroll 8
  for (int q = 0; q < n; q++) {
    x[q] = w->pivots ? c[b + q] : l[q * ld + k];
    if (w->pivots) {
#pragma GCC unroll 8
      for (int r = 0; r < q; r++) x[q] -= l[r * ld + b + q] * x[r];
      c[b + q] = x[q];
    }
  }
  ivec many = {0}, at = {0}, row = many + (BITS)i;
  for (int v = 0; v < VL; v++) at[v] = i + v;
  for (; i < rows; i += VL, at += VL) {
    vec s = *(vec *)(c + i), t = {0};
#pragma GCC unroll 8
    for (int q = 0; q < n; q += 2) s -= x[q] * *(const vec *)(l + q * ld + i);
#pragma GCC unroll 8
    for (int q = 1; q < n; q += 2) t += x[q] * *(const vec *)(l + q * ld + i);
    if (n > 1) s -= t;
    if (n) *(vec *)(c + i) = s;
    if (search) {
      const ivec y = (ivec)s & ABS, more = (y > many) & (y <= INF);
      many = (y & more) | (many & ~more);
      row = (at & more) | (row & ~more);
    }
  }
  return search ? NAME(first)(many, row) : 0;
}

#define TAKE(n)                                                                                                  \
  static int64_t NAME(take_##n)(job *w, int64_t b, int64_t k, int64_t i, int64_t rows) {                         \
    return NAME(take)(n, n < NAME(INNER), w, b, k, i, rows);                                                     \
  }
#define TAKES TAKE(0) TAKE(1) TAKE(2) TAKE(3) TAKE(4) TAKE(5) TAKE(6) TAKE(7) TAKE(8)
TAKES
#undef TAKE
#define TAKE(n) NAME(take_##n),
static int64_t (*const NAME(takes)[])(job *, int64_t, int64_t, int64_t, int64_t) = {TAKES};
#undef TAKE
#undef TAKES

/* step makes column j of a packed block, where row best has the greatest magnitude: exchanges rows and divides, or
 * takes the root and divides. It returns 0 where that cannot be. */
static int NAME(step)(job *w, int64_t j, int64_t rows, int64_t best) {
  T *c = w->p + j * w->ld;
  if (w->pivots) {
    if (c[j] != c[j]) best = j;
    w->pivots[j] = (int32_t)best;
    if (c[best] == 0) return 0;
    if (best != j)
      for (int64_t k = 0; k < w->nb; k++) {
        T *x = w->p + k * w->ld, t = x[j];
        x[j] = x[best], x[best] = t;
      }
  } else {
    if (!(c[j] > 0)) return 0;
    c[j] = ROOT(c[j]);
  }
  const T d = c[j];
  const int safe = d >= LEAST || d <= -LEAST;
  const T inverse = 1 / d;
  for (int64_t i = j + 1; i < rows; i += VL) {
    vec *to = (vec *)(c + i);
    *to = safe ? *to * inverse : *to / d;
  }
  return 1;
}

/* panel factors a packed block, with exchanges if it has pivots. It returns the first column that fails, from 1, else
 * 0; with exchanges it goes on. */
static int64_t NAME(panel)(job *w, int64_t rows) {
  int64_t bad = 0;
  for (int64_t b = 0, e; b < w->nb; b = e) {
    e = LEAST_OF(b + NAME(INNER), w->nb);
    for (int64_t j = b; j < e; j++) {
      const int64_t best = NAME(takes)[j - b](w, b, j, j, rows);
      const int ok = NAME(step)(w, j, rows, best);
      if (!ok && !bad) bad = j + 1;
      if (!ok && !w->pivots) return bad;
    }
    for (int64_t k = e; k < w->nb; k++) NAME(takes)[NAME(INNER)](w, b, k, w->pivots ? e : k, rows);
  }
  return bad;
}

/* tile takes the product of mr rows, the elements of a column side by side and columns lda apart, and of b, n by W, off
 * a tile of the matrix, nv vectors wide. The tile below comes next. With square it solves for these rows, whose factors
 * stand behind the product's. */
INLINE void NAME(tile)(const int mr, const int nv, const int square, int64_t n, const T *a, int64_t lda, const T *b,
                       T *c, int64_t stride) {
  vec acc[MR][NV];
#pragma GCC unroll 16
  for (int r = 0; r < mr; r++)
#pragma GCC unroll 4
    for (int v = 0; v < nv; v++) {
      acc[r][v] = *(const vec *)(c + r * stride + v * VL);
      __builtin_prefetch(c + (mr + r) * stride + v * VL);
    }
  for (int64_t k = 0; k < n; k++, a += lda, b += W) {
    vec x[NV];
    if (!square) __builtin_prefetch(a + AHEAD);
#pragma GCC unroll 4
    for (int v = 0; v < nv; v++) x[v] = *(const vec *)(b + v * VL);
#pragma GCC unroll 16
    for (int r = 0; r < mr; r++) {
      const T y = a[r];
#pragma GCC unroll 4
      for (int v = 0; v < nv; v++) acc[r][v] -= y * x[v];
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < mr; r++)
#pragma GCC unroll 4
    for (int v = 0; v < nv; v++) {
      if (square)
#pragma GCC unroll 8
        for (int q = 0; q < r; q++) acc[r][v] -= a[q * lda + r] * acc[q][v];
      *(vec *)(c + r * stride + v * VL) = acc[r][v];
    }
}

/* update is tile for mr rows from i on: if the job has rows, within MR of them from nb on. */
INLINE void NAME(update)(const int mr, const int nv, const job *w, int64_t i, const T *b, T *c, int64_t stride) {
  const int64_t in = (i - w->nb) % MR;
  if (w->rows)
    NAME(tile)(mr, nv, 0, w->nb, w->rows + (i - w->nb - in) * w->nb + in, MR, b, c, stride);
  else
    NAME(tile)(mr, nv, 0, w->nb, w->p + i, w->ld, b, c, stride);
}

static void NAME(whole)(const job *w, int64_t i, const T *b, T *c, int64_t stride) {
  NAME(update)(MR, NV, w, i, b, c, stride);
}

/* down is update for rows from i on, c and what follows, of which it leaves out less than 2. It returns where. */
INLINE int64_t NAME(down)(const int nv, const job *w, int64_t i, int64_t rows, const T *b, T *c) {
  for (; i + MR <= rows; i += MR, c += MR * w->n) NAME(update)(MR, nv, w, i, b, c, w->n);
  if (MR > 4 && i + 4 <= rows) NAME(update)(4, nv, w, i, b, c, w->n), i += 4, c += 4 * w->n;
  if (MR > 2 && i + 2 <= rows) NAME(update)(2, nv, w, i, b, c, w->n), i += 2;
  return i;
}

static int64_t NAME(down_whole)(const job *w, int64_t i, int64_t rows, const T *b, T *c) {
  return NAME(down)(NV, w, i, rows, b, c);
}

static int64_t NAME(down_half)(const job *w, int64_t i, int64_t rows, const T *b, T *c) {
  return NAME(down)(NV / 2, w, i, rows, b, c);
}

/* part is update where only the elements from first[r] to end[r] of each of mr rows belong to the matrix. */
static void NAME(part)(const job *w, int64_t i, int64_t mr, const T *b, T *c, int64_t width, const int64_t *first,
                       const int64_t *end) {
  T some[MR * W];
  memset(some, 0, sizeof some);
  for (int64_t r = 0; r < mr; r++) memcpy(some + r * W, c + r * w->n, width * sizeof(T));
  NAME(whole)(w, i, b, some, W);
  for (int64_t r = 0; r < mr; r++)
    if (first[r] < end[r]) memcpy(c + r * w->n + first[r], some + r * W + first[r], (end[r] - first[r]) * sizeof(T));
}

/* repack makes the job's rows. */
static void NAME(repack)(job *w, T *to) {
  const int64_t end = w->m - w->j0;
  w->rows = to;
  for (int64_t i = w->nb; i < end; i += MR)
    for (int64_t k = 0; k < w->nb; k++, to += MR) memcpy(to, w->p + k * w->ld + i, MR * sizeof(T));
}

static void NAME(exchange)(const job *w, int64_t column, int64_t width) {
  for (int64_t k = 0; k < w->nb; k++) {
    if (w->pivots[k] == k) continue;
    T *x = w->a + (w->j0 + k) * w->n + column, *y = w->a + (w->j0 + w->pivots[k]) * w->n + column, t;
    for (int64_t j = 0; j < width; j++) t = x[j], x[j] = y[j], y[j] = t;
  }
}

/* top solves for the rows of the block in a strip, b. */
static void NAME(top)(const job *w, T *b) {
  int64_t k = 0;
  for (; k + 4 <= w->nb; k += 4) NAME(tile)(4, NV, 1, k, w->p + k, w->ld, b, b + k * W, W);
  for (; k < w->nb; k++) NAME(tile)(1, NV, 1, k, w->p + k, w->ld, b, b + k * W, W);
}

/* lines copies width elements of some lines. */
static void NAME(lines)(T *to, int64_t line_to, const T *from, int64_t line_from, int64_t lines, int64_t width) {
  for (; lines > 0; lines--, to += line_to, from += line_from)
    if (width == W)
      memcpy(to, from, sizeof(T) * W);
    else
      memcpy(to, from, sizeof(T) * width);
}

/* lu_strip brings a strip of columns behind the block up to date. */
static void NAME(lu_strip)(const job *w, int64_t column, int64_t width) {
  T b[LINALG_OUTER * W] __attribute__((aligned(64)));
  NAME(exchange)(w, column, width);
  T *top = w->a + w->j0 * w->n + column;
  if (width < W) memset(b, 0, w->nb * W * sizeof(T));
  NAME(lines)(b, W, top, w->n, w->nb, width);
  NAME(top)(w, b);
  NAME(lines)(top, w->n, b, W, w->nb, width);
  int64_t i = w->nb, rows = w->m - w->j0;
  if (width == W) i = NAME(down_whole)(w, i, rows, b, top + i * w->n);
  if (width == W / 2) i = NAME(down_half)(w, i, rows, b, top + i * w->n);
  int64_t first[MR] = {0}, end[MR];
  for (int r = 0; r < MR; r++) end[r] = width;
  for (; i < rows; i += MR)
    NAME(part)(w, i, rows - i < MR ? rows - i : MR, b, top + i * w->n, width, first, end);
}

enum { NAME(STRIPS) = W < 64 ? 64 / W : 1 }; /* of a task: no less than the columns of a block */

static int64_t NAME(blocks)(job *o, halo_run *run, int alone);

/* lu_task is tasks for some strips each, the first of which factors the next block, and a last one for the columns
 * before the block: that others take while the first is under way. */
static void NAME(lu_task)(void *arg, int64_t task) {
  const job *w = arg;
  int64_t c = w->j0 + w->nb + task * NAME(STRIPS) * W;
  if (c >= w->end) {
    NAME(exchange)(w, w->begin, w->j0 - w->begin);
    return;
  }
  for (int s = 0; s < NAME(STRIPS) && c < w->end; s++, c += W) NAME(lu_strip)(w, c, w->end - c < W ? w->end - c : W);
  if (task == 0 && w->next) w->next->bad = NAME(blocks)(w->next, w->run, 1);
}

/* chol_strip brings a strip of columns behind the block up to date, in the triangle that is the factor's. */
static void NAME(chol_strip)(const job *w, int64_t column, int64_t width) {
  const int64_t c = column - w->j0, rows = w->n - w->j0;
  T b[LINALG_OUTER * W] __attribute__((aligned(64)));
  for (int64_t k = 0; k < w->nb; k++) memcpy(b + k * W, w->p + k * w->ld + c, sizeof(T) * W);
  const int64_t last = w->lower ? rows : LEAST_OF(c + width, w->end - w->j0);
  int64_t i = w->lower ? w->nb + (c - w->nb) / MR * MR : w->nb;
  for (; i < last; i += MR) {
    const int64_t mr = last - i < MR ? last - i : MR;
    T *at = w->a + (w->j0 + i) * w->n + column;
    const int inside = w->lower ? i >= c + width - 1 : i + MR - 1 <= c;
    if (inside && width == W && mr == MR) {
      NAME(whole)(w, i, b, at, w->n);
      continue;
    }
    int64_t first[MR], end[MR];
    for (int64_t r = 0; r < mr; r++) {
      const int64_t diagonal = i + r - c; /* the place of the diagonal in the strip */
      first[r] = w->lower ? 0 : diagonal > 0 ? diagonal : 0;
      end[r] = w->lower && diagonal + 1 < width ? diagonal + 1 : width;
    }
    NAME(part)(w, i, mr, b, at, width, first, end);
  }
}

static void NAME(chol_task)(void *arg, int64_t task) {
  const job *w = arg;
  int64_t c = w->j0 + w->nb + task * NAME(STRIPS) * W;
  const int64_t end = w->lower ? w->end : w->n;
  for (int s = 0; s < NAME(STRIPS) && c < end; s++, c += W) NAME(chol_strip)(w, c, end - c < W ? end - c : W);
}

/* turn transposes: element c of line r becomes element r of line c. */
static void NAME(turn)(const T *from, int64_t line_from, T *to, int64_t line_to, int64_t lines, int64_t width) {
  enum { SOME = 64, LANES = NAME(LANES), SIDE = NAME(SIDE) };
  const int64_t down = lines / SIDE * SIDE, across = width / LANES * LANES;
  for (int64_t top = 0; top < down; top += SOME)
    for (int64_t c = 0; c < across; c += LANES)
      for (int64_t r = top; r < down && r < top + SOME; r += SIDE) {
        NAME(vec) v[SIDE];
#pragma GCC unroll 4
        for (int j = 0; j < SIDE; j++) memcpy(&v[j], from + (r + j) * line_from + c, VB);
        NAME(squares)(v);
#pragma GCC unroll 16
        for (int i = 0; i < LANES / SIDE; i++)
#pragma GCC unroll 4
          for (int j = 0; j < SIDE; j++) memcpy(to + (c + i * SIDE + j) * line_to + r, (NAME(quarter) *)&v[j] + i, 16);
      }
  for (int64_t r = 0; r < lines; r++)
    for (int64_t c = r < down ? across : 0; c < width; c++) to[c * line_to + r] = from[r * line_from + c];
}

/* copy moves the block between the matrix and its packed form; of a symmetric matrix only the triangle. */
static void NAME(copy)(const job *w, int64_t rows, int triangle, int pack) {
  const int across = triangle && !w->lower; /* the block is rows of the matrix */
  T *a = w->a + w->j0 * (w->n + 1), *p = w->p;
  for (int64_t k = 0; k < w->nb && pack; k++) memset(p + k * w->ld + rows, 0, VB);
  if (across) {
    for (int64_t k = 0; k < w->nb; k++) {
      T *x = a + k * w->n + k, *y = p + k * w->ld + k;
      memcpy(pack ? y : x, pack ? x : y, (rows - k) * sizeof(T));
    }
    return;
  }
  const int64_t head = triangle ? w->nb : 0;
  for (int64_t k = 0; k < head; k++)
    for (int64_t r = k; r < head; r++) {
      T *x = a + r * w->n + k, *y = p + k * w->ld + r;
      *(pack ? y : x) = *(pack ? x : y);
    }
  a += head * w->n, p += head;
  if (pack)
    NAME(turn)(a, w->n, p, w->ld, rows - head, w->nb);
  else
    NAME(turn)(p, w->ld, a, w->n, w->nb, rows - head);
}

/* behind brings what a block changes up to date; before is a task more, for what is before the block. */
static void NAME(behind)(job *w, int64_t columns, int64_t before, halo_task task, halo_run *run, int alone) {
  const int64_t strips = (columns + W - 1) / W, tasks = before + (strips + NAME(STRIPS) - 1) / NAME(STRIPS);
  if (!alone && 2.0 * columns * (w->m - w->j0) * w->nb > LINALG_ALONE)
    run->parallel(run, tasks, task, w);
  else
    for (int64_t i = 0; i < tasks && !*run->cancel; i++) task(w, i);
}

/* blocks factors an outer block by inner ones, all packed. It returns as panel does, or -1 if the run was cancelled. */
static int64_t NAME(blocks)(job *o, halo_run *run, int alone) {
  int64_t bad = 0;
  for (int64_t q = 0, nb; q < o->nb; q += nb) {
    nb = LEAST_OF(o->nb - q, LINALG_BLOCK);
    job w = *o;
    w.j0 += q, w.p += q * o->ld + q, w.nb = nb, w.begin = o->j0, w.end = o->j0 + o->nb;
    if (w.pivots) w.pivots += q;
    const int64_t rows = o->m - w.j0, triangle = !w.pivots;
    NAME(copy)(&w, rows, triangle, 1);
    const int64_t failed = NAME(panel)(&w, rows);
    if (failed && !bad) bad = q + failed;
    if (failed && triangle) return bad;
    NAME(copy)(&w, rows, triangle, 0);
    const int64_t columns = (triangle && !w.lower ? w.n : w.end) - w.j0 - nb;
    NAME(behind)(&w, columns, !triangle, triangle ? NAME(chol_task) : NAME(lu_task), run, alone);
    for (int64_t k = 0; k < nb && w.pivots; k++) {
      const int64_t x = q + k, y = q + w.pivots[k];
      for (int64_t c = 0; c < q && x != y; c++) {
        T *column = o->p + c * o->ld, t = column[x];
        column[x] = column[y], column[y] = t;
      }
    }
    for (int64_t k = 0; k < nb && w.pivots; k++) w.pivots[k] += (int32_t)q;
    if (*run->cancel) return -1;
  }
  return bad;
}

static int64_t NAME(outer)(int64_t n) {
  return n > LINALG_LARGE ? LINALG_OUTER : n > LINALG_SMALL ? LINALG_MIDDLE : LINALG_BLOCK;
}

/* begin makes w the block from j0 on. */
static void NAME(begin)(job *w, int64_t j0, int64_t least, int64_t block, int32_t *pivots) {
  w->j0 = j0, w->nb = LEAST_OF(least - j0, block), w->pivots = pivots + j0, w->rows = 0, w->next = 0;
}

static int64_t NAME(lu)(void *a, int64_t m, int64_t n, int32_t *pivots, void *scratch, halo_run *run, int alone) {
  const int64_t least = LEAST_OF(m, n), block = NAME(outer)(least);
  int64_t info = 0;
  job both[2] = {{.a = a, .p = scratch, .m = m, .n = n, .ld = LINALG_LD(m), .end = n, .run = run}}, *w = both;
  both[1] = both[0], both[1].p += (w->ld + 1) * LINALG_OUTER;
  NAME(begin)(w, 0, least, block, pivots);
  w->bad = NAME(blocks)(w, run, alone);
  for (job *other; least > 0; w = other) {
    const int64_t end = w->j0 + w->nb;
    if (w->bad < 0) return w->bad;
    if (w->bad && !info) info = w->j0 + w->bad;
    other = both + (w == both);
    NAME(begin)(other, end, least, block, pivots);
    if (block == LINALG_OUTER)
      other->p = w->p, NAME(repack)(w, w->p + (w->ld + 1) * LINALG_OUTER);
    else if (end < least)
      w->next = other;
    NAME(behind)(w, n - end, 1, NAME(lu_task), run, alone);
    if (*run->cancel) return -1;
    for (int64_t k = 0; k < w->nb; k++) w->pivots[k] += (int32_t)w->j0 + 1;
    if (end == least) break;
    if (!w->next) other->bad = NAME(blocks)(other, run, alone);
  }
  return info;
}

static int64_t NAME(cholesky)(void *a, int64_t n, int lower, void *scratch, halo_run *run, int alone) {
  const int64_t block = n > LINALG_TALL ? LINALG_OUTER : LINALG_BLOCK;
  job w = {.a = a, .p = scratch, .m = n, .n = n, .ld = LINALG_LD(n), .end = n, .lower = lower};
  for (w.j0 = 0; w.j0 < n; w.j0 += w.nb) {
    w.nb = LEAST_OF(n - w.j0, block);
    const int64_t bad = NAME(blocks)(&w, run, alone);
    if (bad) return bad < 0 ? bad : w.j0 + bad;
    if (block == LINALG_OUTER) NAME(repack)(&w, w.p + (w.ld + 1) * LINALG_OUTER);
    NAME(behind)(&w, n - w.j0 - w.nb, 0, NAME(chol_task), run, alone);
    w.rows = 0;
    if (*run->cancel) return -1;
  }
  return 0;
}

#undef vec
#undef ivec
#undef job
#undef VL
#undef W
