// functions.c: functions behind custom calls that look at what a runtime hands over, for registry_test.go.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xla/ffi/api/c_api.h"

typedef XLA_FFI_CallFrame frame;

// asked answers the question for the version.
static int asked(frame *f, int minor) {
  XLA_FFI_InternalExtension *e = f->extension_start;
  if (!e || e->type != XLA_FFI_Extension_Metadata)
    return 0;
  XLA_FFI_Metadata *m = ((XLA_FFI_Metadata_Extension *)e)->metadata;
  m->api_version.major_version = 0;
  m->api_version.minor_version = minor;
  return 1;
}

static XLA_FFI_Error *fail(const frame *f, int code, const char *message) {
  XLA_FFI_Error_Create_Args a = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, 0, message, code};
  return f->api->XLA_FFI_Error_Create(&a);
}

static XLA_FFI_Buffer *arg(frame *f, int i) { return f->args.args[i]; }
static XLA_FFI_Buffer *ret(frame *f, int i) { return f->rets.rets[i]; }
static int64_t scalar(frame *f, int i) { return *(int64_t *)((XLA_FFI_Scalar *)f->attrs.attrs[i])->value; }

static int64_t elements(const XLA_FFI_Buffer *b) {
  int64_t n = 1;
  for (int64_t i = 0; i < b->rank; i++)
    n *= b->dims[i];
  return n;
}

// add_one is as short as a function can be that does something.
XLA_FFI_Error *add_one(frame *f) {
  if (asked(f, 5))
    return 0;
  *(float *)ret(f, 0)->data = *(float *)arg(f, 0)->data + 1;
  return 0;
}

// sizes says what the structs are like: all ones.
XLA_FFI_Error *sizes(frame *f) {
  if (asked(f, 5))
    return 0;
  int32_t *out = ret(f, 0)->data;
  out[0] = f->struct_size == 168 && !f->extension_start && !f->future && f->stage == XLA_FFI_ExecutionStage_EXECUTE;
  out[1] = f->args.struct_size == 40 && f->rets.struct_size == 40 && f->attrs.struct_size == 48;
  out[2] = f->api->struct_size == 208 && f->api->api_version.minor_version == 5 && f->ctx;
  out[3] = 1;
  for (int64_t i = 0; i < f->args.size; i++)
    out[3] = out[3] && (uintptr_t)arg(f, i)->data % 64 == 0 && arg(f, i)->struct_size == 48 && f->args.types[i] == 1;
  out[3] = out[3] && (uintptr_t)ret(f, 0)->data % 64 == 0;
  void *const *slots = (void *const *)&f->api->XLA_FFI_Error_Create;
  out[4] = 1;
  for (int i = 0; i < 20; i++)
    out[4] = out[4] && slots[i];
  return 0;
}

// raw copies the bytes of the operand as they lie, of which there are `a`.
XLA_FFI_Error *raw(frame *f) {
  if (asked(f, 5))
    return 0;
  memcpy(ret(f, 0)->data, arg(f, 0)->data, scalar(f, 0));
  return 0;
}

// fails has the code `code` and the message `text`, `times` times.
XLA_FFI_Error *fails(frame *f) {
  if (asked(f, 4))
    return 0;
  XLA_FFI_ByteSpan *text = f->attrs.attrs[1];
  int64_t times = scalar(f, 2);
  char *message = malloc(text->len * times + 1), *at = message;
  for (int64_t i = 0; i < times; i++, at += text->len)
    memcpy(at, text->ptr, text->len);
  *at = 0;
  XLA_FFI_Error *e = fail(f, (int)scalar(f, 0), message);
  free(message);
  return e;
}

// States of the three layouts. Each counts its calls from `start`.
static XLA_FFI_TypeId type;
static const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, 0, free};
static int deleted;
static void delete(void *p) {
  __atomic_add_fetch(&deleted, 1, __ATOMIC_SEQ_CST);
  free(p);
}
static XLA_FFI_TypeInfo counted = {XLA_FFI_TypeInfo_STRUCT_SIZE, 0, delete};
XLA_FFI_TypeId *counter_id(void) { return &type; }
const XLA_FFI_TypeInfo *counter_info(void) { return &counted; }
int64_t *new_counter(void) { return calloc(1, 8); }
// how_many says how many states were deleted.
XLA_FFI_Error *how_many(frame *f) {
  (void)info;
  if (asked(f, 5))
    return 0;
  *(int32_t *)ret(f, 0)->data = __atomic_load_n(&deleted, __ATOMIC_SEQ_CST);
  return 0;
}

typedef struct {
  size_t size;
  void *extension, *ctx;
  XLA_FFI_TypeId *id;
  void *state;
  void (*deleter)(void *);
} old_args;

static int64_t *made(frame *f) {
  int64_t *p = malloc(8);
  *p = scalar(f, 0);
  return p;
}

