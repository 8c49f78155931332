//go:build linux

#include "products.h"

#if defined(__x86_64__)
#define LEVELS(NAME) {&halo_##NAME##_base, &halo_##NAME##_avx2, &halo_##NAME##_avx512, &halo_##NAME##_base}
#else
#define LEVELS(NAME) {&halo_##NAME##_base, &halo_##NAME##_base, &halo_##NAME##_base, &halo_##NAME##_base}
#endif

static const halo_vector_level *const vectors[] = LEVELS(vector);
static const halo_product_level *const smalls[] = LEVELS(small);

void *halo_vector_of(int64_t isa, int64_t type) { return (void *)(*vectors[isa])[type]; }

void *halo_small_of(int64_t isa, int64_t type) { return (void *)(*smalls[isa])[type]; }
