// network.h: many short rows at once, one in each lane of vectors, by a network of comparisons that does not depend on
// what is compared. It keeps no order of equal elements.
#ifndef HALO_NETWORK_H
#define HALO_NETWORK_H

#include <stdint.h>

// The rows that are sorted together, by the bytes of their elements; a network works on n times so many lanes, of which
// those of a place are neighbours.
enum { NETWORK_BYTES = 64, NETWORK_ROWS32 = NETWORK_BYTES / 4, NETWORK_ROWS64 = NETWORK_BYTES / 8 };

typedef struct {
  void (*rows32)(uint32_t *lanes, int64_t n);
  void (*rows64)(int64_t *lanes, int64_t n);
} network;

extern const network halo_network_base;
#if defined(__x86_64__)
extern const network halo_network_avx2, halo_network_avx512;
#endif

#endif
