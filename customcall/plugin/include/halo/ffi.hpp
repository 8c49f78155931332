// ffi.hpp: functions behind custom calls in C++17: arrays and attributes with their types, errors as exceptions.
//
//   HALO_FFI_FUNCTION(twice, call) {
//     auto x = call.operand<float>(0);
//     auto y = call.result<float>(0, x.dims());
//     for (std::size_t i = 0; i < x.size(); ++i) y[i] = 2 * x[i];
//   }
#ifndef HALO_FFI_HPP
#define HALO_FFI_HPP

#include <complex>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ffi.h"

namespace halo {

// Failure is what a function throws to fail with a code. Other exceptions become UNKNOWN, with their text.
class Failure : public std::exception {
 public:
  Failure(XLA_FFI_Error_Code code, std::string text) : code_(code), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  XLA_FFI_Error_Code code() const { return code_; }

 private:
  XLA_FFI_Error_Code code_;
  std::string text_;
};

[[noreturn]] inline void invalid(std::string text) {
  throw Failure(XLA_FFI_Error_Code_INVALID_ARGUMENT, std::move(text));
}

// dtype is the interface's number of a C++ type.
template <class T> constexpr XLA_FFI_DataType dtype = XLA_FFI_DataType_INVALID;
template <> inline constexpr XLA_FFI_DataType dtype<bool> = XLA_FFI_DataType_PRED;
template <> inline constexpr XLA_FFI_DataType dtype<int8_t> = XLA_FFI_DataType_S8;
template <> inline constexpr XLA_FFI_DataType dtype<int16_t> = XLA_FFI_DataType_S16;
template <> inline constexpr XLA_FFI_DataType dtype<int32_t> = XLA_FFI_DataType_S32;
template <> inline constexpr XLA_FFI_DataType dtype<int64_t> = XLA_FFI_DataType_S64;
template <> inline constexpr XLA_FFI_DataType dtype<uint8_t> = XLA_FFI_DataType_U8;
template <> inline constexpr XLA_FFI_DataType dtype<uint16_t> = XLA_FFI_DataType_U16;
template <> inline constexpr XLA_FFI_DataType dtype<uint32_t> = XLA_FFI_DataType_U32;
template <> inline constexpr XLA_FFI_DataType dtype<uint64_t> = XLA_FFI_DataType_U64;
template <> inline constexpr XLA_FFI_DataType dtype<float> = XLA_FFI_DataType_F32;
template <> inline constexpr XLA_FFI_DataType dtype<double> = XLA_FFI_DataType_F64;
template <> inline constexpr XLA_FFI_DataType dtype<std::complex<float>> = XLA_FFI_DataType_C64;
template <> inline constexpr XLA_FFI_DataType dtype<std::complex<double>> = XLA_FFI_DataType_C128;

// Array is an operand or a result, row-major. It does not own its memory.
template <class T> class Array {
 public:
  explicit Array(const XLA_FFI_Buffer* b)
      : data_(static_cast<T*>(b->data)), dims_(b->dims, b->dims + b->rank), size_(halo_ffi_count(b)) {}
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  const std::vector<int64_t>& dims() const { return dims_; }

 private:
  T* data_;
  std::vector<int64_t> dims_;
  int64_t size_;
};

// Call is one call of a function.
class Call {
 public:
  explicit Call(const XLA_FFI_CallFrame* frame) : frame_(frame) {}

  int64_t operands() const { return frame_->args.size; }
  int64_t results() const { return frame_->rets.size; }

  // operand and result return array i; they fail if there is none of that element type.
  template <class T> Array<const T> operand(int64_t i) const {
    return array<const T>(halo_ffi_operand(frame_, i), dtype<T>, "operand " + std::to_string(i));
  }
  template <class T> Array<T> result(int64_t i) const {
    return array<T>(halo_ffi_result(frame_, i), dtype<T>, "result " + std::to_string(i));
  }
  // The second form fails if the result has other sizes, too.
  template <class T> Array<T> result(int64_t i, const std::vector<int64_t>& dims) const {
    auto a = result<T>(i);
    if (a.dims() != dims) invalid("result " + std::to_string(i) + " has other sizes than wanted");
    return a;
  }

  // attr returns a number, or fails; text returns a string.
  template <class T> T attr(const char* name) const {
    const void* p = halo_ffi_scalar(frame_, name, dtype<T>);
    if (!p) invalid(std::string("attribute ") + name + " is missing, or of another type");
    return *static_cast<const T*>(p);
  }
  std::string_view text(const char* name) const {
    const void* p = halo_ffi_attr(frame_, name, XLA_FFI_AttrType_STRING);
    if (!p) invalid(std::string("attribute ") + name + " is missing, or no string");
    auto* s = static_cast<const XLA_FFI_ByteSpan*>(p);
    return {s->ptr, s->len};
  }

  const XLA_FFI_CallFrame* frame() const { return frame_; }

 private:
  template <class T> Array<T> array(const XLA_FFI_Buffer* b, XLA_FFI_DataType want, const std::string& name) const {
    static_assert(dtype<std::remove_const_t<T>> != XLA_FFI_DataType_INVALID, "no element type of the interface");
    if (!b) invalid(name + " is missing");
    if (b->dtype != want)
      invalid(name + " has element type " + halo_ffi_type_name(b->dtype) + ", want " + halo_ffi_type_name(want));
    return Array<T>(b);
  }

  const XLA_FFI_CallFrame* frame_;
};

// run calls f and makes errors of exceptions.
template <class F> XLA_FFI_Error* run(XLA_FFI_CallFrame* frame, F f) {
  try {
    f(Call(frame));
    return nullptr;
  } catch (const Failure& e) {
    return halo_ffi_error(frame, e.code(), e.what());
  } catch (const std::exception& e) {
    return halo_ffi_error(frame, XLA_FFI_Error_Code_UNKNOWN, e.what());
  }
}

}  // namespace halo

// HALO_FFI_FUNCTION defines the function that a program calls by name; its body sees the call as the second name.
#define HALO_FFI_FUNCTION(name, call)                                          \
  static void name##_function(const halo::Call& call);                        \
  HALO_FFI_HANDLER(name) { return halo::run(frame, name##_function); }         \
  static void name##_function(const halo::Call& call)

#endif
