// conventions.c: a function of each calling convention that adds one, for convention_test.go.
#include "xla/ffi/api/c_api.h"

typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
typedef XLA_FFI_CallFrame frame;
typedef const frame *frame_pointer;

const XLA_FFI_Api *XLA_FFI_GetApi(void);

void original(void *out, const void **in) { *(float *)out = *(const float *)in[0] + 1; }

void status(void *out, const void **in, XlaCustomCallStatus *s) {
  (void)s;
  original(out, in);
}

void unified(void *out, const void **in, const char *opaque, size_t bytes, XlaCustomCallStatus *s) {
  (void)opaque, (void)bytes;
  status(out, in, s);
}

XLA_FFI_Error *typed(XLA_FFI_CallFrame *f) {
  XLA_FFI_InternalExtension *e = f->extension_start;
  if (e && e->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata *m = ((XLA_FFI_Metadata_Extension *)e)->metadata;
    m->api_version.major_version = 0;
    m->api_version.minor_version = 5;
    return 0;
  }
  original(((XLA_FFI_Buffer *)f->rets.rets[0])->data, (const void **)&((XLA_FFI_Buffer *)f->args.args[0])->data);
  return 0;
}

// named has types with names of their own.
XLA_FFI_Error *named(frame_pointer f) { return typed((XLA_FFI_CallFrame *)f); }

static XLA_FFI_Error *hidden(XLA_FFI_CallFrame *f) { return typed(f); }

__attribute__((constructor)) static void open(void) {
  XLA_FFI_Handler_Register_Args a = {
      XLA_FFI_Handler_Register_Args_STRUCT_SIZE, 0, {"registered", 10}, {"Host", 4}, {0, 0, 0, hidden, 0}, 0};
  XLA_FFI_GetApi()->XLA_FFI_Handler_Register(&a);
}

// refuses fails, and returns what is no error to whoever takes it for a typed one.
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus *, const char *, size_t);
size_t refuses(void *out, const void **in, XlaCustomCallStatus *s) {
  XlaCustomCallStatusSetFailure(s, "no", 2);
  *(float *)out = *(const float *)in[7];
  return 8;
}

// answers_wrongly fails when it is asked for its version.
XLA_FFI_Error *answers_wrongly(XLA_FFI_CallFrame *f) {
  XLA_FFI_Error_Create_Args a = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, 0, "not now", XLA_FFI_Error_Code_UNAVAILABLE};
  return f->api->XLA_FFI_Error_Create(&a);
}
