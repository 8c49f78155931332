//go:build linux

#include "depthwise.h"

static halo_depthwise_kernel *kernel_of(const halo_depthwise_record *r) {
#if defined(__x86_64__)
  if (r->inputs * r->outputs > 1)
    return halo_grouped_avx2;
  if (r->isa == 2)
    return halo_depthwise_avx512;
  if (r->isa == 1)
    return halo_depthwise_avx2;
#endif
  return halo_depthwise_base;
}

typedef struct {
  const halo_depthwise_record *record;
  halo_run *run;
} work;

/* row_of finds row number n of the result, and what it needs. */
static halo_depthwise_row row_of(const work *w, int64_t n) {
  const halo_depthwise_record *r = w->record;
  const halo_depthwise_axis *y = &r->y;
  const int64_t at = n % y->out * y->stride - y->pad, in = r->x.in * r->channels;
  int64_t first = 0, last = y->window;
  while (first < last && at + first * y->dilation < 0)
    first++;
  while (last > first && at + (last - 1) * y->dilation >= y->in)
    last--;
  const int64_t row = n / y->out * y->in + at + first * y->dilation;
  return (halo_depthwise_row){(const float *)HALO_AT(w->run, r->image) + row * in,
      (const float *)HALO_AT(w->run, r->weights) + first * r->x.window * r->inputs * r->term,
      r->ends & DEPTHWISE_BIAS ? (const float *)HALO_AT(w->run, r->bias) : 0,
      (float *)HALO_AT(w->run, r->result) + n * r->x.out * r->features, last - first};
}

static void task(void *arg, int64_t i) {
  const work *w = arg;
  const halo_depthwise_record *r = w->record;
  const int64_t from = i * r->task, to = from + r->task < r->rows ? from + r->task : r->rows;
  for (int64_t n = from; n < to && !*w->run->cancel; n++) {
    halo_depthwise_row row = row_of(w, r->first + n);
    kernel_of(r)(r, &row);
  }
}

void halo_depthwise(const halo_record *record, halo_run *run) {
  work w = {(const halo_depthwise_record *)record, run};
  const int64_t tasks = (w.record->rows + w.record->task - 1) / w.record->task;
  if (tasks == 1)
    task(&w, 0);
  else if (tasks > 1)
    run->parallel(run, tasks, task, &w);
}
