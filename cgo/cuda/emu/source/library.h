// What the emulated libraries that enqueue on streams have in common: the driver beside them, and the faults that are
// asked for.
//
// Variables of the environment, each for one library: HALO_CUDA_EMU_LIB_FAIL=LIBRARY:N or LIBRARY:N:STATUS (its call
// with number N fails, counted from when the variable was first seen as it is), HALO_CUDA_EMU_LIB_VERSION=LIBRARY:N.
#ifndef HALO_EMU_LIBRARY_H
#define HALO_EMU_LIBRARY_H

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "beside.h"
#include "driver.h"

extern "C" __attribute__((visibility("default"))) const int halo_cuda_emulator = 1;

namespace {

// What is asked of the emulated driver.
struct Driver {
  unsigned (*submit)(CUstream_st *, const char *, const Work *);
  unsigned (*enqueue)(CUstream_st *, const Work *); // fails while the stream is captured
  void *(*reach)(Ptr, size_t, const char *);
  void (*held)(long);
  void (*spend)(double ms);
};

// driver returns null if there is none beside this library.
inline const Driver *driver() {
  static const Driver *found = []() -> const Driver * {
    void *lib = driver_beside(&halo_cuda_emulator);
    static Driver d;
    if (!lib) return nullptr;
    find(lib, "halo_cuda_emu_submit", &d.submit);
    find(lib, "halo_cuda_emu_enqueue", &d.enqueue);
    find(lib, "halo_cuda_emu_reach", &d.reach);
    find(lib, "halo_cuda_emu_held", &d.held);
    find(lib, "halo_cuda_emu_spend", &d.spend);
    return d.submit && d.enqueue && d.reach && d.held && d.spend ? &d : nullptr;
  }();
  return found;
}

inline void *reach(const void *p, size_t bytes, const char *what) {
  return driver()->reach(reinterpret_cast<Ptr>(p), bytes, what);
}

// Held is what a program makes of a library and has to destroy: the driver counts such objects.
struct Held {
  Held() { count(1); }
  Held(const Held &) { count(1); }
  ~Held() { count(-1); }
  Held &operator=(const Held &) = default;
  static void count(long change) {
    if (driver()) driver()->held(change);
  }
};

// setting returns what a variable says of a library, null if that is nothing.
inline const char *setting(const char *variable, const char *library) {
  const char *v = getenv(variable);
  const size_t n = strlen(library);
  return v && !strncmp(v, library, n) && v[n] == ':' ? v + n + 1 : nullptr;
}

// asked counts a call of a library, and returns the status that it is asked to fail with, or 0.
inline unsigned asked(const char *library, unsigned otherwise) {
  static std::mutex lock;
  static std::string last;
  static long calls;
  const std::lock_guard<std::mutex> guard(lock);
  const char *v = setting("HALO_CUDA_EMU_LIB_FAIL", library);
  if (!v) {
    last.clear();
    return 0;
  }
  if (last != v) last = v, calls = 0;
  char *end;
  if (++calls != strtol(v, &end, 10)) return 0;
  return *end == ':' ? unsigned(strtoul(end + 1, nullptr, 10)) : otherwise;
}

inline int version_of(const char *library, int otherwise) {
  const char *v = setting("HALO_CUDA_EMU_LIB_VERSION", library);
  return v ? atoi(v) : otherwise;
}

} // namespace

#endif
