// What the parts of the emulated driver share. All of it is guarded by one lock, which every call of the driver holds.
#ifndef HALO_EMU_DRIVER_H
#define HALO_EMU_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "emu.h"

#define API extern "C" __attribute__((visibility("default")))

// Statuses, by the driver's numbers.
enum : unsigned {
  SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE = 101,
  INVALID_IMAGE = 200, INVALID_CONTEXT = 201, OPERATING_SYSTEM = 304, INVALID_HANDLE = 400, NOT_FOUND = 500,
  NOT_READY = 600, ILLEGAL_ADDRESS = 700, PEER_ENABLED = 704, LAUNCH_FAILED = 719, NOT_SUPPORTED = 801,
  CAPTURE_UNSUPPORTED = 900, CAPTURE_WRONG = 901, GRAPH_UPDATE_FAILED = 910, UNKNOWN = 999
};

typedef unsigned long long Ptr;
// Work is a command. It may return NOT_READY, as one that waits for another device: then it is called again.
typedef std::function<unsigned()> Work;

struct Context { int device; int users = 0; };

struct Module {
  void *library;
  char *shared;
  size_t shared_bytes;
  bool closed = false;
  halo_emu_state **state;
  std::map<std::string, std::unique_ptr<struct Function>> functions;
};

struct Function {
  std::shared_ptr<Module> module;
  std::string name;
  void (*run)(void **params);
  int params;
  unsigned dynamic_limit = 48 << 10;
};

// Node is a command of a graph, of what kind it is, and the numbers of the nodes before it. One with a body runs that:
// once if its condition is not 0, or as long as that is so.
struct Node {
  struct Graph *graph;
  size_t number;
  int kind;
  Work work;
  std::vector<size_t> after;
  std::unique_ptr<struct Graph> body;
  uint64_t condition = 0;
  bool loops = false;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<uint64_t> conditions; // that were made for it
  bool is_body = false;
  std::shared_ptr<long> instances = std::make_shared<long>(0);
};

// Condition is a value that kernels set in a launch and a node looks at.
struct Condition { bool used = false, set = false; unsigned value = 0; };

struct Stream {
  std::deque<Work> queue; // what has not run yet: it runs as late as it may
  Graph *captured = nullptr;
  std::unique_ptr<Graph> own; // the captured one, if no handle of it is out
  std::vector<Node *> last; // of what is captured: what comes next is behind these
};

struct Event {
  uint64_t wanted = 0, done = 0; // records so far, and those that have happened
  Stream *stream = nullptr;
  bool timed = true;
  double time = 0;
};

struct Launch {
  Function *function;
  uint3 grid, block;
  unsigned dynamic;
  std::vector<uint64_t> params;
};

struct Emulator {
  std::recursive_mutex lock;
  bool started = false;
  long calls = 0, fail_at = 0;
  unsigned fail_with = 0, lost = 0;
  int devices = 1, arch = 90, version = 12040;
  size_t capacity = size_t(4) << 30, used = 0;
  bool races = false; // look for nodes of graphs that write the same and do not wait for each other
  uint64_t random = 1;
  std::vector<Context> contexts;
  Stream standard;
  std::set<Stream *> streams;
  std::set<Event *> events;
  std::set<Module *> modules;
  std::set<Graph *> graphs;
  std::set<struct Exec *> execs;
  std::map<void *, size_t> pinned;
  std::set<void *> mapped; // of pinned memory
  std::map<uint64_t, Condition> conditions;
  const std::set<uint64_t> *running = nullptr; // the conditions of the graph that runs
  std::string detail; // of the last fault that the emulator has found
  long comms = 0; // communicators of the emulated NCCL
  long held = 0;  // objects of the other emulated libraries
  double time = 0; // milliseconds, as work says that it takes them
};
struct Exec { std::shared_ptr<Graph> graph; std::shared_ptr<long> instances; };

extern Emulator emu;

// enter counts a call, and returns the status it fails with before it does anything. bound says whether it wants a
// context.
unsigned enter(const char *call, bool bound);
unsigned fail(unsigned status, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define ENTER(bound) \
  std::lock_guard<std::recursive_mutex> guard(emu.lock); \
  if (const unsigned status = enter(__func__, bound)) return status

// random_below returns a number below n.
uint64_t random_below(uint64_t n);

// Memory of the device.
unsigned allocate(Ptr *p, size_t bytes);
unsigned release(Ptr p);
void *reach(Ptr p, size_t bytes, const char *what); // null if it is not all in one live block
bool freed(Ptr p);
unsigned check_memory(const char *after);
size_t live_blocks();
// Changes finds what is written while it lives, piece by piece: spans of bytes that are others than before.
typedef std::vector<std::pair<Ptr, Ptr>> Spans;
struct Changes {
  Changes();
  Spans since();
private:
  std::map<Ptr, std::vector<unsigned char>> was;
};
void forget_memory(); // frees all of it

unsigned run_launch(const Launch &l);

// Streams.
#define STREAM(s) \
  Stream *const stream = stream_of(s); \
  if (!known(stream)) return fail(INVALID_HANDLE, "there is no such stream")
unsigned enqueue(Stream *s, int kind, Work w);
unsigned capture(Stream *s, int kind, Work w);
unsigned set_condition(uint64_t handle, unsigned value);
void forget_graphs();
unsigned drain(Stream *s);
unsigned drain_all();
Stream *stream_of(struct CUstream_st *s);
bool known(const Stream *s);

#endif
