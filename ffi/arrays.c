// arrays.c: arrays as functions want them: aligned, packed, in their layout. What lies so already is handed over where
// it lies; the rest goes through the frame's own memory.
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

// nothing is where arrays without bytes lie.
static char nothing[HALO_ALIGNMENT] __attribute__((aligned(HALO_ALIGNMENT)));

static int same_bytes(const halo_array *a) { return a->bits >= 8 && !a->strides; }

// position counts through the elements of an array in the function's order.
typedef struct {
  const halo_array *array;
  int64_t *index;
  int64_t at; // in halo's memory, in elements
} position;

static void advance(position *p) {
  const halo_array *a = p->array;
  if (!a->strides) {
    p->at++;
    return;
  }
  for (int64_t d = a->rank - 1; d >= 0; d--) {
    p->at += a->strides[d];
    if (++p->index[d] < a->sizes[d])
      return;
    p->at -= a->strides[d] * a->sizes[d];
    p->index[d] = 0;
  }
}

static void move(char *dst, const char *src, int32_t width) {
  switch (width) {
  case 1: *dst = *src; break;
  case 2: memcpy(dst, src, 2); break;
  case 4: memcpy(dst, src, 4); break;
  case 8: memcpy(dst, src, 8); break;
  default: memcpy(dst, src, width);
  }
}

// enter copies an array of halo's to what a function sees.
static void enter(const halo_array *a, char *dst, const char *src) {
  if (same_bytes(a)) {
    memcpy(dst, src, a->bytes);
    return;
  }
  int64_t index[a->rank + 1];
  memset(index, 0, sizeof index);
  position p = {a, index, 0};
  if (a->bits < 8)
    memset(dst, 0, a->bytes);
  int64_t per_byte = 8 / (a->bits < 8 ? a->bits : 8);
  for (int64_t i = 0; i < a->elements; i++, advance(&p)) {
    if (a->bits >= 8)
      move(dst + i * a->width, src + p.at * a->width, a->width);
    else
      dst[i / per_byte] |= (src[p.at] & ((1 << a->bits) - 1)) << i % per_byte * a->bits;
  }
}

// leave copies what a function wrote to an array of halo's.
static void leave(const halo_array *a, char *dst, const char *src) {
  if (same_bytes(a)) {
    memcpy(dst, src, a->bytes);
    return;
  }
  int64_t index[a->rank + 1];
  memset(index, 0, sizeof index);
  position p = {a, index, 0};
  int64_t per_byte = 8 / (a->bits < 8 ? a->bits : 8);
  for (int64_t i = 0; i < a->elements; i++, advance(&p)) {
    if (a->bits >= 8) {
      move(dst + p.at * a->width, src + i * a->width, a->width);
      continue;
    }
    unsigned char up = (unsigned char)src[i / per_byte] >> i % per_byte * a->bits << (8 - a->bits);
    dst[p.at] = a->is_signed ? (signed char)up >> (8 - a->bits) : up >> (8 - a->bits);
  }
}

// place returns where a function finds an array that halo has at p: there, or in the frame's own memory.
static char *place(halo_frame *f, const halo_array *a, char *p) {
  if (!a->bytes)
    return nothing;
  if (same_bytes(a) && !((uintptr_t)p % HALO_ALIGNMENT))
    return p;
  if (f->lent)
    return f->lent + a->bounce;
  if (!f->bounce && posix_memalign((void **)&f->bounce, HALO_ALIGNMENT, f->site->bounce_bytes))
    abort();
  return f->bounce + a->bounce;
}

void halo_arrays_enter(halo_frame *f) {
  const halo_site *s = f->site;
  for (int64_t i = 0; i < s->operands; i++) {
    const halo_array *a = &s->arrays[i];
    const char *from = f->address[i];
    char *at = place(f, a->alias < 0 ? a : &s->arrays[a->alias], f->address[a->alias < 0 ? i : a->alias]);
    if (a->bytes && at != from)
      enter(a, at, from);
    f->data[i] = f->buffers[i].data = at;
  }
  for (int64_t i = s->operands; i < s->operands + s->results; i++)
    f->data[i] = f->buffers[i].data = place(f, &s->arrays[i], f->address[i]);
}

void halo_arrays_leave(halo_frame *f) {
  const halo_site *s = f->site;
  for (int64_t i = s->operands; i < s->operands + s->results; i++)
    if (s->arrays[i].bytes && f->data[i] != f->address[i])
      leave(&s->arrays[i], f->address[i], f->data[i]);
}
