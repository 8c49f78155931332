//go:build linux

#include "face.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../loops/gemm/blas.h"
#include "onednn.h"
#include "version.h"

static struct {
  ONEDNN_LIST(ONEDNN_FIELD)
} table;
static const halo_dnnl_version *version;
static dnnl_engine_t engine;
static void (*set_threads)(int);

enum { ARG_SRC = 1, ARG_DST = 17, ARG_WEIGHTS = 33, ARG_BIAS = 41, ARG_SCRATCHPAD = 80, ARG_SRC1 = 2 };
enum { ARG_DIFF_DST = 145, ARG_DIFF_WEIGHTS = 161 };
enum { QUERY_INFO = 8, QUERY_WEIGHTS = 131, QUERY_DIFF_WEIGHTS = 132, QUERY_SCRATCHPAD = 136 };
enum { OPERANDS = 4, MAX_ARGS = OPERANDS + 1 + HALO_DNNL_MAX_POSTS };

static const char *load(void *lib) {
  ONEDNN_LIST(ONEDNN_LOAD)
  return 0;
}

const char *halo_dnnl_open(void *lib, int major, void (*set)(int)) {
  version = major == 2 ? &halo_onednn2 : &halo_onednn3;
  const char *missing = load(lib);
  if (!missing) missing = version->load(lib);
  if (missing) return missing;
  set_threads = set;
  table.dnnl_get_effective_cpu_isa(); /* reads the environment now */
  return table.dnnl_engine_create(&engine, 1, 0) ? "an engine for the CPU" : 0;
}

