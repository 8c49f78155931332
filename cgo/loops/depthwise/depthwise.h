/* depthwise.h: convolutions whose output features each have an input feature of their own, or some, in f32, with
 * features side by side. Places of a window that stick out of the image are left out. */
#ifndef HALO_DEPTHWISE_H
#define HALO_DEPTHWISE_H

#include "../run/record.h"

/* halo_depthwise_axis is one dimension of the image: how many places it and the result have, and how the window
 * moves. */
typedef struct {
  int64_t in, out, window, stride, dilation, pad;
} halo_depthwise_axis;

/* What is done to sums, in this order: a number for each feature is added; what is at most 0 becomes 0; what is more
 * than most becomes that. */
enum { DEPTHWISE_BIAS = 1, DEPTHWISE_FLOOR = 2, DEPTHWISE_CAP = 4 };

typedef struct {
  halo_record head;
  halo_ref image, weights, bias, result;
  int64_t isa, channels, ends;
  double most;
  int64_t first, rows, task; /* rows of the result, images one below the other; of a task */
  int64_t ahead;             /* each row asks for what the next needs */
  halo_depthwise_axis y, x;
  int64_t features, inputs, outputs; /* of the result; of a group, 1 and 1 if each has its own */
  int64_t vectors, term, vector;     /* of groups: how many, and how far apart weights are */
} halo_depthwise_record;

/* A row of the result: taps of the window's rows are in the image, the first of which begins at image. bias may be
 * null. */
typedef struct {
  const float *image, *weights, *bias;
  float *result;
  int64_t taps;
} halo_depthwise_row;

/* Computes a row. */
typedef void halo_depthwise_kernel(const halo_depthwise_record *, const halo_depthwise_row *);
extern halo_depthwise_kernel halo_depthwise_base, halo_depthwise_avx2, halo_depthwise_avx512, halo_grouped_avx2;

void halo_depthwise(const halo_record *, halo_run *);

#endif
