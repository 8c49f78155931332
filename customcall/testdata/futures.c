// futures.c: functions that end their calls later, or never, or too often, for futures_test.go.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "xla/ffi/api/c_api.h"

// Threads of kind 3 wait for let_go, which has them end their calls.
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int go;
static volatile int alive;

void *let_go(void) {
  pthread_mutex_lock(&mu);
  go = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mu);
  return &go;
}

// stay_alive has threads of kind 4 go on, and end_threads has them end.
void *stay_alive(void) {
  alive = 1;
  return (void *)&alive;
}

void *end_threads(void) {
  alive = 0;
  return (void *)&alive;
}

typedef struct {
  const XLA_FFI_Api *api;
  XLA_FFI_Future *future;
  int kind;
  const float *from;
  float *to;
} promise;

static void available(promise *p) {
  XLA_FFI_Future_SetAvailable_Args a = {24, 0, p->future};
  p->api->XLA_FFI_Future_SetAvailable(&a);
}

static void failed(promise *p) {
  XLA_FFI_Error_Create_Args c = {28, 0, "the second end", XLA_FFI_Error_Code_DATA_LOSS};
  XLA_FFI_Future_SetError_Args a = {32, 0, p->future, p->api->XLA_FFI_Error_Create(&c)};
  p->api->XLA_FFI_Future_SetError(&a);
}

static void *finish(void *arg) {
  promise *p = arg;
  pthread_mutex_lock(&mu);
  while (p->kind == 3 && !go)
    pthread_cond_wait(&changed, &mu);
  pthread_mutex_unlock(&mu);
  *p->to = 2 * *p->from;
  available(p);
  if (p->kind == 2) {
    usleep(100);
    failed(p);
    available(p);
  }
  while (p->kind == 4 && alive)
    usleep(1000);
  free(p);
  return 0;
}

static void task(void *arg) { finish(arg); }

// later has the attribute kind: 0 ends the call before it returns, 1 twice, with an error the second time, 2 so on another
// thread, 3 when it is let go, 4 on a thread that lives on, 5 on the runtime's thread, 6 returns an error besides, 7 returns
// what it did not create.
XLA_FFI_Error *later(XLA_FFI_CallFrame *f) {
  XLA_FFI_InternalExtension *e = f->extension_start;
  if (e && e->type == XLA_FFI_Extension_Metadata) {
    ((XLA_FFI_Metadata_Extension *)e)->metadata->api_version.minor_version = 5;
    return 0;
  }
  int kind = (int)*(int64_t *)((XLA_FFI_Scalar *)f->attrs.attrs[0])->value;
  XLA_FFI_Future_Create_Args c = {16, 0, 0};
  XLA_FFI_Error *error = f->api->XLA_FFI_Future_Create(&c);
  if (error)
    return error;
  f->future = c.future;
  XLA_FFI_Buffer *from = f->args.args[0], *to = f->rets.rets[0];
  promise *p = malloc(sizeof *p), now;
  now = *p = (promise){f->api, c.future, kind, from->data, to->data};
  pthread_t t;
  if (kind == 5) {
    XLA_FFI_ThreadPool_Schedule_Args a = {40, 0, f->ctx, task, p};
    return f->api->XLA_FFI_ThreadPool_Schedule(&a);
  }
  if (kind >= 2 && kind <= 4) {
    if (pthread_create(&t, 0, finish, p))
      abort();
    pthread_detach(t);
    return 0;
  }
  finish(p);
  if (kind == 1)
    failed(&now);
  if (kind == 7)
    f->future = (XLA_FFI_Future *)((char *)f->future + 1000);
  XLA_FFI_Error_Create_Args x = {28, 0, "an error at once", XLA_FFI_Error_Code_ABORTED};
  return kind == 6 ? f->api->XLA_FFI_Error_Create(&x) : 0;
}
