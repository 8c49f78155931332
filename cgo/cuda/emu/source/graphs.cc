// Graphs of the emulated device. Nodes run in a random order, as far as those before them allow it.
#include <algorithm>

#include "driver.h"

#define KNOWN(set, x, what) \
  if (!emu.set.count(x)) return fail(INVALID_HANDLE, "there is no such " what)
#define LATER() \
  if (emu.version < 12030) return fail(NOT_SUPPORTED, "%s: the driver is of CUDA %d", __func__, emu.version)

static const int conditional = 11;

// The kinds of commands that the body of a conditional node may have: copies on the device, sets and kernels.
static bool for_bodies(int kind) { return kind == 3 || kind == 4 || kind == 8 || kind == 10 || kind == conditional; }

static Node *add(Graph *g, int kind, Work w, const std::vector<Node *> &after) {
  auto n = std::make_unique<Node>();
  n->graph = g, n->number = g->nodes.size(), n->kind = kind, n->work = std::move(w);
  for (const Node *before : after) n->after.push_back(before->number);
  g->nodes.push_back(std::move(n));
  return g->nodes.back().get();
}

unsigned capture(Stream *s, int kind, Work w) {
  if (s->captured->is_body && !for_bodies(kind))
    return fail(CAPTURE_UNSUPPORTED, "a conditional node has kernels, sets and copies on the device alone");
  s->last = {add(s->captured, kind, std::move(w), s->last)};
  return SUCCESS;
}

unsigned set_condition(uint64_t handle, unsigned value) {
  if (!emu.running || !emu.running->count(handle))
    return fail(LAUNCH_FAILED, "condition %llu is not of the graph that runs", static_cast<unsigned long long>(handle));
  emu.conditions[handle].set = true;
  emu.conditions[handle].value = value;
  return SUCCESS;
}

// Writes is who has written what in a graph that runs.
struct Writes {
  std::vector<Spans> of;
  std::vector<std::vector<bool>> behind; // the nodes that each is behind, at whatever distance
};

static bool meet(const Spans &a, const Spans &b) {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (x->first < y->second && y->first < x->second) return true;
    if (x->second < y->second) ++x;
    else ++y;
  }
  return false;
}

static Spans together(const Spans &a, const Spans &b) {
  Spans out = a;
  out.insert(out.end(), b.begin(), b.end());
  std::sort(out.begin(), out.end());
  return out;
}

// judge notes what a node has written, and looks whether one did so that does not wait for it, and it not for that one.
static unsigned judge(const Node &n, Spans spans, Writes *w) {
  std::vector<bool> behind(w->of.size());
  for (const size_t before : n.after) {
    behind[before] = true;
    for (size_t i = 0; i < behind.size(); i++) behind[i] = behind[i] || w->behind[before][i];
  }
  w->of[n.number] = std::move(spans), w->behind[n.number] = behind;
  for (size_t i = 0; i < w->of.size(); i++)
    if (i != n.number && !behind[i] && meet(w->of[i], w->of[n.number]))
      return fail(LAUNCH_FAILED, "nodes %zu and %zu of a graph write the same memory, and neither waits for the other", i,
                  n.number);
  return SUCCESS;
}

static unsigned run_graph(const Graph &g, Changes *changes, Spans *all);

// run_node runs a node, and adds what it writes to spans if somebody asks for the changes.
static unsigned run_node(const Node &n, Changes *changes, Spans *spans) {
  if (!n.body) {
    const unsigned status = n.work();
    if (changes) *spans = changes->since();
    return status;
  }
  const Condition &c = emu.conditions[n.condition];
  do {
    if (!c.set) return fail(LAUNCH_FAILED, "a conditional node runs before its condition is set");
    if (!c.value) return SUCCESS;
    if (const unsigned status = run_graph(*n.body, changes, spans)) return status;
  } while (n.loops);
  return SUCCESS;
}

static unsigned run_graph(const Graph &g, Changes *changes, Spans *all) {
  std::vector<size_t> missing, ready;
  std::vector<std::vector<size_t>> next(g.nodes.size());
  Writes writes{std::vector<Spans>(g.nodes.size()), std::vector<std::vector<bool>>(g.nodes.size())};
  for (const auto &n : g.nodes) {
    missing.push_back(n->after.size());
    if (n->after.empty()) ready.push_back(n->number);
    for (const size_t before : n->after) next[before].push_back(n->number);
  }
  while (!ready.empty()) {
    if (ready.size() > 1) std::swap(ready.back(), ready[random_below(ready.size())]);
    const Node &now = *g.nodes[ready.back()];
    ready.pop_back();
    Spans spans;
    unsigned status = run_node(now, changes, &spans);
    if (changes && !status) *all = together(*all, spans), status = judge(now, std::move(spans), &writes);
    if (status) return status;
    for (const size_t n : next[now.number])
      if (!--missing[n]) ready.push_back(n);
  }
  return SUCCESS;
}

