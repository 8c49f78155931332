// mode.h: whether the floating-point unit takes sub-normal numbers for zero.
#ifndef HALO_MODE_H
#define HALO_MODE_H

#include <stdint.h>

#if defined(__x86_64__)
enum { HALO_FLUSH = 0x8040 }; // results and operands
static inline uint64_t halo_mode(void) { return __builtin_ia32_stmxcsr(); }
static inline void halo_set_mode(uint64_t mode) { __builtin_ia32_ldmxcsr((uint32_t)mode); }
#elif defined(__aarch64__)
enum { HALO_FLUSH = 1 << 24 | 1 << 19 }; // for f16 too
static inline uint64_t halo_mode(void) {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
static inline void halo_set_mode(uint64_t mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
#else
enum { HALO_FLUSH = 0 };
static inline uint64_t halo_mode(void) { return 0; }
static inline void halo_set_mode(uint64_t mode) { (void)mode; }
#endif

#endif
