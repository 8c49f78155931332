// floors.c: fused elementwise programs as a person writes them in C, for floors.py, which says with what flags.
//
// floors NAME FOLDER ELEMENTS SECONDS reads FOLDER/input_*.npy, writes FOLDER/c.bin and prints the median milliseconds
// of a run that stores as usual and of one that stores past the caches. Arrays lie in large pages.
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The functions of libmvec, which glibc declares for -ffast-math only.
#define VECTOR __attribute__((simd("notinbranch")))
VECTOR float expf(float);
VECTOR float logf(float);
VECTOR float tanhf(float);
VECTOR float erff(float);
VECTOR float erfcf(float);

enum { ROW = 1024, MOST = 1 << 20 }; // elements of a row, which all numbers of elements are multiples of; runs timed

static inline float wide(uint16_t b) {
  const uint32_t u = (uint32_t)b << 16;
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

// narrow rounds to bf16; numbers, not NaN.
static inline uint16_t narrow(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static inline float most(float x, float y) { return x > y ? x : y; }
static inline float least(float x, float y) { return x < y ? x : y; }

// PROGRAM makes n elements of out from element at of its inputs on.
#define PROGRAM(name, R, A, B, C, e)                                                                                   \
  static void name(void *to, const void *const *in, int64_t at, int64_t n) {                                           \
    R *restrict out = __builtin_assume_aligned(to, 64);                                                                \
    const A *restrict a = (const A *)in[0] + at;                                                                       \
    const B *restrict b = (const B *)in[1] + at;                                                                       \
    const C *restrict c = (const C *)in[2] + at;                                                                       \
    (void)b, (void)c;                                                                                                  \
    _Pragma("omp simd") for (int64_t i = 0; i < n; i++) out[i] = e;                                                    \
  }
#define FLOATS(name, e) PROGRAM(name, float, float, float, float, e)

FLOATS(cheap, least(most(fabsf((a[i] * 1.5f + b[i]) * a[i] - 0.25f), b[i]), 2) * 0.5f + b[i])
FLOATS(cheap3, (most(a[i] * b[i] + c[i], 0) - a[i]) * c[i] + b[i])
FLOATS(chain, tanhf(a[i] * 1.5f + b[i]) - expf(-(b[i] * b[i])))
FLOATS(gelu_erf, 0.5f * a[i] * (1 + erff(a[i] * 0.70710678f)))
FLOATS(gelu_erfc, 0.5f * a[i] * erfcf(a[i] * -0.70710678f))
FLOATS(silu, a[i] / (1 + expf(-a[i])) * b[i])
FLOATS(entropy, a[i] * (logf(a[i]) - logf(b[i])))
PROGRAM(bf16, uint16_t, uint16_t, uint16_t, float, narrow(most(wide(a[i]) * 1.5f + wide(b[i]), 0) * wide(b[i])))
PROGRAM(s8, float, int8_t, float, float, most((float)a[i] * 0.05f + b[i], 0))

// choose has two inputs of one row that stand for all rows.
static void choose(void *to, const void *const *in, int64_t at, int64_t n) {
  const float *restrict limit = in[1], *restrict scale = in[2];
  for (int64_t row = 0; row < n; row += ROW) {
    float *restrict out = (float *)to + row;
    const float *restrict x = (const float *)in[0] + at + row;
#pragma omp simd
    for (int64_t i = 0; i < ROW; i++)
      out[i] = x[i] > limit[i] ? x[i] * scale[i] + 1 : limit[i];
  }
}

typedef void program(void *to, const void *const *in, int64_t at, int64_t n);
static const struct {
  const char *name;
  program *run;
  int64_t bytes; // of an element of the result
} programs[] = {{"cheap", cheap, 4}, {"cheap3", cheap3, 4}, {"choose", choose, 4}, {"bf16", bf16, 2}, {"s8", s8, 4},
    {"chain", chain, 4}, {"gelu_erf", gelu_erf, 4}, {"gelu_erfc", gelu_erfc, 4}, {"silu", silu, 4},
    {"entropy", entropy, 4}};

// past copies a block past the caches.
static void past(char *to, const char *from, int64_t bytes) {
#if defined(__AVX512F__)
  for (int64_t i = 0; i < bytes; i += 64)
    _mm512_stream_si512((__m512i *)(to + i), *(const __m512i *)(from + i));
#elif defined(__AVX__)
  for (int64_t i = 0; i < bytes; i += 32)
    _mm256_stream_si256((__m256i *)(to + i), *(const __m256i *)(from + i));
#else
  memcpy(to, from, bytes);
#endif
}

static void usual(int k, char *out, const void *const *in, int64_t n) { programs[k].run(out, in, 0, n); }

// streamed makes a block in the nearest cache and has it written past all of them.
static void streamed(int k, char *out, const void *const *in, int64_t n) {
  char block[ROW * 4] __attribute__((aligned(64)));
  const int64_t bytes = programs[k].bytes;
  for (int64_t at = 0; at < n; at += ROW) {
    programs[k].run(block, in, at, ROW);
    past(out + at * bytes, block, ROW * bytes);
  }
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static int by_size(const void *x, const void *y) {
  const double d = *(const double *)x - *(const double *)y;
  return (d > 0) - (d < 0);
}

typedef void way(int k, char *out, const void *const *in, int64_t n);

// median is that of the seconds of runs; the first is not counted.
static double median(way *w, int k, char *out, const void *const *in, int64_t n, double seconds) {
  static double took[MOST];
  w(k, out, in, n);
  const double until = now() + seconds;
  int runs = 0;
  for (double before = now(); runs < MOST && (before < until || !runs); runs++) {
    w(k, out, in, n);
    const double after = now();
    took[runs] = after - before;
    before = after;
  }
  qsort(took, runs, sizeof *took, by_size);
  return took[runs / 2];
}

static void *large(int64_t bytes) {
  const int64_t page = 2 << 20, size = (bytes + 2 * page - 1) / page * page;
  char *p = mmap(0, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  p += -(uintptr_t)p % page;
  madvise(p, size, MADV_HUGEPAGE);
  return p;
}

// input reads an array, without its header; 0 if there is none of that number.
static const void *input(const char *folder, int i) {
  char path[4096];
  snprintf(path, sizeof path, "%s/input_%d.npy", folder, i);
  FILE *f = fopen(path, "rb");
  if (!f)
    return 0;
  uint8_t head[10];
  if (fread(head, 1, 10, f) != 10)
    exit(1);
  fseek(f, 0, SEEK_END);
  const int64_t begin = 10 + head[8] + 256 * head[9], bytes = ftell(f) - begin;
  fseek(f, begin, SEEK_SET);
  void *p = large(bytes);
  if (fread(p, 1, bytes, f) != (size_t)bytes)
    exit(1);
  fclose(f);
  return p;
}

int main(int argc, char **argv) {
  int k = 0;
  const int count = sizeof programs / sizeof *programs;
  while (argc == 5 && k < count && strcmp(programs[k].name, argv[1]))
    k++;
  if (argc != 5 || k == count)
    return 2;
  const int64_t n = atoll(argv[3]);
  const void *in[3];
  for (int i = 0; i < 3; i++)
    in[i] = input(argv[2], i);
  char *out = large(n * programs[k].bytes), path[4096];
  const double seconds = atof(argv[4]) / 2;
  printf("%.9g", 1e3 * median(usual, k, out, in, n, seconds));
  printf(" %.9g\n", 1e3 * median(streamed, k, out, in, n, seconds));
  snprintf(path, sizeof path, "%s/c.bin", argv[2]);
  FILE *f = fopen(path, "wb");
  return !f || fwrite(out, programs[k].bytes, n, f) != (size_t)n || fclose(f);
}
