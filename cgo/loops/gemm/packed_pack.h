/* The packers of one instruction set and one kind. The including file defines T, the type of words; S, that of elements
 * in memory; TERMS, how many of them a word has; ROWS and COLUMNS, lines of a panel; VB, bytes of a vector; NAME;
 * VECTOR(from), the words of a vector's neighbours; WORD(from, term, terms), one word of terms that are so far apart;
 * and ALONG(to, from, term, terms, lines, width), words of neighbouring lines. */

#include "packed_squares.h"

typedef T NAME(anywhere) __attribute__((vector_size(VB), aligned(1), may_alias));
#define vec NAME(vec)
#define LANES NAME(LANES)
#define SIDE NAME(SIDE)

/* pack_square brings a vector's words of some lines, at most SIDE, which lie side by side in memory, to panels. */
INLINE void NAME(pack_square)(const int some, const int width, T *to, const char *from, int64_t line) {
  vec r[SIDE] = {{0}};
#pragma GCC unroll 4
  for (int i = 0; i < some; i++) r[i] = VECTOR(from + i * line);
  NAME(squares)(r);
#pragma GCC unroll 16
  for (int i = 0; i < LANES / SIDE; i++)
#pragma GCC unroll 4
    for (int j = 0; j < SIDE; j++) memcpy(to + (i * SIDE + j) * width, (NAME(quarter) *)&r[j] + i, some * sizeof(T));
}

/* pack_across packs words, of whole vectors, of all lines of a panel, and asks for the places of the next ones. */
INLINE void NAME(pack_across)(const int width, T *to, const char *from, int64_t words, int64_t line) {
  for (int64_t p = 0; p < words; p += LANES, from += LANES * TERMS * sizeof(S)) {
    for (int i = 0; i < width * LANES; i += LANES) __builtin_prefetch(to + (p + LANES) * width + i, 1);
    int i = 0;
    for (; i + SIDE <= width; i += SIDE) NAME(pack_square)(SIDE, width, to + p * width + i, from + i * line, line);
    if (i < width) NAME(pack_square)(width % SIDE, width, to + p * width + i, from + i * line, line);
  }
}

/* pack_words packs word by word, from a first one on, up to terms. */
static void NAME(pack_words)(const int width, T *to, const char *from, int64_t first, int64_t lines, int64_t terms,
                             int64_t line, int64_t term) {
  for (int64_t p = first; p * TERMS < terms; p++)
    for (int64_t i = 0; i < width; i++)
      to[p * width + i] = i < lines ? WORD(from + i * line + p * TERMS * term, term, terms - p * TERMS) : 0;
}

#if TERMS == 1
/* along packs neighbouring lines, a whole panel of them. */
INLINE void NAME(along)(T *to, const char *from, const int width) {
  int i = 0;
  if (sizeof(S) == sizeof(T)) {
    memcpy(to, from, width * sizeof(T));
    return;
  }
  for (; i + LANES <= width; i += LANES) *(NAME(anywhere) *)(to + i) = VECTOR(from + i * sizeof(S));
  for (; i < width; i++) to[i] = WORD(from + i * sizeof(S), 0, 1);
}
#endif

INLINE void NAME(pack)(const int width, T *to, const char *from, int64_t lines, int64_t terms, int64_t line,
                       int64_t term) {
  if (line == sizeof(S) && (lines == width || TERMS > 1)) {
    for (int64_t p = 0; p * TERMS < terms; p++)
      ALONG(to + p * width, from + p * TERMS * term, term, terms - p * TERMS, lines, width);
    return;
  }
  const int64_t words = term == sizeof(S) && lines == width ? terms / TERMS / LANES * LANES : 0;
  NAME(pack_across)(width, to, from, words, line);
  NAME(pack_words)(width, to, from, words, lines, terms, line, term);
}

static void NAME(pack_rows)(void *to, const void *from, int64_t lines, int64_t terms, int64_t line, int64_t term) {
  NAME(pack)(ROWS, to, from, lines, terms, line, term);
}

static void NAME(pack_columns)(void *to, const void *from, int64_t lines, int64_t terms, int64_t line, int64_t term) {
  NAME(pack)(COLUMNS, to, from, lines, terms, line, term);
}

#undef vec
#undef LANES
#undef SIDE
