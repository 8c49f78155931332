//go:build linux
#include "cudnn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LOAD(name, result, params, args) \
  if (!(*(void **)&t->name = dlsym(lib, #name))) { \
    *missing = #name; \
    free(t); \
    return 0; \
  }

cudnn_table *halo_cudnn_load(void *lib, const char **missing) {
  *missing = 0;
  cudnn_table *t = malloc(sizeof *t);
  if (!t) return 0;
  CUDNN_LIST(LOAD)
  return t;
}

#define VALUE(name, value) name = value,
enum { CUDNN_VALUES(VALUE) ALLOC_FAILED = 4000 };

struct halo_cudnn {
  const cudnn_table *t;
  struct cudnnContext *handle;
  void *described; // a device, where there is no handle
  pthread_mutex_t lock;
};

static unsigned describe(halo_cudnn *h, const char *description) {
  const unsigned status = h->t->cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &h->described);
  if (status) return status;
  const int64_t bytes = (int64_t)strlen(description) + 1;
  unsigned failed = h->t->cudnnBackendSetAttribute(h->described, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
                                                   CUDNN_TYPE_CHAR, bytes, description);
  if (!failed) failed = h->t->cudnnBackendFinalize(h->described);
  if (failed) h->t->cudnnBackendDestroyDescriptor(h->described);
  return failed;
}

unsigned halo_cudnn_create(const cudnn_table *t, const char *description, halo_cudnn **out) {
  halo_cudnn *h = *out = calloc(1, sizeof *h);
  if (!h) return ALLOC_FAILED;
  h->t = t;
  const unsigned status = description ? describe(h, description) : t->cudnnCreate(&h->handle);
  if (status) {
    free(h);
    *out = 0;
    return status;
  }
  pthread_mutex_init(&h->lock, 0);
  return 0;
}

unsigned halo_cudnn_destroy(halo_cudnn *h) {
  const unsigned status = h->handle ? h->t->cudnnDestroy(h->handle) : h->t->cudnnBackendDestroyDescriptor(h->described);
  pthread_mutex_destroy(&h->lock);
  free(h);
  return status;
}

enum { MOST_DESCRIPTORS = 160, MOST_ARRAYS = 5, MOST_WAYS = 128, MOST_NOTES = 32 };

struct halo_cudnn_plan {
  halo_cuda_call call; // first
  halo_cudnn *h;
  halo_cudnn_shape shape;
  void *made[MOST_DESCRIPTORS]; // what it is described by, and done
  int descriptors, described;   // how many there are, and how many of them describe it
  void *operations, *plan;
  int64_t arrays;
  unsigned status; // of the first call that has failed: after it nothing is called
};

// made makes a descriptor, which the plan owns.
static void *made(halo_cudnn_plan *p, unsigned kind) {
  void *d = 0;
  if (!p->status && p->descriptors == MOST_DESCRIPTORS) p->status = ALLOC_FAILED;
  if (!p->status) p->status = p->h->t->cudnnBackendCreateDescriptor(kind, &d);
  if (!p->status) p->made[p->descriptors++] = d;
  return d;
}

// forget frees the descriptors that were made since there were so many.
static void forget(halo_cudnn_plan *p, int since) {
  while (p->descriptors > since) p->h->t->cudnnBackendDestroyDescriptor(p->made[--p->descriptors]);
}

static void set(halo_cudnn_plan *p, void *d, unsigned name, unsigned type, int64_t count, const void *values) {
  if (!p->status) p->status = p->h->t->cudnnBackendSetAttribute(d, name, type, count, values);
}

static void set_number(halo_cudnn_plan *p, void *d, unsigned name, unsigned type, int value) {
  set(p, d, name, type, 1, &value); // an enumeration
}

static void set_descriptor(halo_cudnn_plan *p, void *d, unsigned name, void *value) {
  set(p, d, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

// set_device says which device d is for.
static void set_device(halo_cudnn_plan *p, void *d, unsigned handle, unsigned described) {
  if (p->h->handle && handle) set(p, d, handle, CUDNN_TYPE_HANDLE, 1, &p->h->handle);
  if (!p->h->handle && described) set_descriptor(p, d, described, p->h->described);
}

static void get(halo_cudnn_plan *p, void *d, unsigned name, unsigned type, int64_t most, int64_t *count, void *values) {
  *count = 0;
  if (!p->status) p->status = p->h->t->cudnnBackendGetAttribute(d, name, type, most, count, values);
  if (*count > most && values) *count = most;
}

static void *finalized(halo_cudnn_plan *p, void *d) {
  if (!p->status) p->status = p->h->t->cudnnBackendFinalize(d);
  return d;
}

// tensor describes an array; one whose number is not above 0 is never in memory. Arrays of programs are aligned to 64
// bytes, of which libraries want 16.
static void *tensor(halo_cudnn_plan *p, const halo_cudnn_tensor *s, int64_t rank, int64_t number) {
  const int64_t aligned = 16, id = number > 0 ? number : MOST_ARRAYS + 1 - number;
  void *d = made(p, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  set_number(p, d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, (int)s->type);
  set(p, d, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, rank, s->dims);
  set(p, d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, rank, s->strides);
  set(p, d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
  set(p, d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &aligned);
  if (number <= 0) {
    const char yes = 1;
    set(p, d, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &yes);
  }
  return finalized(p, d);
}

static void *window(halo_cudnn_plan *p, const halo_cudnn_shape *s) {
  void *d = made(p, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  set(p, d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &s->rank);
  set_number(p, d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, (int)s->sum);
  set_number(p, d, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  set(p, d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, s->rank, s->pre);
  set(p, d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, s->rank, s->post);
  set(p, d, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, s->rank, s->dilation);
  set(p, d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, s->rank, s->stride);
  return finalized(p, d);
}

// The operations, and the first of their attributes: alpha, beta, the window, w, x and y.
static const struct {
  unsigned operation, first;
} kinds[HALO_CONVOLUTIONS] = {
  [HALO_FORWARD] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA},
  [HALO_BACKWARD_DATA] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA},
  [HALO_BACKWARD_FILTER] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA},
};

// convolution makes the operation on x, w and y.
static void *convolution(halo_cudnn_plan *p, const halo_cudnn_shape *s, void *x, void *w, void *y) {
  const float one = 1, zero = 0;
  const double one64 = 1, zero64 = 0;
  const int wide = s->sum == CUDNN_DATA_DOUBLE;
  const unsigned type = wide ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT, first = kinds[s->kind].first;
  void *c = window(p, s), *d = made(p, kinds[s->kind].operation);
  set(p, d, first, type, 1, wide ? (const void *)&one64 : &one);
  set(p, d, first + 1, type, 1, wide ? (const void *)&zero64 : &zero);
  set_descriptor(p, d, first + 2, c);
  set_descriptor(p, d, first + 3, w);
  set_descriptor(p, d, first + 4, x);
  set_descriptor(p, d, first + 5, y);
  return finalized(p, d);
}

// added makes the operation y = x + b, in the type of sums.
static void *added(halo_cudnn_plan *p, const halo_cudnn_shape *s, void *x, void *b, void *y) {
  void *sum = made(p, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  set_number(p, sum, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, CUDNN_POINTWISE_ADD);
  set_number(p, sum, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, (int)s->sum);
  finalized(p, sum);
  void *d = made(p, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set_descriptor(p, d, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, sum);
  set_descriptor(p, d, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  set_descriptor(p, d, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
  set_descriptor(p, d, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  return finalized(p, d);
}

// feature is y with one element for each feature.
static halo_cudnn_tensor feature(const halo_cudnn_tensor *y) {
  halo_cudnn_tensor b = {.type = y->type};
  for (int i = 0; i < HALO_DIMS; i++) b.dims[i] = i == 1 ? y->dims[1] : 1, b.strides[i] = i == 1 ? 1 : y->dims[1];
  return b;
}

// graph describes all of it. Arrays are numbered as their words are, from 1.
static void *graph(halo_cudnn_plan *p, const halo_cudnn_shape *s) {
  const int64_t rank = s->rank + 2;
  const halo_cudnn_tensor each = feature(&s->y);
  halo_cudnn_tensor between = s->y;
  between.type = s->sum;
  int64_t count = 0;
  void *operations[3], *y = tensor(p, &s->y, rank, 3), *sums = s->bias ? tensor(p, &between, rank, 0) : y;
  operations[count++] = convolution(p, s, tensor(p, &s->x, rank, 1), tensor(p, &s->w, rank, 2), sums);
  if (s->added) {
    void *more = tensor(p, &between, rank, -1);
    operations[count++] = added(p, s, sums, tensor(p, &s->y, rank, 5), more);
    sums = more;
  }
  if (s->bias) operations[count++] = added(p, s, sums, tensor(p, &each, rank, 4), y);
  p->arrays = 2 + count;
  void *d = made(p, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set_device(p, d, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, 0);
  set(p, d, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, operations);
  return finalized(p, d);
}

// says reads what a way says of itself.
static void says(halo_cudnn_plan *p, void *config, halo_cudnn_way *way) {
  int notes[MOST_NOTES];
  int64_t count = 0;
  void *engine = made(p, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  get(p, config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine);
  get(p, engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &count, &way->engine);
  get(p, engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, MOST_NOTES, &count, notes);
  way->notes = 0;
  for (int64_t i = 0; i < count; i++) way->notes |= (int64_t)1 << (notes[i] & 63);
}

#define NOTE(name) ((int64_t)1 << CUDNN_NUMERICAL_NOTE_##name)

// faithful reports whether a way of computing takes the operands as they are, sums in the type of sums, keeps a NaN or
// an infinity where it is, and gives the same each time. What notes say that we do not know is not taken. Tensor cores
// round f32 to TF32.
static int faithful(const halo_cudnn_shape *s, const halo_cudnn_way *way) {
  int64_t fine = NOTE(STRICT_NAN_PROP);
  if (s->x.type != CUDNN_DATA_FLOAT || s->rounded) fine |= NOTE(TENSOR_CORE);
  return !(way->notes & ~fine);
}

// refused reports whether a status says that something cannot be done so, and clears it; kernels that the library
// cannot compile are such a thing.
static int refused(halo_cudnn_plan *p) {
  const unsigned kind = p->status / 1000 * 1000;
  if (kind != CUDNN_STATUS_BAD_PARAM && kind != CUDNN_STATUS_NOT_SUPPORTED && kind != CUDNN_STATUS_INTERNAL_ERROR)
    return 0;
  p->status = 0;
  return 1;
}

// prepared makes the plan of a way. It returns 0 if that is not to be taken, or has failed.
static int prepared(halo_cudnn_plan *p, void *config, int64_t most, halo_cudnn_way *way) {
  const int before = p->descriptors;
  says(p, config, way);
  if (!p->status && faithful(&p->shape, way)) {
    int64_t count = 0;
    void *d = made(p, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    set_device(p, d, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
    set_descriptor(p, d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
    finalized(p, d);
    get(p, d, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &way->bytes);
    p->plan = d;
    if (!p->status && way->bytes <= most) return 1;
  }
  forget(p, before);
  refused(p);
  return 0;
}

// proposed makes what a mode proposes, the best first, and returns how many these are.
static int64_t proposed(halo_cudnn_plan *p, int mode, void *configs[MOST_WAYS]) {
  void *d = made(p, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  int64_t all = 0, count = 0;
  set_descriptor(p, d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, p->operations);
  set_number(p, d, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  set_device(p, d, 0, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
  finalized(p, d);
  get(p, d, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &all, 0);
  if (all > MOST_WAYS) all = MOST_WAYS;
  for (int64_t i = 0; i < all; i++) configs[i] = made(p, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  if (all > 0) get(p, d, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, all, &count, configs);
  return p->status ? 0 : count;
}

// list appends the ways of a mode that are to be taken, up to count of all.
static void list(halo_cudnn_plan *p, int mode, int64_t most, halo_cudnn_way *ways, int64_t count, int64_t *found) {
  void *configs[MOST_WAYS] = {0};
  const int64_t all = proposed(p, mode, configs);
  for (int64_t i = 0; i < all && *found < count && !p->status; i++) {
    const int before = p->descriptors;
    halo_cudnn_way way = {.mode = mode, .index = i};
    if (prepared(p, configs[i], most, &way)) ways[(*found)++] = way;
    forget(p, before);
  }
  forget(p, p->described);
  refused(p);
}

// take makes the plan of a way that was listed.
static void take(halo_cudnn_plan *p, int64_t most, const halo_cudnn_way *way) {
  void *configs[MOST_WAYS] = {0};
  halo_cudnn_way is = {0};
  forget(p, p->described);
  const int64_t all = proposed(p, (int)way->mode, configs);
  const int there = way->index >= 0 && way->index < all && prepared(p, configs[way->index], most, &is);
  if (!p->status && !(there && is.engine == way->engine && is.notes == way->notes && is.bytes == way->bytes))
    p->status = CUDNN_STATUS_NOT_SUPPORTED;
}

static void *address(unsigned long long at) { return (void *)(uintptr_t)at; }

// execute enqueues on the stream that the handle has.
static void execute(halo_cudnn_plan *p, const unsigned long long *words) {
  int64_t numbers[MOST_ARRAYS];
  void *arrays[MOST_ARRAYS];
  for (int64_t i = 0; i < p->arrays; i++) numbers[i] = i + 1, arrays[i] = address(words[i]);
  void *work = address((words[p->arrays] + 255) / 256 * 256), *d = made(p, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  set(p, d, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, p->arrays, numbers);
  set(p, d, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, p->arrays, arrays);
  set(p, d, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &work);
  finalized(p, d);
  if (!p->status) p->status = p->h->t->cudnnBackendExecute(p->h->handle, p->plan, d);
}

static unsigned run(const halo_cuda_call *call, void *stream, const unsigned long long *words) {
  halo_cudnn_plan *p = (halo_cudnn_plan *)(uintptr_t)call;
  pthread_mutex_lock(&p->h->lock);
  const int before = p->descriptors;
  p->status = p->h->t->cudnnSetStream(p->h->handle, stream);
  execute(p, words);
  forget(p, before);
  const unsigned status = p->status;
  pthread_mutex_unlock(&p->h->lock);
  return status;
}

void halo_cudnn_close(halo_cudnn_plan *p) {
  forget(p, 0);
  free(p);
}

// done is the status of what was done to p since its lock was taken, and what the library says of it.
static unsigned done(halo_cudnn_plan *p, char said[HALO_SAID]) {
  const unsigned status = p->status;
  p->status = 0;
  said[0] = 0;
  if (status) p->h->t->cudnnGetLastErrorString(said, HALO_SAID);
  pthread_mutex_unlock(&p->h->lock);
  return status;
}

unsigned halo_cudnn_open(halo_cudnn *h, const halo_cudnn_shape *shape, halo_cudnn_plan **out, char said[HALO_SAID]) {
  *out = 0;
  said[0] = 0;
  halo_cudnn_plan *p = calloc(1, sizeof *p);
  if (!p) return ALLOC_FAILED;
  p->call.run = run;
  p->h = h;
  p->shape = *shape;
  pthread_mutex_lock(&h->lock);
  p->operations = graph(p, shape);
  p->described = p->descriptors;
  const unsigned status = done(p, said);
  if (status) halo_cudnn_close(p);
  else *out = p;
  return status;
}

unsigned halo_cudnn_ways(halo_cudnn_plan *p, int64_t most, halo_cudnn_way *ways, int64_t count, int64_t *found,
                         char said[HALO_SAID]) {
  static const int modes[] = {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK};
  pthread_mutex_lock(&p->h->lock);
  forget(p, p->described);
  *found = 0;
  for (int i = 0; i < 3 && !*found && !p->status; i++) list(p, modes[i], most, ways, count, found);
  if (!p->status && !*found) p->status = CUDNN_STATUS_NOT_SUPPORTED;
  return done(p, said);
}

unsigned halo_cudnn_take(halo_cudnn_plan *p, int64_t most, const halo_cudnn_way *way, char said[HALO_SAID]) {
  pthread_mutex_lock(&p->h->lock);
  take(p, most, way);
  return done(p, said);
}
