// Strided copies: the arguments of a record, and the loops that every ISA level provides.
#ifndef HALO_MOVE_H
#define HALO_MOVE_H

#include "../run/record.h"

// One axis of a box: n steps, in bytes apart, of which part are in one task.
typedef struct {
  int64_t n, dst, src, part;
} move_axis;

enum { MOVE_RUN, MOVE_FILL, MOVE_PLANE, MOVE_LINE, MOVE_KINDS };

// A loop moves the two innermost axes of a box.
typedef void (*move_loop)(char *dst, const char *src, const move_axis *rows, const move_axis *cols);

// Turns write n elements of each of k arrays, whose elements are step bytes apart, in turn.
typedef void (*move_turns)(char *dst, const char *const *src, const int64_t *step, int64_t n, int64_t k);

// A level's loops by kind and by the logarithm of the width; stream has those whose stores bypass the cache, for
// destinations of which every row begins a cache line, or if skews for planes with rows that begin anywhere.
typedef struct {
  move_loop loop[MOVE_KINDS][5];
  move_loop stream[MOVE_KINDS][5];
  move_turns turns[5];
  int skews;
} move_table;

#if defined(__x86_64__)
extern const move_table halo_move_avx2, halo_move_avx512;
#endif
extern const move_table halo_move_base;

// An entry of an index vector: clamped to 0 to limit, times stride, it is added to the place of the first element.
typedef struct {
  halo_ref ref;
  int64_t type; // logarithm of the bytes, and MOVE_SIGNED
  int64_t limit, stride;
  int64_t in_src; // the place in the source, else in the destination
} move_index;

enum { MOVE_SIGNED = 8 };

// A box: where it is, then its axes and its indices.
typedef struct {
  halo_ref dst, src;
  int64_t kind, log_width, stream, in_place; // in_place: nothing to do if the addresses are equal
  int64_t tasks, axes, indices, pad;
} move_box;

// The record: boxes that move one after the other, or together: a task does its part of each.
typedef struct {
  halo_record head;
  int64_t boxes, isa, together, pad;
} halo_move_record;

void halo_move(const halo_record *, halo_run *);

// A view: instead of what a box would copy, the slot gets its address.
typedef struct {
  halo_record head;
  halo_ref src;
  int64_t slot, indices;
} halo_view_record;

void halo_view(const halo_record *, halo_run *);

// halo_move_loop returns a loop for an instruction set, by run.ISA.
move_loop halo_move_loop(int64_t isa, int64_t kind, int64_t log_width, int64_t stream);

enum { MOVE_MAX_AXES = 64 };

// move_count goes through the outer axes and calls the loop for the last two.
static inline void move_count(move_loop loop, char *d, const char *s, const move_axis *axes, int64_t rank) {
  const int64_t outer = rank - 2;
  if (outer == 0) {
    loop(d, s, &axes[0], &axes[1]);
    return;
  }
  int64_t index[MOVE_MAX_AXES], k;
  for (k = 0; k < outer; k++) index[k] = 0;
  do {
    loop(d, s, &axes[outer], &axes[outer + 1]);
    for (k = outer - 1; k >= 0; k--) {
      d += axes[k].dst, s += axes[k].src;
      if (++index[k] < axes[k].n) break;
      d -= axes[k].n * axes[k].dst, s -= axes[k].n * axes[k].src;
      index[k] = 0;
    }
  } while (k >= 0);
}

// move_place makes the axes of task i of a box, whose first element is so many bytes behind that of the box.
static inline void move_place(move_axis *axes, int64_t *dst, int64_t *src, const move_axis *box, int64_t rank,
                              int64_t i) {
  *dst = *src = 0;
  for (int64_t k = rank - 1; k >= 0; k--) {
    move_axis a = box[k];
    const int64_t parts = (a.n + a.part - 1) / a.part, first = i % parts * a.part;
    i /= parts;
    *dst += first * a.dst, *src += first * a.src;
    a.n = a.n - first < a.part ? a.n - first : a.part;
    axes[k] = a;
  }
}

// move_part moves task i of a box.
static inline void move_part(move_loop loop, char *d, const char *s, const move_axis *box, int64_t rank, int64_t i) {
  move_axis axes[MOVE_MAX_AXES];
  int64_t dst, src;
  move_place(axes, &dst, &src, box, rank, i);
  move_count(loop, d + dst, s + src, axes, rank);
}

#endif
