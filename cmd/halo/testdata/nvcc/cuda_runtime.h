// What a function that starts kernels needs of CUDA's runtime, on the emulated driver. The image that the driver loads
// is the library itself: a copy of it, beside the one that is a plug-in, runs the kernels.
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

typedef struct CUstream_st *cudaStream_t;
typedef unsigned cudaError_t;
enum : unsigned { cudaSuccess = 0, cudaErrorUnknown = 999 };

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// halo_emu_call_driver calls a function of the driver that the process has open, which has a context current on this
// thread.
template <class... P> unsigned halo_emu_call_driver(const char *name, P... p) {
  void *driver = dlopen(EMULATOR "/libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void *f = driver ? dlsym(driver, name) : nullptr;
  return f ? reinterpret_cast<unsigned (*)(P...)>(f)(p...) : unsigned(cudaErrorUnknown);
}

inline thread_local cudaError_t halo_emu_error;

inline cudaError_t cudaGetLastError() {
  const cudaError_t e = halo_emu_error;
  halo_emu_error = cudaSuccess;
  return e;
}

inline const char *cudaGetErrorString(cudaError_t e) {
  const char *text = "there is no emulated driver";
  halo_emu_call_driver("cuGetErrorString", e, &text);
  return text;
}

// halo_emu_image is this library as the driver wants it: a word, the size, the file.
inline char *halo_emu_image(size_t *bytes) {
  Dl_info info;
  struct stat file;
  if (!dladdr(reinterpret_cast<void *>(&halo_emu_image), &info)) return nullptr;
  const int fd = open(info.dli_fname, O_RDONLY);
  if (fd < 0 || fstat(fd, &file)) return nullptr;
  const uint64_t size = file.st_size;
  *bytes = 16 + size;
  void *image = mmap(nullptr, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (image == MAP_FAILED) return nullptr;
  memcpy(image, "cuda-emu", 8);
  memcpy(static_cast<char *>(image) + 8, &size, 8);
  const bool whole = read(fd, static_cast<char *>(image) + 16, size) == ssize_t(size);
  close(fd);
  return whole ? static_cast<char *>(image) : nullptr;
}

// halo_emu_function finds a kernel in a copy of this library, which the driver keeps as long as the context.
inline unsigned halo_emu_function(void **function, const char *name) {
  size_t bytes = 0;
  char *const image = halo_emu_image(&bytes);
  if (!image) return cudaErrorUnknown;
  void *module = nullptr;
  const unsigned status = halo_emu_call_driver("cuModuleLoadDataEx", &module, image, 0u, (unsigned *)nullptr,
                                               (void **)nullptr);
  munmap(image, bytes);
  return status ? status : halo_emu_call_driver("cuModuleGetFunction", function, module, name);
}

// halo_emu_starting is a kernel with what stands in <<<>>>. Parameters take 64 bits each.
template <class... P> struct halo_emu_starting {
  const char *name;
  dim3 grid, block;
  unsigned shared;
  cudaStream_t stream;

  void operator()(P... p) const {
    unsigned long long words[] = {halo_emu_bits<P>::of(p)..., 0};
    void *params[sizeof...(P) + 1];
    for (size_t i = 0; i < sizeof...(P); i++) params[i] = &words[i];
    void *function = nullptr;
    halo_emu_error = halo_emu_function(&function, name);
    if (!halo_emu_error)
      halo_emu_error = halo_emu_call_driver("cuLaunchKernel", function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                            shared, stream, (void **)params, (void **)nullptr);
  }
};

template <class... P>
halo_emu_starting<P...> halo_emu_start(void (*)(P...), const char *name, dim3 grid, dim3 block, unsigned shared = 0,
                                       cudaStream_t stream = nullptr) {
  return {name, grid, block, shared, stream};
}

// What the driver calls: a kernel with its parameters where the launch has them.
template <class... P> void halo_emu_run(void (*f)(P...), void **params) {
  halo_emu_call(f, params, halo_emu_list<__integer_pack(sizeof...(P))...>());
}
#define HALO_EMU_STANDS_IN(name) \
  extern "C" __global__ void halo_emu_run_##name(void **params) { halo_emu_run(name, params); } \
  extern "C" __global__ int halo_emu_params_##name() { return halo_emu_count(name); }

#endif