XLA_FFI_Error *make_1(frame *f) {
  if (asked(f, 1))
    return 0;
  old_args a = {48, 0, f->ctx, &type, made(f), delete};
  return f->api->XLA_FFI_State_Set((void *)&a);
}
XLA_FFI_Error *make_2(frame *f) {
  if (asked(f, 2))
    return 0;
  old_args a = {40, 0, f->ctx, &type, made(f), (void (*)(void *))0x1};
  return f->api->XLA_FFI_State_Set((void *)&a);
}
XLA_FFI_Error *make_3(frame *f) {
  if (asked(f, 3))
    return 0;
  XLA_FFI_State_Set_Args a = {48, 0, f->ctx, XLA_FFI_ExecutionStage_INSTANTIATE, &type, made(f)};
  return f->api->XLA_FFI_State_Set(&a);
}
static XLA_FFI_Error *count(frame *f, int64_t *state) {
  *(int64_t *)ret(f, 0)->data = __atomic_fetch_add(state, 1, __ATOMIC_SEQ_CST);
  return 0;
}
static XLA_FFI_Error *old_count(frame *f, int minor) {
  if (asked(f, minor))
    return 0;
  old_args a = {40, 0, f->ctx, &type, 0, 0};
  XLA_FFI_Error *e = f->api->XLA_FFI_State_Get((void *)&a);
  return e ? e : count(f, a.state);
}
XLA_FFI_Error *count_1(frame *f) { return old_count(f, 1); }
XLA_FFI_Error *count_2(frame *f) { return old_count(f, 2); }
XLA_FFI_Error *count_3(frame *f) {
  if (asked(f, 3))
    return 0;
  XLA_FFI_State_Get_Args a = {48, 0, f->ctx, XLA_FFI_ExecutionStage_INSTANTIATE, &type, 0};
  XLA_FFI_Error *e = f->api->XLA_FFI_State_Get(&a);
  return e ? e : count(f, a.state);
}

// Stages: prepare makes a state with the run's number, execute gives it back.
XLA_FFI_Error *begin_run(frame *f) {
  if (asked(f, 5))
    return 0;
  XLA_FFI_RunId_Get_Args r = {XLA_FFI_RunId_Get_Args_STRUCT_SIZE, 0, f->ctx, 0};
  XLA_FFI_Error *e = f->api->XLA_FFI_RunId_Get(&r);
  int64_t *p = malloc(8);
  *p = r.run_id;
  XLA_FFI_State_Set_Args a = {48, 0, f->ctx, XLA_FFI_ExecutionStage_PREPARE, &type, p};
  return e ? e : f->api->XLA_FFI_State_Set(&a);
}
XLA_FFI_Error *in_run(frame *f) {
  if (asked(f, 5))
    return 0;
  XLA_FFI_RunId_Get_Args r = {XLA_FFI_RunId_Get_Args_STRUCT_SIZE, 0, f->ctx, 0};
  XLA_FFI_State_Get_Args a = {48, 0, f->ctx, XLA_FFI_ExecutionStage_PREPARE, &type, 0};
  XLA_FFI_Error *e = f->api->XLA_FFI_RunId_Get(&r);
  if (!e)
    e = f->api->XLA_FFI_State_Get(&a);
  if (!e)
    *(int32_t *)ret(f, 0)->data = *(int64_t *)a.state == r.run_id && r.run_id != 0;
  return e;
}

// later ends on a thread of its own, a while after it has returned, or fails there if its operand is negative.
typedef struct {
  const XLA_FFI_Api *api;
  XLA_FFI_Future *future;
  const float *from;
  float *to;
} promise;
static void *keep(void *arg) {
  promise *p = arg;
  usleep(500);
  *p->to = *p->from * 2;
  if (*p->from < 0) {
    XLA_FFI_Error_Create_Args c = {28, 0, "later: negative", XLA_FFI_Error_Code_DATA_LOSS};
    XLA_FFI_Future_SetError_Args a = {32, 0, p->future, p->api->XLA_FFI_Error_Create(&c)};
    p->api->XLA_FFI_Future_SetError(&a);
  } else {
    XLA_FFI_Future_SetAvailable_Args a = {24, 0, p->future};
    p->api->XLA_FFI_Future_SetAvailable(&a);
  }
  free(p);
  return 0;
}
XLA_FFI_Error *later(frame *f) {
  if (asked(f, 5))
    return 0;
  XLA_FFI_Future_Create_Args c = {16, 0, 0};
  XLA_FFI_Error *e = f->api->XLA_FFI_Future_Create(&c);
  if (e)
    return e;
  promise *p = malloc(sizeof *p);
  *p = (promise){f->api, c.future, arg(f, 0)->data, ret(f, 0)->data};
  pthread_t t;
  if (pthread_create(&t, 0, keep, p))
    return fail(f, XLA_FFI_Error_Code_INTERNAL, "no thread");
  pthread_detach(t);
  f->future = c.future;
  return 0;
}