const char *halo_dnnl_version_text(void) {
  static char text[48];
  const dnnl_version_t *v = table.dnnl_version();
  snprintf(text, sizeof text, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
  return text;
}

unsigned halo_dnnl_isa(void) { return table.dnnl_get_effective_cpu_isa(); }

/* alone makes the calling thread's calls of the library use no other threads: the pool is ours. */
static void alone(void) {
  static __thread int done;
  if (!done) {
    set_threads(1);
    done = 1;
  }
}

/* context is what one execution at a time uses: the library's objects, and scratch memory. */
typedef struct context {
  struct context *next;
  dnnl_stream_t stream;
  void *scratch;
  dnnl_memory_t memory[MAX_ARGS];
} context;

struct halo_dnnl {
  dnnl_primitive_desc_t pd;
  dnnl_primitive_t primitive;
  halo_dnnl_md *md[OPERANDS], *post_md[HALO_DNNL_MAX_POSTS];
  HALO_MD desc[MAX_ARGS]; /* of the arguments: owned by md, post_md or pd */
  int arg[MAX_ARGS];      /* oneDNN's numbers of them, 0 for none */
  size_t scratch;
  char info[96];
  atomic_flag lock;
  context *idle;
};

static void free_context(context *c) {
  for (int i = 0; i < MAX_ARGS; i++)
    if (c->memory[i]) table.dnnl_memory_destroy(c->memory[i]);
  if (c->stream) table.dnnl_stream_destroy(c->stream);
  free(c->scratch);
  free(c);
}

static context *new_context(const halo_dnnl *p) {
  context *c = calloc(1, sizeof *c);
  if (!c) return 0;
  int failed = table.dnnl_stream_create(&c->stream, engine, 1) != 0;
  if (p->scratch) {
    c->scratch = aligned_alloc(4096, (p->scratch + 4095) / 4096 * 4096);
    failed |= !c->scratch;
  }
  for (int i = 0; i < MAX_ARGS && !failed; i++)
    if (p->arg[i]) failed = table.dnnl_memory_create(&c->memory[i], p->desc[i], engine, c->scratch) != 0;
  if (!failed) return c;
  free_context(c);
  return 0;
}

static context *take(halo_dnnl *p) {
  while (atomic_flag_test_and_set_explicit(&p->lock, memory_order_acquire))
    ;
  context *c = p->idle;
  if (c) p->idle = c->next;
  atomic_flag_clear_explicit(&p->lock, memory_order_release);
  return c ? c : new_context(p);
}

static void give(halo_dnnl *p, context *c) {
  while (atomic_flag_test_and_set_explicit(&p->lock, memory_order_acquire))
    ;
  c->next = p->idle;
  p->idle = c;
  atomic_flag_clear_explicit(&p->lock, memory_order_release);
}

void halo_dnnl_destroy(halo_dnnl *p) {
  if (!p) return;
  while (p->idle) {
    context *c = p->idle;
    p->idle = c->next;
    free_context(c);
  }
  if (p->primitive) table.dnnl_primitive_destroy(p->primitive);
  if (p->pd) table.dnnl_primitive_desc_destroy(p->pd);
  for (int i = 0; i < OPERANDS; i++) version->drop(p->md[i]);
  for (int i = 0; i < HALO_DNNL_MAX_POSTS; i++) version->drop(p->post_md[i]);
  free(p);
}

static int add_post(halo_dnnl *p, const halo_dnnl_post *post, int i, dnnl_post_ops_t ops) {
  unsigned alg = version->algs[post->kind];
  if (post->kind == HALO_DNNL_SUM) return version->sum(ops, post->alpha);
  if (post->kind > HALO_DNNL_MULTIPLY) return version->eltwise(ops, alg, post->alpha, post->beta);
  if (version->make(&post->operand, &p->post_md[i])) return 1;
  p->desc[OPERANDS + 1 + i] = version->get(p->post_md[i]);
  p->arg[OPERANDS + 1 + i] = version->post_base * (i + 1) | ARG_SRC1;
  return table.dnnl_post_ops_append_binary(ops, alg, p->desc[OPERANDS + 1 + i]);
}

/* attributes makes the attributes of a primitive: post-ops, and scratch memory of ours. */
static int attributes(halo_dnnl *p, const halo_dnnl_spec *s, dnnl_primitive_attr_t *attr) {
  dnnl_post_ops_t ops = 0;
  int failed = table.dnnl_primitive_attr_create(attr) != 0;
  failed = failed || table.dnnl_primitive_attr_set_scratchpad_mode(*attr, 1) || table.dnnl_post_ops_create(&ops);
  for (int i = 0; i < s->posts && !failed; i++) failed = add_post(p, &s->post[i], i, ops);
  failed = failed || table.dnnl_primitive_attr_set_post_ops(*attr, ops);
  if (ops) table.dnnl_post_ops_destroy(ops);
  return failed;
}

/* finish makes the primitive of p->pd and its scratch memory's size. */
static const char *finish(halo_dnnl *p) {
  const char *info = "?";
  table.dnnl_primitive_desc_query(p->pd, QUERY_INFO, 0, &info);
  snprintf(p->info, sizeof p->info, "%s", info);
  HALO_MD scratch = table.dnnl_primitive_desc_query_md(p->pd, QUERY_SCRATCHPAD, 0);
  if (scratch && (p->scratch = table.dnnl_memory_desc_get_size(scratch))) {
    p->desc[OPERANDS] = scratch;
    p->arg[OPERANDS] = ARG_SCRATCHPAD;
  }
  return table.dnnl_primitive_create(&p->primitive, p->pd) ? "oneDNN cannot make the primitive" : 0;
}

static const char *create(halo_dnnl *p, const halo_dnnl_spec *s, const halo_dnnl *like) {
  const int back = s->kind == HALO_DNNL_WEIGHT_GRADIENT;
  const int args[OPERANDS] = {ARG_SRC, back ? ARG_DIFF_WEIGHTS : ARG_WEIGHTS, ARG_BIAS, back ? ARG_DIFF_DST : ARG_DST};
  const halo_dnnl_array *arrays[OPERANDS] = {&s->src, &s->weights, &s->bias, &s->dst};
  for (int i = 0; i < OPERANDS; i++) {
    if (!arrays[i]->ndims) continue;
    if (version->make(arrays[i], &p->md[i])) return "oneDNN does not know such an array";
    p->arg[i] = args[i];
    p->desc[i] = i == 1 && like ? like->desc[1] : version->get(p->md[i]);
  }
  dnnl_primitive_attr_t attr = 0;
  int failed = attributes(p, s, &attr) || version->describe(s, p->desc, engine, attr, &p->pd);
  if (attr) table.dnnl_primitive_attr_destroy(attr);
  if (failed) return "oneDNN has no such primitive";
  const int query = back ? QUERY_DIFF_WEIGHTS : QUERY_WEIGHTS;
  if (p->arg[1] && !like) p->desc[1] = table.dnnl_primitive_desc_query_md(p->pd, query, 0);
  return finish(p);
}

const char *halo_dnnl_create(const halo_dnnl_spec *spec, const halo_dnnl *like, halo_dnnl **out) {
  alone();
  halo_dnnl *p = calloc(1, sizeof *p);
  const char *failed = p ? create(p, spec, like) : "out of memory";
  if (!failed && !strncmp(p->info, "ref", 3)) failed = "oneDNN has only a reference implementation";
  if (failed) halo_dnnl_destroy(p);
  *out = failed ? 0 : p;
  return failed;
}

/* reorder makes the primitive that copies weights between a plain array, operand from, and the layout of like's. */
static const char *reorder(const halo_dnnl *like, const halo_dnnl_array *plain, int from, halo_dnnl **out) {
  alone();
  halo_dnnl *p = calloc(1, sizeof *p);
  dnnl_primitive_attr_t attr = 0;
  const char *failed = !p ? "out of memory" : 0;
  if (!failed && version->make(plain, &p->md[0])) failed = "oneDNN does not know such an array";
  if (!failed) {
    p->desc[from] = version->get(p->md[0]);
    p->desc[3 - from] = like->desc[1];
    p->arg[0] = ARG_SRC, p->arg[3] = ARG_DST;
    int no = table.dnnl_primitive_attr_create(&attr) || table.dnnl_primitive_attr_set_scratchpad_mode(attr, 1) ||
             table.dnnl_reorder_primitive_desc_create(&p->pd, p->desc[0], engine, p->desc[3], engine, attr);
    failed = no ? "oneDNN cannot reorder the weights" : finish(p);
  }
  if (attr) table.dnnl_primitive_attr_destroy(attr);
  if (failed) halo_dnnl_destroy(p);
  *out = failed ? 0 : p;
  return failed;
}

const char *halo_dnnl_packer(const halo_dnnl *p, const halo_dnnl_array *plain, halo_dnnl **out) {
  return reorder(p, plain, 0, out);
}

const char *halo_dnnl_unpacker(const halo_dnnl *p, const halo_dnnl_array *plain, halo_dnnl **out) {
  return reorder(p, plain, 3, out);
}

const char *halo_dnnl_info(const halo_dnnl *p) { return p->info; }

int64_t halo_dnnl_weights_bytes(const halo_dnnl *p) { return (int64_t)table.dnnl_memory_desc_get_size(p->desc[1]); }

const char *halo_dnnl_execute(halo_dnnl *p, const void *src, const void *weights, const void *bias, void *dst,
                              const void *const *posts) {
  alone();
  context *c = take(p);
  if (!c) return "oneDNN: out of memory";
  const void *data[MAX_ARGS] = {src, weights, bias, dst, c->scratch};
  dnnl_exec_arg_t args[MAX_ARGS];
  int n = 0, failed = 0;
  for (int i = 0; i < HALO_DNNL_MAX_POSTS; i++) data[OPERANDS + 1 + i] = posts ? posts[i] : 0;
  for (int i = 0; i < MAX_ARGS; i++) {
    if (!p->arg[i]) continue;
    if (i != OPERANDS) failed |= table.dnnl_memory_set_data_handle(c->memory[i], (void *)data[i]) != 0;
    args[n++] = (dnnl_exec_arg_t){p->arg[i], c->memory[i]};
  }
  failed = failed || table.dnnl_primitive_execute(p->primitive, c->stream, n, args);
  give(p, c);
  return failed ? "oneDNN: the primitive failed" : 0;
}

typedef struct {
  const halo_dnnl_record *record;
  halo_run *run;
} work;

static void piece(void *arg, int64_t i) {
  const work *w = arg;
  const halo_dnnl_record *r = w->record;
  const halo_dnnl_piece *p = &r->piece[i];
  const void *posts[HALO_DNNL_MAX_POSTS];
  for (int j = 0; j < HALO_DNNL_MAX_POSTS; j++) posts[j] = (char *)HALO_AT(w->run, r->posts[j]) + p->posts[j];
  const char *failed = halo_dnnl_execute(
      p->primitive, (char *)HALO_AT(w->run, r->src) + p->src, (char *)HALO_AT(w->run, r->weights) + p->weights,
      (char *)HALO_AT(w->run, r->bias) + p->bias, (char *)HALO_AT(w->run, r->dst) + p->dst, posts);
  if (failed) halo_fail(w->run, "%s", failed);
}

void halo_dnnl_run(const halo_record *r, halo_run *run) {
  work w = {(const halo_dnnl_record *)r, run};
  if (w.record->pieces == 1)
    piece(&w, 0);
  else
    run->parallel(run, w.record->pieces, piece, &w);
}

static void sgemm(const halo_blas_record *r, halo_run *run, int64_t m, int64_t n, const void *a, const void *b,
                  void *c) {
  alone();
  if (table.dnnl_sgemm(r->transpose_a ? 'T' : 'N', r->transpose_b ? 'T' : 'N', m, n, r->k, 1, a, r->lda, b, r->ldb, 0,
                       c, r->ldc))
    halo_fail(run, "oneDNN: sgemm failed");
}

void halo_dnnl_sgemm(const halo_record *r, halo_run *run) { halo_blas_run(r, run, sgemm); }
