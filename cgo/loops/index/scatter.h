// scatter.h: updates are folded into an array, by a loop or by a program.
#ifndef HALO_SCATTER_H
#define HALO_SCATTER_H

#include "index.h"

// The reducers, in the order of kernel.Reducer.
enum {
  FOLD_NONE,
  FOLD_ASSIGN,
  FOLD_ADD,
  FOLD_MULTIPLY,
  FOLD_MINIMUM,
  FOLD_MAXIMUM,
  FOLD_AND,
  FOLD_OR,
  FOLD_XOR,
  FOLDS
};

// The types that loops fold. Assignments take the unsigned type of their width, or WIDE.
enum {
  OF_S8,
  OF_S16,
  OF_S32,
  OF_S64,
  OF_U8,
  OF_U16,
  OF_U32,
  OF_U64,
  OF_F32,
  OF_F64,
  OF_BF16,
  OF_F16,
  OF_C64,
  OF_C128,
  OF_WIDE,
  OF_TYPES
};

// Lines of n updates each, and where they go: what is below 0 there is left out. Neighbours on a line are some bytes
// apart. Without windowed they have no gaps, and each line begins every bytes behind the one before and asks for what
// is ahead bytes behind it.
typedef struct {
  const int64_t *windowed, *operand;
  int64_t lines, n, windowed_step, operand_step, every, ahead;
  int far; // the array does not fit the second cache
} fold_lines;

// How lines are folded into an array.
typedef void (*fold_line)(char *dst, const char *src, const fold_lines *);

// How single updates are folded: at places, of which those below 0 are left out, or where index vectors of one entry
// say, of 32 bits or 64 with a sign.
typedef struct {
  void (*each)(char *dst, const char *src, const index_places *, int64_t n);
  void (*along[2])(char *dst, const char *src, index_stretch, index_entry);
} fold;

extern const fold halo_folds[FOLDS][OF_TYPES];

// An array, what it is copied from, and the updates.
typedef struct {
  halo_ref dst, src, updates;
  int64_t width, bytes;
} scatter_array;

// One dimension of a window.
typedef struct {
  int64_t n, windowed, operand, pad;
} scatter_axis;

// One scatter: several arrays if a program folds them together. No window crosses a multiple of slab bytes of the first
// array. All windows take the same part of it along axis number free, or free is below 0.
typedef struct {
  int64_t bytes; // of it all
  int64_t reducer, type;
  int64_t slab, free, elements; // elements of a window
  int64_t axes, arrays;
  index_plan plan; // after it the axes, the arrays and, without a reducer, the program
} scatter_body;

// The record: scatters one after the other.
typedef struct {
  halo_record head;
  int64_t scatters, pad;
} scatter_record;

void halo_scatter(const halo_record *, halo_run *);

#endif
