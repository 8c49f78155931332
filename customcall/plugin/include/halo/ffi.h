// ffi.h: what functions in C need most of the interface in xla/ffi/api/c_api.h.
//
//   HALO_FFI_HANDLER(twice) {
//     const XLA_FFI_Buffer *x = halo_ffi_operand(frame, 0), *y = halo_ffi_result(frame, 0);
//     if (!x || !y) return halo_ffi_error(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "want an operand and a result");
//     ...
//     return NULL;
//   }
#ifndef HALO_FFI_H
#define HALO_FFI_H

#include <string.h>

#include "xla/ffi/api/c_api.h"

// HALO_FFI_HANDLER defines the function that a program calls by name. Its body sees the call as frame, and returns NULL
// or an error. The question about the version that runtimes ask first is answered before.
#ifdef __cplusplus
#define HALO_FFI_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define HALO_FFI_EXPORT __attribute__((visibility("default")))
#endif
#define HALO_FFI_HANDLER(name)                                                  \
  static XLA_FFI_Error* name##_body(XLA_FFI_CallFrame* frame);                  \
  HALO_FFI_EXPORT XLA_FFI_Error* name(XLA_FFI_CallFrame* frame);                \
  HALO_FFI_EXPORT XLA_FFI_Error* name(XLA_FFI_CallFrame* frame) {               \
    return halo_ffi_answer_metadata(frame, 0) ? NULL : name##_body(frame);      \
  }                                                                             \
  static XLA_FFI_Error* name##_body(XLA_FFI_CallFrame* frame)

// halo_ffi_answer_metadata tells the runtime the version of the interface, if it asks; then it returns 1.
static inline int halo_ffi_answer_metadata(XLA_FFI_CallFrame* frame, XLA_FFI_Handler_Traits traits) {
  XLA_FFI_InternalExtension* e;
  for (e = frame->extension_start; e; e = e->next)
    if (e->type == XLA_FFI_Extension_Metadata) {
      XLA_FFI_Metadata* m = ((XLA_FFI_Metadata_Extension*)e)->metadata;
      m->api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
      m->api_version.extension_start = NULL;
      m->api_version.major_version = XLA_FFI_API_MAJOR;
      m->api_version.minor_version = XLA_FFI_API_MINOR;
      m->traits = traits;
      return 1;
    }
  return 0;
}

// halo_ffi_error makes an error for the body to return; the text is copied.
static inline XLA_FFI_Error* halo_ffi_error(const XLA_FFI_CallFrame* frame, XLA_FFI_Error_Code code, const char* text) {
  XLA_FFI_Error_Create_Args args;
  memset(&args, 0, sizeof args);
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = text;
  args.errc = code;
  return frame->api->XLA_FFI_Error_Create(&args);
}

// halo_ffi_operand and halo_ffi_result return array i, or NULL if there are not so many.
static inline const XLA_FFI_Buffer* halo_ffi_operand(const XLA_FFI_CallFrame* frame, int64_t i) {
  if (i >= frame->args.size || frame->args.types[i] != XLA_FFI_ArgType_BUFFER) return NULL;
  return (const XLA_FFI_Buffer*)frame->args.args[i];
}
static inline const XLA_FFI_Buffer* halo_ffi_result(const XLA_FFI_CallFrame* frame, int64_t i) {
  if (i >= frame->rets.size || frame->rets.types[i] != XLA_FFI_RetType_BUFFER) return NULL;
  return (const XLA_FFI_Buffer*)frame->rets.rets[i];
}

// halo_ffi_count returns how many elements an array has.
static inline int64_t halo_ffi_count(const XLA_FFI_Buffer* b) {
  int64_t i, n = 1;
  for (i = 0; i < b->rank; i++) n *= b->dims[i];
  return n;
}

// halo_ffi_type_name returns the name of an element type as HLO has it: "f32".
static inline const char* halo_ffi_type_name(XLA_FFI_DataType dtype) {
  static const char* const names[] = {
      "invalid", "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32",
      "f64", 0, 0, "c64", "bf16", "token", "c128", "f8e5m2", "f8e4m3fn", "s4", "u4", "f8e4m3b11fnuz",
      "f8e5m2fnuz", "f8e4m3fnuz", "s2", "u2", "f8e4m3", "f8e3m4", "s1", "u1", "f4e2m1fn", "f8e8m0fnu"};
  size_t i = (size_t)dtype;
  return i < sizeof names / sizeof *names && names[i] ? names[i] : "unknown";
}

// halo_ffi_same returns whether two arrays have the same element type and sizes.
static inline int halo_ffi_same(const XLA_FFI_Buffer* a, const XLA_FFI_Buffer* b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         (a->rank == 0 || !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims));
}

// halo_ffi_attr finds what the attribute name points at, or NULL if there is none of that type.
static inline const void* halo_ffi_attr(const XLA_FFI_CallFrame* frame, const char* name, XLA_FFI_AttrType type) {
  const XLA_FFI_Attrs* attrs = &frame->attrs;
  int64_t i;
  for (i = 0; i < attrs->size; i++)
    if (attrs->names[i]->len == strlen(name) && !memcmp(attrs->names[i]->ptr, name, strlen(name)))
      return attrs->types[i] == type ? attrs->attrs[i] : NULL;
  return NULL;
}

// halo_ffi_scalar finds a number of an element type, or NULL.
static inline const void* halo_ffi_scalar(const XLA_FFI_CallFrame* frame, const char* name, XLA_FFI_DataType dtype) {
  const XLA_FFI_Scalar* s = (const XLA_FFI_Scalar*)halo_ffi_attr(frame, name, XLA_FFI_AttrType_SCALAR);
  return s && s->dtype == dtype ? s->value : NULL;
}
static inline const float* halo_ffi_f32(const XLA_FFI_CallFrame* frame, const char* name) {
  return (const float*)halo_ffi_scalar(frame, name, XLA_FFI_DataType_F32);
}
static inline const double* halo_ffi_f64(const XLA_FFI_CallFrame* frame, const char* name) {
  return (const double*)halo_ffi_scalar(frame, name, XLA_FFI_DataType_F64);
}
static inline const int32_t* halo_ffi_s32(const XLA_FFI_CallFrame* frame, const char* name) {
  return (const int32_t*)halo_ffi_scalar(frame, name, XLA_FFI_DataType_S32);
}
static inline const int64_t* halo_ffi_s64(const XLA_FFI_CallFrame* frame, const char* name) {
  return (const int64_t*)halo_ffi_scalar(frame, name, XLA_FFI_DataType_S64);
}

// halo_ffi_stream returns the CUDA stream of the call in *stream, or an error.
static inline XLA_FFI_Error* halo_ffi_stream(const XLA_FFI_CallFrame* frame, void** stream) {
  XLA_FFI_Stream_Get_Args args;
  XLA_FFI_Error* error;
  memset(&args, 0, sizeof args);
  args.struct_size = XLA_FFI_Stream_Get_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  error = frame->api->XLA_FFI_Stream_Get(&args);
  *stream = args.stream;
  return error;
}

#endif
