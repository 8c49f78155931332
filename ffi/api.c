// api.c: the table of functions that the functions behind custom calls may call. Any thread may.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

__thread XLA_FFI_Error *halo_made;

static XLA_FFI_Error *new_error(XLA_FFI_Error_Code code, const char *message, size_t bytes) {
  XLA_FFI_Error *e = malloc(sizeof *e + bytes + 1);
  if (!e)
    abort();
  e->code = code;
  memcpy(e->message, message, bytes);
  e->message[bytes] = 0;
  return halo_made = e;
}

XLA_FFI_Error *halo_error(XLA_FFI_Error_Code code, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return new_error(code, text, strlen(text));
}

// CHECK_SIZE makes a function fail whose caller does not know the fields that it needs.
#define CHECK_SIZE(args, want)                                                                                     \
  do {                                                                                                             \
    if ((args)->struct_size < (want))                                                                              \
      return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "%s: struct_size is %zu, want %zu or more", __func__, \
                        (args)->struct_size, (size_t)(want));                                                      \
  } while (0)

static XLA_FFI_Error *error_create(XLA_FFI_Error_Create_Args *a) {
  const char *message = a->message ? a->message : "";
  return new_error(a->errc, message, strlen(message));
}

static void error_details(XLA_FFI_Error_GetDetails_Args *a) {
  a->message = a->error->message;
  if (a->struct_size >= XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE)
    a->errc = a->error->code;
}

static void error_destroy(XLA_FFI_Error_Destroy_Args *a) { free(a->error); }

static XLA_FFI_Error *stream_get(XLA_FFI_Stream_Get_Args *a) {
  CHECK_SIZE(a, XLA_FFI_Stream_Get_Args_STRUCT_SIZE);
  a->stream = a->ctx->stream;
  if (a->ctx->site->on_stream)
    return NULL;
  return halo_error(XLA_FFI_Error_Code_UNIMPLEMENTED, "GPU context is not available: a CPU has no stream (of functions "
                                                     "for a GPU, a manifest says \"platform\": \"CUDA\")");
}

static XLA_FFI_Error *context_get(XLA_FFI_InvokeContext_Get_Args *a) {
  CHECK_SIZE(a, XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE);
  const halo_site *s = a->ctx->site;
  for (int64_t i = 0; i < s->user_count; i++)
    if (s->users[i].type == a->type_id->type_id) {
      a->data = s->users[i].data;
      return NULL;
    }
  return halo_error(XLA_FFI_Error_Code_NOT_FOUND, "the caller attached no user data with type id %lld",
                    (long long)a->type_id->type_id);
}

// new_scratch returns aligned memory that is freed with the context's, NULL if there is none.
static void *new_scratch(XLA_FFI_InvokeContext *ctx, size_t size, size_t alignment) {
  halo_scratch *s = malloc(sizeof *s);
  if (!s)
    return NULL;
  if (posix_memalign(&s->data, alignment, size ? size : 1)) {
    free(s);
    return NULL;
  }
  pthread_mutex_lock(&ctx->mu);
  s->next = ctx->scratch;
  ctx->scratch = s;
  pthread_mutex_unlock(&ctx->mu);
  return s->data;
}

static XLA_FFI_Error *memory_allocate(XLA_FFI_DeviceMemory_Allocate_Args *a) {
  CHECK_SIZE(a, XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE);
  size_t alignment = a->alignment > HALO_ALIGNMENT ? a->alignment : HALO_ALIGNMENT;
  if (alignment & (alignment - 1))
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "alignment is %zu, want a power of two", a->alignment);
  a->data = new_scratch(a->ctx, a->size, alignment);
  if (!a->data)
    return halo_error(XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "no %zu bytes of scratch memory", a->size);
  return NULL;
}