// scratch takes memory of every alignment, fills it, and gives some of it back.
XLA_FFI_Error *scratch(frame *f) {
  if (asked(f, 5))
    return 0;
  for (size_t align = 1; align <= 4096; align *= 2) {
    XLA_FFI_DeviceMemory_Allocate_Args a = {48, 0, f->ctx, 1000, align, 0};
    XLA_FFI_Error *e = f->api->XLA_FFI_DeviceMemory_Allocate(&a);
    if (e)
      return e;
    if ((uintptr_t)a.data % align || (uintptr_t)a.data % 64)
      return fail(f, XLA_FFI_Error_Code_INTERNAL, "not aligned");
    memset(a.data, 1, 1000);
    XLA_FFI_DeviceMemory_Free_Args d = {40, 0, f->ctx, 1000, a.data};
    if (align % 3 == 1 && (e = f->api->XLA_FFI_DeviceMemory_Free(&d)))
      return e;
  }
  XLA_FFI_DeviceMemory_Free_Args d = {40, 0, f->ctx, 1, f};
  XLA_FFI_Error *e = f->api->XLA_FFI_DeviceMemory_Free(&d);
  if (!e)
    return fail(f, XLA_FFI_Error_Code_INTERNAL, "gave back what it never had");
  XLA_FFI_Error_Destroy_Args x = {24, 0, e};
  f->api->XLA_FFI_Error_Destroy(&x);
  *(int32_t *)ret(f, 0)->data = 1;
  return 0;
}

// spread adds up 0 to 99 by tasks on the runtime's threads.
typedef struct {
  pthread_mutex_t mu;
  pthread_cond_t cv;
  int left, sum;
} sum;
typedef struct {
  sum *s;
  int value;
} term;
static void add(void *arg) {
  term *t = arg;
  pthread_mutex_lock(&t->s->mu);
  t->s->sum += t->value;
  if (!--t->s->left)
    pthread_cond_signal(&t->s->cv);
  pthread_mutex_unlock(&t->s->mu);
}
XLA_FFI_Error *spread(frame *f) {
  if (asked(f, 5))
    return 0;
  sum s = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 100, 0};
  term terms[100];
  for (int i = 0; i < 100; i++) {
    terms[i] = (term){&s, i};
    XLA_FFI_ThreadPool_Schedule_Args a = {40, 0, f->ctx, add, &terms[i]};
    if (f->api->XLA_FFI_ThreadPool_Schedule(&a))
      add(&terms[i]);
  }
  pthread_mutex_lock(&s.mu);
  while (s.left)
    pthread_cond_wait(&s.cv, &s.mu);
  pthread_mutex_unlock(&s.mu);
  *(int32_t *)ret(f, 0)->data = s.sum;
  return 0;
}

// registers asks to serve other targets when it is asked for its version.
XLA_FFI_Error *registers(frame *f) {
  if (asked(f, 5)) {
    XLA_FFI_Handler_Register_Args a = {
        92, 0, {"registered", 10}, {"Host", 4}, {0, 0, 0, add_one, 0}, 0};
    return f->api->XLA_FFI_Handler_Register(&a);
  }
  return 0;
}

// on_stream is what a GPU's functions of the older conventions look like: the result is the stream's number plus the
// operands and the length of the opaque text.
void on_stream(void *stream, void **buffers, const char *opaque, size_t len) {
  *(float *)buffers[2] = (float)(uintptr_t)stream + *(float *)buffers[0] + *(float *)buffers[1] + len;
}
void XlaCustomCallStatusSetFailure(void *status, const char *message, size_t len);
void on_stream_status(void *stream, void **buffers, const char *opaque, size_t len, void *status) {
  on_stream(stream, buffers, opaque, len);
  if (*(float *)buffers[0] < 0)
    XlaCustomCallStatusSetFailure(status, opaque, len);
}
XLA_FFI_Error *stream_of(frame *f) {
  if (asked(f, 5))
    return 0;
  XLA_FFI_Stream_Get_Args a = {32, 0, f->ctx, 0};
  XLA_FFI_Error *e = f->api->XLA_FFI_Stream_Get(&a);
  if (!e)
    *(float *)ret(f, 0)->data = (float)(uintptr_t)a.stream;
  return e;
}

// Functions of the older conventions.
void XlaCustomCallStatusSetSuccess(void *status);
void XlaCustomCallStatusSetFailure(void *status, const char *message, size_t len);
void two(void *out, const void **in) {
  *((float **)out)[0] = *(const float *)in[0];
  *((float **)out)[1] = -*(const float *)in[0];
}
void changes_its_mind(void *out, const void **in, void *status) {
  XlaCustomCallStatusSetFailure(status, "not so", 6);
  if (*(const float *)in[0] < 0)
    XlaCustomCallStatusSetFailure(status, "negative, really", 8);
  else
    XlaCustomCallStatusSetSuccess(status);
  *(float *)out = 1;
}
void opaque_bytes(void *out, const void **in, const char *opaque, size_t len, void *status) {
  memset(out, 0, 8);
  memcpy(out, opaque, len < 8 ? len : 8);
}
