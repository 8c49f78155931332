// How an emulated library finds the emulated driver, which lies beside it.
#ifndef HALO_EMU_BESIDE_H
#define HALO_EMU_BESIDE_H

#include <dlfcn.h>

#include <string>

// driver_beside opens the driver in the folder of the library that mark lies in; null if it is not there.
inline void *driver_beside(const void *mark) {
  Dl_info info;
  if (!dladdr(mark, &info)) return nullptr;
  const std::string path = info.dli_fname;
  return dlopen((path.substr(0, path.rfind('/')) + "/libcuda.so.1").c_str(), RTLD_NOW);
}

template <class F> void find(void *lib, const char *name, F *f) { *reinterpret_cast<void **>(f) = dlsym(lib, name); }

#endif
