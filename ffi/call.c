// call.c: frames, and the calls of functions with them, in each calling convention.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime.h"

static void fill_lists(halo_frame *f) {
  halo_site *s = f->site;
  XLA_FFI_CallFrame *c = &f->call;
  c->struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  c->api = &halo_api;
  c->ctx = &f->context;
  c->args = (XLA_FFI_Args){XLA_FFI_Args_STRUCT_SIZE, NULL, s->operands, (XLA_FFI_ArgType *)s->types, f->pointers};
  c->rets = (XLA_FFI_Rets){XLA_FFI_Rets_STRUCT_SIZE, NULL, s->results, (XLA_FFI_RetType *)s->types,
                           f->pointers + s->operands};
  c->attrs = s->attrs;
  for (int64_t i = 0; i < s->operands + s->results; i++) {
    const halo_array *a = &s->arrays[i];
    f->buffers[i] = (XLA_FFI_Buffer){XLA_FFI_Buffer_STRUCT_SIZE, NULL, a->dtype, NULL, a->rank, a->dims};
    f->pointers[i] = &f->buffers[i];
  }
}

halo_frame *halo_frame_new(halo_site *s) {
  int64_t n = s->operands + s->results;
  halo_frame *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->site = s;
  f->address = calloc(n + 1, sizeof *f->address);
  f->pointers = calloc(n + 1, sizeof *f->pointers);
  f->data = calloc(n + 1, sizeof *f->data);
  f->buffers = calloc(n + 1, sizeof *f->buffers);
  pthread_mutex_init(&f->context.mu, NULL);
  if (!f->address || !f->pointers || !f->data || !f->buffers) {
    halo_frame_free(f);
    return NULL;
  }
  fill_lists(f);
  f->context.site = s;
  f->context.states[0] = &s->instance;
  for (int i = 1; i < HALO_STATES; i++)
    f->context.states[i] = &f->states[i];
  return f;
}

void halo_frame_reset(halo_frame *f) {
  for (int i = 1; i < HALO_STATES; i++)
    halo_state_delete(&f->states[i]);
  f->prepared = 0;
}

void halo_frame_free(halo_frame *f) {
  halo_frame_reset(f);
  pthread_mutex_destroy(&f->context.mu);
  free(f->address);
  free(f->pointers);
  free(f->data);
  free(f->buffers);
  free(f->bounce);
  free(f);
}

// stream_call calls a function of a GPU: one table has the operands and then the results.
static void stream_call(halo_frame *f, void *function) {
  halo_site *s = f->site;
  void *stream = f->context.stream;
  if (s->version <= 1)
    ((void (*)(void *, void **, const char *, size_t))function)(stream, f->data, s->opaque, s->opaque_bytes);
  else
    ((void (*)(void *, void **, const char *, size_t, void *))function)(stream, f->data, s->opaque, s->opaque_bytes,
                                                                        &f->status);
}

// old_call calls a function of the conventions before the typed one.
static void *old_call(void *arg) {
  halo_frame *f = arg;
  halo_site *s = f->site;
  const void **in = (const void **)f->data;
  void **results = f->data + s->operands;
  void *out = s->tuple || s->results != 1 ? (void *)results : results[0];
  halo_status *status = &f->status;
  void *function = (void *)s->stage[XLA_FFI_ExecutionStage_EXECUTE];
  if (s->on_stream)
    stream_call(f, function);
  else if (s->version <= 1)
    ((void (*)(void *, const void **))function)(out, in);
  else if (s->version == 2)
    ((void (*)(void *, const void **, void *))function)(out, in, status);
  else
    ((void (*)(void *, const void **, const char *, size_t, void *))function)(out, in, s->opaque, s->opaque_bytes,
                                                                            status);
  return NULL;
}

// finish keeps the error of a call in the frame and returns its code.
static int32_t finish(XLA_FFI_Error *error, char **message) {
  if (!error)
    return 0;
  int32_t code = error->code;
  if (code < 0 || code > XLA_FFI_Error_Code_UNAUTHENTICATED)
    code = XLA_FFI_Error_Code_UNKNOWN;
  if (code)
    *message = strdup(error->message);
  free(error);
  return code;
}

static int32_t old_execute(halo_frame *f) {
  memset(&f->status, 0, sizeof f->status);
  XLA_FFI_Error *error = halo_guard(old_call, f, f->site->library);
  if (error || !f->status.failed) {
    free(f->status.text);
    return finish(error, &f->message);
  }
  f->message = f->status.text;
  return XLA_FFI_Error_Code_INTERNAL;
}

// ended_by notes a thread that is not ours and has ended a call: until it is gone, it may run code of the library's.
// When there is no room, those that are gone make some; ender_count is HALO_ENDERS + 1 if there are more.
static void ended_by(halo_site *s, int32_t thread) {
  static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mu);
  int32_t n = 0, known = 0;
  for (int32_t i = 0; i < s->ender_count && i < HALO_ENDERS; i++)
    known |= s->enders[i] == thread;
  if (!known && s->ender_count == HALO_ENDERS) {
    for (int32_t i = 0; i < HALO_ENDERS; i++)
      if (!syscall(SYS_tgkill, getpid(), s->enders[i], 0))
        s->enders[n++] = s->enders[i];
    s->ender_count = n;
  }
  if (!known && s->ender_count < HALO_ENDERS)
    s->enders[s->ender_count++] = thread;
  else if (!known)
    s->ender_count = HALO_ENDERS + 1;
  pthread_mutex_unlock(&mu);
}

// conclude ends a call of the typed convention.
static int32_t conclude(halo_frame *f, XLA_FFI_Error *error) {
  halo_scratch_free(&f->context);
  return finish(error, &f->message);
}

