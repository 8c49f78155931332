// Plans of Fourier transforms as data, which package xla/fourier packs, and the loops that every ISA level provides.
// Places are offsets in bytes from the beginning of the data; tables are pairs (re, im) of the type of the transform.
#ifndef HALO_FFT_PLAN_H
#define HALO_FFT_PLAN_H

#include "../run/record.h"

// How many elements a butterfly transforms, or what else it is.
enum { FFT_ODD = 1, FFT_TWO = 2, FFT_CHIRP = 3, FFT_FOUR = 4, FFT_PLAN = 5, FFT_EIGHT = 8 };

typedef struct {
  int64_t radix, done, rest;
  int64_t turns;     // of element j and column i, at (j-1)*(rest-1)+i-1; of a real pass (j-1)*((rest-1)/2)+i-1
  int64_t kind, fly; // the butterfly
} fft_pass;

typedef struct {
  int64_t n, passes, list;
} fft_plan;

typedef struct {
  int64_t n, waves, groups, list; // sizes of the groups, int64
} fft_odd;

typedef struct {
  int64_t n, m, plan, wave, kernel;
} fft_chirp;

typedef struct {
  int64_t n, passes, list;
  int64_t plan, turns; // if n is folded: of n/2 pairs
} fft_real;

// What a line is before and after its transform.
enum { FFT_COMPLEX, FFT_FORWARD_REAL, FFT_INVERSE_REAL };

// Lines in memory, in numbers (complex or real): line (o, i) begins at o*outer + i*inner, its elements are step apart.
typedef struct {
  int64_t outer, inner, step;
} fft_lines;

// The record: the transform of all lines (o, i), o < outer, i < inner.
typedef struct {
  halo_record head;
  halo_ref dst, src, plan, work;
  fft_lines to, from;
  int64_t outer, inner, n;    // n elements in time
  int64_t half;               // of the spectrum, of a real transform
  int64_t root, kind, forward;
  int64_t work_bytes, tasks;  // of each task
  int64_t lanes, wide, isa;   // wide: f64
  double scale;               // 1 for none
} fft_record;

// A level's loops transform lines from first on, at most lanes of them, as the record says; work is memory of a task.
typedef void (*fft_loop)(const fft_record *r, const char *data, char *dst, const char *src, char *work, int64_t first,
                         int64_t count);

typedef struct {
  fft_loop f32, f64; // of many lanes
  int64_t lanes32, lanes64;
} fft_table;

#if defined(__x86_64__)
extern const fft_table halo_fft_avx2, halo_fft_avx512;
#endif
extern const fft_table halo_fft_base, halo_fft_one; // one: of one lane

// halo_fft_cancel is the cancel word of the run whose task this thread is at. Lines may be long: loops look at it
// between pieces, and leave the rest of their work out.
extern __thread const volatile uint32_t *halo_fft_cancel;
#define STOPPED __builtin_expect(*halo_fft_cancel != 0, 0)

enum { FFT_PIECE = 1 << 13 }; // elements, of all lanes of a level, that take a good deal less than a millisecond

// EACH is a loop over [0, count) in such pieces.
#define EACH(k, count) \
  for (int64_t k##_from = 0, k##_all = (count); k##_from < k##_all && !STOPPED; k##_from += FFT_PIECE) \
    for (int64_t k = k##_from, k##_to = k + FFT_PIECE < k##_all ? k + FFT_PIECE : k##_all; k < k##_to; k++)

void halo_fft(const halo_record *, halo_run *);

#endif
