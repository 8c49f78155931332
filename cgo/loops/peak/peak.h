// peak.h: what the machine can do at most, measured.
#ifndef HALO_PEAK_H
#define HALO_PEAK_H

#include <stdint.h>

// halo_peak_fma does rounds of multiply-adds on f32 at an instruction set's full width, and returns how many
// operations a round has (a multiply-add is two).
int64_t halo_peak_fma(int32_t level, int64_t rounds);

// halo_peak_copy copies bytes from src to dst past the caches.
void halo_peak_copy(char *dst, const char *src, int64_t bytes);

#endif
