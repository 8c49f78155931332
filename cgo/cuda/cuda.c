//go:build linux
#include "cuda.h"

#include <dlfcn.h>
#include <stdlib.h>

#define LOAD(name, result, params, args) \
  if (!(*(void **)&t->name = dlsym(lib, #name))) { \
    *missing = #name; \
    free(t); \
    return 0; \
  }

#define LOOK(name, result, params, args) *(void **)&t->name = dlsym(lib, #name);

cuda_table *halo_cuda_load(void *lib, const char **missing) {
  *missing = 0;
  cuda_table *t = malloc(sizeof *t);
  if (!t) return 0;
  CUDA_PLAIN(LOAD)
  CUDA_BOUND(LOAD)
  CUDA_LATER(LOOK)
  return t;
}

typedef struct {
  const cuda_table *t;
  halo_stream stream;
  const halo_cuda_value *values;
  const unsigned long long *base;
} submission;

static unsigned long long resolve(const submission *s, int64_t i) {
  const halo_cuda_value *v = s->values + i;
  return v->slot < 0 ? (unsigned long long)v->value : s->base[v->slot] + (unsigned long long)v->value;
}

static unsigned launch(const submission *s, const halo_cuda_command *c) {
  unsigned long long words[HALO_CUDA_PARAMS];
  void *params[HALO_CUDA_PARAMS];
  for (uint32_t i = 0; i < c->params; i++) {
    words[i] = resolve(s, c->first + i);
    params[i] = words + i;
  }
  return s->t->cuLaunchKernel(c->handle, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                              c->shared, s->stream, params, 0);
}

static unsigned copy(const submission *s, const halo_cuda_command *c) {
  const unsigned long long dst = resolve(s, c->first), src = resolve(s, c->first + 1), n = resolve(s, c->first + 2);
  return dst == src || !n ? 0 : s->t->cuMemcpyDtoDAsync_v2(dst, src, n, s->stream);
}

static unsigned fill(const submission *s, const halo_cuda_command *c) {
  const unsigned long long dst = resolve(s, c->first), n = resolve(s, c->first + 1), byte = resolve(s, c->first + 2);
  return n ? s->t->cuMemsetD8Async(dst, (unsigned char)byte, n, s->stream) : 0;
}

static unsigned copy_rows(const submission *s, const halo_cuda_command *c) {
  const int64_t at = c->first;
  const unsigned on_device = 2;
  const halo_cuda_copy_rows rows = {
    .dst = {.type = on_device, .device = resolve(s, at), .pitch = resolve(s, at + 1)},
    .src = {.type = on_device, .device = resolve(s, at + 2), .pitch = resolve(s, at + 3)},
    .width = resolve(s, at + 4), .height = resolve(s, at + 5),
  };
  return s->t->cuMemcpy2DAsync_v2((const struct CUDA_MEMCPY2D_st *)&rows, s->stream);
}

static unsigned record_event(const submission *s, const halo_cuda_command *c) {
  return s->t->cuEventRecord(c->handle, s->stream);
}

static unsigned wait_event(const submission *s, const halo_cuda_command *c) {
  return s->t->cuStreamWaitEvent(s->stream, c->handle, 0);
}

static unsigned graph(const submission *s, const halo_cuda_command *c) {
  return s->t->cuGraphLaunch(c->handle, s->stream);
}

static unsigned call(const submission *s, const halo_cuda_command *c) {
  unsigned long long words[HALO_CUDA_PARAMS];
  for (uint32_t i = 0; i < c->params; i++) words[i] = resolve(s, c->first + i);
  const halo_cuda_call *const library = c->handle;
  return library->run(library, s->stream, words);
}

static unsigned (*const commands[])(const submission *, const halo_cuda_command *) = {
  [HALO_LAUNCH] = launch, [HALO_COPY] = copy, [HALO_FILL] = fill,
  [HALO_RECORD_EVENT] = record_event, [HALO_WAIT_EVENT] = wait_event, [HALO_GRAPH] = graph,
  [HALO_CALL] = call, [HALO_COPY_ROWS] = copy_rows,
};

unsigned halo_cuda_submit(const cuda_table *t, halo_context c, halo_stream stream, const halo_cuda_command *list,
                          int64_t count, const halo_cuda_value *values, const unsigned long long *base,
                          int64_t *done) {
  const submission s = {t, stream, values, base};
  *done = -1;
  unsigned status = t->cuCtxSetCurrent(c);
  if (status) return status;
  for (*done = 0; *done < count; ++*done)
    if ((status = commands[list[*done].kind](&s, list + *done))) break;
  return status;
}

unsigned halo_cuda_update(const cuda_table *t, halo_context c, halo_graph_exec exec, halo_graph graph) {
  long long info[16]; // the result of the update and two nodes, which nobody asks for
  const unsigned status = t->cuCtxSetCurrent(c);
  return status ? status : t->cuGraphExecUpdate_v2(exec, graph, (struct CUgraphExecUpdateResultInfo_st *)info);
}

unsigned halo_cuda_capture(const cuda_table *t, halo_context c, halo_stream stream, halo_graph graph,
                           struct CUgraphNode_st *const *after, size_t count) {
  const unsigned relaxed = 2, status = t->cuCtxSetCurrent(c);
  return status ? status : t->cuStreamBeginCaptureToGraph(stream, graph, after, 0, count, relaxed);
}

unsigned halo_cuda_last(const cuda_table *t, halo_context c, halo_stream stream, struct CUgraphNode_st *const **last,
                        size_t *count) {
  unsigned captured;
  const struct CUgraphEdgeData_st *edges; // which must be asked for where there are some
  const unsigned status = t->cuCtxSetCurrent(c);
  return status ? status : t->cuStreamGetCaptureInfo_v3(stream, &captured, 0, 0, last, &edges, count);
}

unsigned halo_cuda_conditional_node(const cuda_table *t, halo_context c, halo_graph graph,
                                    struct CUgraphNode_st *const *after, size_t count, uint64_t handle, int loops,
                                    struct CUgraphNode_st **node, halo_graph *body) {
  halo_cuda_conditional params = {.type = HALO_CONDITIONAL_NODE, .handle = handle, .kind = loops != 0, .size = 1,
                                  .context = c};
  unsigned status = t->cuCtxSetCurrent(c);
  if (!status) status = t->cuGraphAddNode_v2(node, graph, after, 0, count, (struct CUgraphNodeParams_st *)&params);
  if (!status) *body = params.bodies[0];
  return status;
}
