// throws.cc: functions that C++ exceptions leave, for registry_test.go.
#include <exception>
#include <stdexcept>
#include <string>

#include "xla/ffi/api/c_api.h"

static int alive;
struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
};

// Second has std::exception not at its beginning.
struct First {
  virtual ~First() = default;
  long pad = 7;
};
struct Second : First, std::runtime_error {
  using std::runtime_error::runtime_error;
};

static bool asked(XLA_FFI_CallFrame *f) {
  if (!f->extension_start) return false;
  ((XLA_FFI_Metadata_Extension *)f->extension_start)->metadata->api_version.minor_version = 5;
  return true;
}

extern "C" {
XLA_FFI_Error *throws(XLA_FFI_CallFrame *f) {
  if (asked(f)) return nullptr;
  Counted c;
  switch (*(int64_t *)((XLA_FFI_Scalar *)f->attrs.attrs[0])->value) {
    case 0: throw std::runtime_error(std::string(3000, 'x') + " end");
    case 1: throw Second("the second base");
    case 2: throw 42;
    case 3: throw std::string("text");
    case 4: std::rethrow_exception(std::make_exception_ptr(std::logic_error("again")));
  }
  *(int32_t *)((XLA_FFI_Buffer *)f->rets.rets[0])->data = alive;
  return nullptr;
}
}
