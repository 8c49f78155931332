// registers.c: a function that is registered when its library is opened, for load_test.go.
#include "xla/ffi/api/c_api.h"

const XLA_FFI_Api *XLA_FFI_GetApi(void);

static XLA_FFI_Error *add_two(XLA_FFI_CallFrame *f) {
  XLA_FFI_InternalExtension *e = f->extension_start;
  if (e && e->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata *m = ((XLA_FFI_Metadata_Extension *)e)->metadata;
    m->api_version.major_version = 0;
    m->api_version.minor_version = 5;
    return 0;
  }
  *(float *)((XLA_FFI_Buffer *)f->rets.rets[0])->data = *(float *)((XLA_FFI_Buffer *)f->args.args[0])->data + 2;
  return 0;
}

__attribute__((constructor)) static void open(void) {
  XLA_FFI_Handler_Register_Args a = {
      XLA_FFI_Handler_Register_Args_STRUCT_SIZE, 0, {"two", 3}, {"Host", 4}, {0, 0, 0, add_two, 0}, 0};
  XLA_FFI_GetApi()->XLA_FFI_Handler_Register(&a);
}
