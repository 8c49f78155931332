// Transforms whose arithmetic is free within the error of the type: butterflies of up to 16 elements with fused
// multiply-adds, in vectors along one line or across neighbouring ones. Package fft packs their plans in Go.
// Places are offsets in bytes from the beginning of a plan; roots are exp(-2 pi i k/n), of the type of the transform.
#ifndef HALO_FFT_SWIFT_H
#define HALO_FFT_SWIFT_H

#include "plan.h"

// The largest prime that is summed by the formula. Of those above, convolutions are always cheaper.
#define SWIFT_PRIME 199

// A pass makes element (k + done*j, i) of (k, j, i), j < radix, k < done, i < rest: elements that are rest apart become
// elements that are done*rest apart.
typedef struct {
  int64_t radix, done, rest;
  int64_t roots; // of column i and element j > 0, at i*(radix-1)+j-1
  int64_t waves; // of a prime that has no butterfly: exp(-2 pi i j k/radix) for k and j from 1 to radix/2; else 0
} swift_pass;

// Bluestein's convolution, through a transform of m numbers: with wave w(k) = exp(-pi i k*k/n) and, over m, the
// transform of 1/w.
typedef struct {
  int64_t m, plan, wave, kernel;
} swift_chirp;

// The transform of n elements, in passes, or else by a convolution.
typedef struct {
  int64_t n, passes, list;
  int64_t chirp;
} swift_plan;

// A line of a*b elements: b columns of a elements, whose results are turned and become a columns of b elements. Each
// group of columns has so many turns, which are vectors: one for each result or, if products says so, those of the
// first results of the last pass and of its elements, whose products are the turns. A line that becomes a column beside
// others is of b elements. One of n < a*b elements is convolved, through a*b.
typedef struct {
  int64_t a, b, columns, rows; // the plans of both
  int64_t turns, count, products;
  int64_t halves; // of 2n reals: exp(-2 pi i (k/2n + 1/4))/2 for k from 0 to n/2; of n reals or complex numbers 0
  int64_t n, wave, kernel; // the tables as in a swift_chirp, if it is convolved, else 0
} swift_line;

typedef struct {
  halo_record head;
  halo_ref dst, src, plan, work;
  int64_t outer, inner, n;     // inner: neighbouring columns; 0: contiguous lines
  int64_t root, kind, forward; // kinds as in fft_record
  int64_t work_bytes, tasks;   // of each task
  int64_t shared_bytes;        // of one long line, whose groups are tasks; else 0
  int64_t together;            // lines become columns, as many as there are lanes
  int64_t staged;              // contiguous lines are transformed in work, and go there and back as they lie in memory
  int64_t wide, isa;
  double scale;                // 1 for none
} swift_record;

// swift_job is what tasks share.
typedef struct {
  const swift_record *r;
  halo_run *run;
  const char *data;
  char *dst, *src, *work;
  int64_t phase, line; // of long lines
} swift_job;

// The phases of a line: between reals and complex numbers, times w, two sets of columns, times the kernel, both sets
// again, times w, and back.
enum { SWIFT_LOAD, SWIFT_WAVE, SWIFT_DOWN, SWIFT_ACROSS, SWIFT_KERNEL, SWIFT_DOWN_AGAIN, SWIFT_ACROSS_AGAIN,
       SWIFT_WAVE_AGAIN, SWIFT_STORE, SWIFT_PHASES };

// A level's loops: columns [first, first+lanes) of outer o; lines [first, first+lanes), which become columns; lines
// [first, end); one part of a phase of a long line.
typedef struct {
  void (*columns)(const swift_job *j, char *work, int64_t o, int64_t first);
  void (*short_lines)(const swift_job *j, char *work, int64_t first);
  void (*lines)(const swift_job *j, char *work, int64_t first, int64_t end);
  void (*part)(const swift_job *j, char *work, int64_t i);
  int64_t (*parts)(const swift_job *j); // of a phase
  int64_t lanes;
} swift_loops;

#if defined(__x86_64__)
extern const swift_loops halo_swift_avx2[2], halo_swift_avx512[2];
#endif
extern const swift_loops halo_swift_base[2]; // f32, f64

void halo_swift(const halo_record *, halo_run *);

#endif
