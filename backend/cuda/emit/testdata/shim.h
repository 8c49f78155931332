// The built-ins of CUDA C that kernels use, for a C++ compiler: threads of a block are fibres that take turns at
// barriers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <vector>
#define __global__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(n)
#define __restrict__ __restrict
#define __shared__ static
struct dim { unsigned x, y, z; };
static dim threadIdx, blockIdx, blockDim, gridDim;
static inline unsigned __float_as_uint(float v) { unsigned b; memcpy(&b, &v, 4); return b; }
static inline float __uint_as_float(unsigned b) { float v; memcpy(&v, &b, 4); return v; }
static inline long long __double_as_longlong(double v) { long long b; memcpy(&b, &v, 8); return b; }
static inline double __longlong_as_double(long long b) { double v; memcpy(&v, &b, 8); return v; }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
static inline long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned __int128)a * b >> 64;
}
static inline float __double2float_rz(double v) {
  float r = (float)v;
  return std::isfinite(v) && std::fabs((double)r) > std::fabs(v) ? std::nextafterf(r, 0) : r;
}

static inline double sinpi(double v) { return std::sin(M_PI * v); }
static inline double cospi(double v) { return std::cos(M_PI * v); }

static std::vector<ucontext_t> fibres;
static std::vector<char> stacks, ended;
static ucontext_t home;
static unsigned current;
static std::function<void()> *kernel;
static void __syncthreads() { swapcontext(&fibres[current], &home); }
static void fibre() {
  (*kernel)();
  ended[current] = 1;
}
static const size_t stack = 64 << 10;

// run_block runs the threads of a block up to a barrier each, again and again. All must meet at each barrier, or end.
static void run_block(dim block) {
  unsigned n = block.x * block.y * block.z;
  fibres.resize(n), stacks.resize(n * stack), ended.assign(n, 0);
  for (unsigned t = 0; t < n; t++) {
    getcontext(&fibres[t]);
    fibres[t].uc_stack.ss_sp = &stacks[t * stack], fibres[t].uc_stack.ss_size = stack, fibres[t].uc_link = &home;
    makecontext(&fibres[t], fibre, 0);
  }
  for (unsigned left = n; left;) {
    unsigned here = 0;
    for (current = 0; current < n; current++) {
      if (ended[current]) continue;
      threadIdx = {current % block.x, current / block.x % block.y, current / block.x / block.y};
      swapcontext(&home, &fibres[current]);
      if (ended[current]) left--; else here++;
    }
    if (here && here != n) fprintf(stderr, "divergent barrier\n"), exit(3);
  }
}
static void launch(dim grid, dim block, bool barriers, std::function<void()> f) {
  blockDim = block, gridDim = grid, kernel = &f;
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      for (unsigned x = 0; x < grid.x; x++) {
        blockIdx = {x, y, z};
        if (barriers) {
          run_block(block);
          continue;
        }
        for (threadIdx.z = 0; threadIdx.z < block.z; threadIdx.z++)
          for (threadIdx.y = 0; threadIdx.y < block.y; threadIdx.y++)
            for (threadIdx.x = 0; threadIdx.x < block.x; threadIdx.x++) f();
      }
}
// A buffer has poison in and around it.
struct buffer {
  std::vector<char> room;
  size_t size;
  buffer(size_t n) : room(n + 512, (char)0xAB), size(n) {}
  char *data() { return (char *)(((size_t)room.data() + 255) & ~(size_t)63); }
  template <class T> operator T *() { return (T *)data(); }
  void read() { if (fread(data(), 1, size, stdin) != size) exit(4); }
  void write() {
    for (char *p = room.data(); p < room.data() + room.size(); p++)
      if ((p < data() || p >= data() + size) && *p != (char)0xAB) fprintf(stderr, "written outside of a buffer\n"), exit(5);
    fwrite(data(), 1, size, stdout);
  }
};