// conditions_of adds the conditions of g and of what lies in it.
static void conditions_of(const Graph &g, std::set<uint64_t> *out) {
  out->insert(g.conditions.begin(), g.conditions.end());
  for (const auto &n : g.nodes)
    if (n->body) conditions_of(*n->body, out);
}

static std::unique_ptr<Graph> copied(const Graph &g) {
  auto out = std::make_unique<Graph>();
  out->conditions = g.conditions;
  for (const auto &n : g.nodes) {
    auto c = std::make_unique<Node>();
    c->graph = out.get(), c->number = n->number, c->kind = n->kind, c->work = n->work, c->after = n->after;
    c->condition = n->condition, c->loops = n->loops;
    if (n->body) c->body = copied(*n->body);
    out->nodes.push_back(std::move(c));
  }
  return out;
}

// forget makes the handles of g's bodies unknown.
static void forget(const Graph &g) {
  for (const auto &n : g.nodes)
    if (n->body) emu.graphs.erase(n->body.get()), forget(*n->body);
}

void forget_graphs() {
  for (Graph *g : emu.graphs)
    if (!g->is_body) delete g;
  for (Exec *x : emu.execs) delete x;
  emu.graphs.clear(), emu.execs.clear(), emu.conditions.clear();
}

static unsigned begin(Stream *s, Graph *g, std::vector<Node *> after) {
  if (s == &emu.standard) return fail(CAPTURE_UNSUPPORTED, "the default stream cannot be captured");
  if (s->captured) return fail(CAPTURE_WRONG, "the stream is captured already");
  s->captured = g;
  s->last = std::move(after);
  return SUCCESS;
}

API unsigned cuGraphCreate(Graph **g, unsigned flags) {
  ENTER(true);
  if (flags) return fail(INVALID_VALUE, "cuGraphCreate wants flags of 0");
  emu.graphs.insert(*g = new Graph);
  return SUCCESS;
}

API unsigned cuStreamBeginCapture_v2(struct CUstream_st *s, unsigned) {
  ENTER(true);
  STREAM(s);
  auto g = std::make_unique<Graph>();
  const unsigned status = begin(stream, g.get(), {});
  if (!status) stream->own = std::move(g);
  return status;
}

static bool all_of(const Graph *g, Node *const *nodes, size_t count) {
  return std::all_of(nodes, nodes + count, [g](const Node *n) { return n && n->graph == g; });
}

API unsigned cuStreamBeginCaptureToGraph(struct CUstream_st *s, Graph *g, Node *const *after, const void *edges,
                                         size_t count, unsigned) {
  ENTER(true);
  LATER();
  STREAM(s);
  KNOWN(graphs, g, "graph");
  if (edges || !all_of(g, after, count)) return fail(INVALID_VALUE, "what comes before is no node of the graph");
  return begin(stream, g, {after, after + count});
}

API unsigned cuStreamGetCaptureInfo_v3(struct CUstream_st *s, unsigned *status, uint64_t *id, Graph **g,
                                       Node *const **last, const void **edges, size_t *count) {
  ENTER(true);
  LATER();
  STREAM(s);
  *status = stream->captured != nullptr;
  if (id) *id = 1;
  if (g) *g = stream->captured;
  *last = stream->last.data();
  if (edges) *edges = nullptr;
  *count = stream->last.size();
  return SUCCESS;
}

API unsigned cuStreamEndCapture(struct CUstream_st *s, Graph **g) {
  ENTER(true);
  STREAM(s);
  if (!stream->captured) return fail(CAPTURE_WRONG, "the stream is not captured");
  *g = stream->captured;
  if (stream->own) emu.graphs.insert(stream->own.release());
  stream->captured = nullptr;
  stream->last.clear();
  return SUCCESS;
}

API unsigned cuGraphConditionalHandleCreate(uint64_t *handle, Graph *g, Context *c, unsigned value, unsigned flags) {
  ENTER(true);
  LATER();
  KNOWN(graphs, g, "graph");
  if (!c || value || flags) return fail(INVALID_VALUE, "the emulator has no conditions with a value to begin with");
  static uint64_t made = 0;
  g->conditions.push_back(*handle = made++);
  emu.conditions[*handle] = {};
  return SUCCESS;
}

struct NodeParams {
  unsigned type, zero[3];
  uint64_t handle;
  unsigned kind, size;
  Graph **bodies;
  Context *context;
  long long zeros[25];
  long long last;
};
static_assert(sizeof(NodeParams) == 32 * 8, "the parameters of a node take 256 bytes");

