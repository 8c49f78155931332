// entry.h: the value of an entry of an index vector.
#ifndef HALO_ENTRY_H
#define HALO_ENTRY_H

#include "index.h"

static inline int64_t inside(int64_t v, index_entry e) { return v < 0 ? 0 : v > e.last ? e.last : v; }

// value_T is what the entry x says; 64 bits without a sign end where those with one do.
#define VALUE(T)                                                                                             \
  static inline int64_t value_##T(T x, index_entry e) {                                                      \
    const int64_t v = (int64_t)x;                                                                            \
    if ((T)~(T)0 > 0) return sizeof(T) == 8 && v < 0 ? INT64_MAX : v;                                        \
    return v < 0 ? v + e.wrap : v;                                                                           \
  }
VALUE(uint8_t)
VALUE(uint16_t)
VALUE(uint32_t)
VALUE(uint64_t)
VALUE(int8_t)
VALUE(int16_t)
VALUE(int32_t)
VALUE(int64_t)

// is_dense reports whether integers, elements of the windowed array and those of the operand lie one behind the other.
static inline int is_dense(const index_stretch *x, index_entry e, int64_t width) {
  return x->step.start == 1 && x->step.windowed == width && x->step.operand == 0 && e.stride == width;
}

#endif