// take looks whether the future of a call has ended.
static int32_t take(halo_frame *f, int patient) {
  XLA_FFI_Error *error;
  int32_t thread;
  if (!halo_future_take(f->call.future, patient, &error, &thread))
    return HALO_PENDING;
  f->call.future = NULL;
  if (thread)
    ended_by(f->site, thread);
  return conclude(f, error);
}

// typed calls the function of a stage. Only execute may be pending: other stages are waited for.
static int32_t typed(halo_frame *f, int32_t stage) {
  const halo_site *s = f->site;
  XLA_FFI_CallFrame *c = &f->call;
  c->stage = stage;
  c->future = NULL;
  c->args.size = stage == XLA_FFI_ExecutionStage_EXECUTE ? s->operands : 0;
  c->rets.size = stage == XLA_FFI_ExecutionStage_EXECUTE ? s->results : 0;
  f->context.stage = stage;
  f->context.minor = halo_minor = s->minor[stage];
  XLA_FFI_Error *error = halo_guard((void *(*)(void *))s->stage[stage], c, s->library);
  halo_minor = -1;
  if (c->future && !error)
    return take(f, stage != XLA_FFI_ExecutionStage_EXECUTE);
  if (c->future)
    halo_future_drop(c->future);
  return conclude(f, error);
}

static int32_t stage_if_any(halo_frame *f, int32_t stage) { return f->site->stage[stage] ? typed(f, stage) : 0; }

int32_t halo_frame_call(uintptr_t frame, int32_t stage, int64_t run, int32_t device) {
  halo_frame *f = (halo_frame *)frame;
  f->context.run = run;
  f->context.device = device;
  f->message = NULL;
  if (stage != XLA_FFI_ExecutionStage_EXECUTE)
    return stage_if_any(f, stage);
  if (f->site->version == 4 && !f->prepared) {
    int32_t code = stage_if_any(f, XLA_FFI_ExecutionStage_PREPARE);
    if (!code)
      code = stage_if_any(f, XLA_FFI_ExecutionStage_INITIALIZE);
    if (code)
      return code;
    f->prepared = 1;
  }
  if (!f->site->on_stream)
    halo_arrays_enter(f);
  else
    for (int64_t i = 0; i < f->site->operands + f->site->results; i++)
      f->data[i] = f->buffers[i].data = f->address[i];
  int32_t code = f->site->version == 4 ? typed(f, stage) : old_execute(f);
  if (code != HALO_PENDING && !f->site->on_stream)
    halo_arrays_leave(f);
  return code;
}

int32_t halo_frame_wait(uintptr_t frame, int32_t patient) {
  halo_frame *f = (halo_frame *)frame;
  int32_t code = take(f, patient);
  if (code != HALO_PENDING && !f->site->on_stream)
    halo_arrays_leave(f);
  return code;
}

// question asks a function for its version. One of an older convention, which nobody can tell from others, takes the
// frame for its result: it gets room there, and in its other arguments operands of zeros, an empty text and a status.
typedef struct {
  XLA_FFI_CallFrame call;
  char room[1 << 16];
  const void *operands[64];
  halo_status status;
  XLA_FFI_Handler *handler;
} question;

static void *ask(void *arg) {
  static char zeros[1 << 16] __attribute__((aligned(HALO_ALIGNMENT)));
  question *q = arg;
  for (size_t i = 0; i < sizeof q->operands / sizeof *q->operands; i++)
    q->operands[i] = zeros;
  typedef void *every(void *, const void **, void *, size_t, void *);
  return ((every *)(void *)q->handler)(&q->call, q->operands, &q->status, 0, &q->status);
}

int32_t halo_metadata(XLA_FFI_Handler *handler, void *library, int32_t version[2], uint32_t *traits, char **message) {
  XLA_FFI_Metadata m = {.struct_size = XLA_FFI_Metadata_STRUCT_SIZE};
  m.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  XLA_FFI_Metadata_Extension e = {{XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, NULL}, &m};
  question *q = calloc(1, sizeof *q);
  if (!q)
    abort();
  q->handler = handler;
  q->call = (XLA_FFI_CallFrame){.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                                .extension_start = &e.extension_base,
                                .api = &halo_api,
                                .stage = XLA_FFI_ExecutionStage_EXECUTE,
                                .args = {.struct_size = XLA_FFI_Args_STRUCT_SIZE},
                                .rets = {.struct_size = XLA_FFI_Rets_STRUCT_SIZE},
                                .attrs = {.struct_size = XLA_FFI_Attrs_STRUCT_SIZE}};
  halo_made = NULL;
  XLA_FFI_Error *error = halo_guard(ask, q, library);
  version[0] = m.api_version.major_version;
  version[1] = m.api_version.minor_version;
  if (!version[0] && !version[1] && error != halo_made)
    error = NULL; // what a function returns that returns nothing
  *traits = m.traits;
  *message = NULL;
  free(q->status.text);
  free(q);
  return finish(error, message);
}

void halo_status_set(void *status, const char *text, size_t bytes) {
  halo_status *s = status;
  free(s->text);
  memset(s, 0, sizeof *s);
  if (!text)
    return;
  s->failed = 1;
  s->text = strndup(text, bytes);
}

// pointer_call is a call that guards can make: arg is where the function is, and then what it returned.
static void *pointer_call(void *arg) {
  void **p = arg;
  *p = ((void *(*)(void))*p)();
  return NULL;
}

void *halo_pointer(void *function, void *library) {
  void *p = function;
  XLA_FFI_Error *error = halo_guard(pointer_call, &p, library);
  free(error);
  return error ? NULL : p;
}

const void *halo_table(void) { return &halo_api; }