static unsigned check(const Graph *g, const NodeParams &p) {
  if (p.type != 13) return fail(NOT_SUPPORTED, "the emulator adds conditional nodes, not such of type %u", p.type);
  if (p.kind > 1 || p.size != 1 || !p.context || p.last || p.zero[0] || p.zero[1] || p.zero[2] ||
      std::any_of(p.zeros, p.zeros + 25, [](long long v) { return v; }))
    return fail(INVALID_VALUE, "a conditional node of kind %u with %u bodies", p.kind, p.size);
  if (std::find(g->conditions.begin(), g->conditions.end(), p.handle) == g->conditions.end() ||
      emu.conditions[p.handle].used)
    return fail(INVALID_VALUE, "the condition is not for this graph, or for another node of it");
  return SUCCESS;
}

API unsigned cuGraphAddNode_v2(Node **node, Graph *g, Node *const *after, const void *edges, size_t count,
                               NodeParams *p) {
  ENTER(true);
  LATER();
  KNOWN(graphs, g, "graph");
  if (edges || !all_of(g, after, count)) return fail(INVALID_VALUE, "what comes before is no node of the graph");
  if (const unsigned status = check(g, *p)) return status;
  Node *n = *node = add(g, conditional, nullptr, {after, after + count});
  n->condition = p->handle, n->loops = p->kind == 1;
  n->body = std::make_unique<Graph>();
  n->body->is_body = true;
  emu.conditions[p->handle].used = true;
  emu.graphs.insert(n->body.get());
  static Graph *bodies[1]; // as long as the next node is not added
  bodies[0] = n->body.get();
  p->bodies = bodies;
  return SUCCESS;
}

API unsigned cuGraphGetNodes(Graph *g, void **nodes, size_t *count) {
  ENTER(true);
  KNOWN(graphs, g, "graph");
  if (nodes) return fail(NOT_SUPPORTED, "the emulator counts nodes, and does not list them");
  *count = g->nodes.size();
  return SUCCESS;
}

API unsigned cuGraphInstantiateWithFlags(Exec **x, Graph *g, unsigned long long) {
  ENTER(true);
  KNOWN(graphs, g, "graph");
  if (g->is_body) return fail(INVALID_VALUE, "the body of a node is not instantiated");
  std::set<uint64_t> conditions;
  conditions_of(*g, &conditions);
  for (const uint64_t c : conditions)
    if (!emu.conditions[c].used) return fail(INVALID_VALUE, "a condition of the graph has no node");
  if (!conditions.empty() && *g->instances) return fail(INVALID_VALUE, "the graph is instantiated already");
  ++*g->instances;
  emu.execs.insert(*x = new Exec{copied(*g), g->instances});
  return SUCCESS;
}

static bool same_nodes(const Graph &a, const Graph &b) {
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const auto &x, const auto &y) { return x->kind == y->kind && x->after == y->after; });
}

API unsigned cuGraphExecUpdate_v2(Exec *x, Graph *g, void *) {
  ENTER(true);
  KNOWN(execs, x, "instantiated graph");
  KNOWN(graphs, g, "graph");
  if (!same_nodes(*g, *x->graph)) return fail(GRAPH_UPDATE_FAILED, "the graph has other nodes");
  if (std::any_of(g->nodes.begin(), g->nodes.end(), [](const auto &n) { return n->kind == conditional; }))
    return fail(GRAPH_UPDATE_FAILED, "kernels of the graph have the conditions of another");
  x->graph = copied(*g);
  return SUCCESS;
}

static unsigned launch(const Graph &g) {
  std::set<uint64_t> conditions;
  conditions_of(g, &conditions);
  for (const uint64_t c : conditions) emu.conditions[c].set = false;
  emu.running = &conditions;
  Spans all;
  std::unique_ptr<Changes> changes(emu.races ? new Changes : nullptr);
  const unsigned status = run_graph(g, changes.get(), &all);
  emu.running = nullptr;
  return status;
}

API unsigned cuGraphLaunch(Exec *x, struct CUstream_st *s) {
  ENTER(true);
  STREAM(s);
  KNOWN(execs, x, "instantiated graph");
  const std::shared_ptr<Graph> graph = x->graph;
  return enqueue(stream, 7, [graph] { return launch(*graph); });
}

API unsigned cuGraphDestroy(Graph *g) {
  ENTER(true);
  KNOWN(graphs, g, "graph");
  if (g->is_body) return fail(INVALID_VALUE, "the body of a node ends with its graph");
  forget(*g);
  emu.graphs.erase(g);
  delete g;
  return SUCCESS;
}

API unsigned cuGraphExecDestroy(Exec *x) {
  ENTER(true);
  KNOWN(execs, x, "instantiated graph");
  emu.execs.erase(x);
  --*x->instances;
  delete x;
  return SUCCESS;
}