static XLA_FFI_Error *memory_free(XLA_FFI_DeviceMemory_Free_Args *a) {
  CHECK_SIZE(a, XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE);
  halo_scratch *found = NULL;
  pthread_mutex_lock(&a->ctx->mu);
  for (halo_scratch **p = &a->ctx->scratch; *p; p = &(*p)->next)
    if ((*p)->data == a->data) {
      found = *p;
      *p = found->next;
      break;
    }
  pthread_mutex_unlock(&a->ctx->mu);
  if (!found && a->data)
    return halo_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, "%p is no scratch memory of this call", a->data);
  if (found)
    free(found->data);
  free(found);
  return NULL;
}

void halo_scratch_free(XLA_FFI_InvokeContext *ctx) {
  while (ctx->scratch) {
    halo_scratch *s = ctx->scratch;
    ctx->scratch = s->next;
    free(s->data);
    free(s);
  }
}

static XLA_FFI_Error *pool_schedule(XLA_FFI_ThreadPool_Schedule_Args *a) {
  CHECK_SIZE(a, XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE);
  return halo_pool_schedule(a->task, a->data);
}

static XLA_FFI_Error *pool_threads(XLA_FFI_ThreadPool_NumThreads_Args *a) {
  CHECK_SIZE(a, XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE);
  *a->num_threads = halo_pool_threads();
  return NULL;
}

static XLA_FFI_Error *run_id(XLA_FFI_RunId_Get_Args *a) {
  CHECK_SIZE(a, XLA_FFI_RunId_Get_Args_STRUCT_SIZE);
  a->run_id = a->ctx->run;
  return NULL;
}

static XLA_FFI_Error *device_ordinal(XLA_FFI_DeviceOrdinal_Get_Args *a) {
  CHECK_SIZE(a, XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE);
  a->device_ordinal = a->ctx->device;
  return NULL;
}

static XLA_FFI_Error *find_extension(XLA_FFI_InvokeContext_FindExtension_Args *a) {
  CHECK_SIZE(a, XLA_FFI_InvokeContext_FindExtension_Args_STRUCT_SIZE);
  a->extension = NULL; // a CPU has none
  return NULL;
}

static XLA_FFI_Error *custom_options(XLA_FFI_CustomOptions_Get_Args *a) {
  static const XLA_FFI_Attrs none = {.struct_size = XLA_FFI_Attrs_STRUCT_SIZE};
  CHECK_SIZE(a, XLA_FFI_CustomOptions_Get_Args_STRUCT_SIZE);
  a->attrs = &none;
  return NULL;
}

const XLA_FFI_Api halo_api = {
    .struct_size = XLA_FFI_Api_STRUCT_SIZE,
    .api_version = {.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE,
                    .major_version = XLA_FFI_API_MAJOR,
                    .minor_version = XLA_FFI_API_MINOR},
    .XLA_FFI_Error_Create = error_create,
    .XLA_FFI_Error_GetDetails = error_details,
    .XLA_FFI_Error_Destroy = error_destroy,
    .XLA_FFI_Handler_Register = halo_handler_set,
    .XLA_FFI_Stream_Get = stream_get,
    .XLA_FFI_Type_Register = halo_type_set,
    .XLA_FFI_InvokeContext_Get = context_get,
    .XLA_FFI_State_Set = halo_state_set,
    .XLA_FFI_State_Get = halo_state_get,
    .XLA_FFI_DeviceMemory_Allocate = memory_allocate,
    .XLA_FFI_DeviceMemory_Free = memory_free,
    .XLA_FFI_ThreadPool_Schedule = pool_schedule,
    .XLA_FFI_ThreadPool_NumThreads = pool_threads,
    .XLA_FFI_Future_Create = halo_future_create,
    .XLA_FFI_Future_SetAvailable = halo_future_available,
    .XLA_FFI_Future_SetError = halo_future_error,
    .XLA_FFI_RunId_Get = run_id,
    .XLA_FFI_DeviceOrdinal_Get = device_ordinal,
    .XLA_FFI_InvokeContext_FindExtension = find_extension,
    .XLA_FFI_CustomOptions_Get = custom_options,
};
