// The emulated NCCL: no GPU, and not NVIDIA's. Its communicators are the non-blocking ones alone. What a rank of the
// real one would wait for in vain shows: another length on the other side, a rank that is gone.
//
// Variables of the environment, read by ncclGetVersion: HALO_CUDA_EMU_NCCL_FAIL=N or N:STATUS (call N fails),
// HALO_CUDA_EMU_NCCL_STUCK=N or N:STATUS (operation N never ends, and its communicator has that status),
// HALO_CUDA_EMU_NCCL_VERSION (21805).
#include <sys/random.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>

#include "beside.h"
#include "nccl.h"

#define API extern "C" __attribute__((visibility("default")))

API const int halo_cuda_emulator = 1;

typedef struct CUstream_st *Stream;
typedef unsigned long long Ptr;

namespace {

std::recursive_mutex lock; // never held while the driver is called
std::map<Comm *, Handle> comms;
long calls, fail_at, stuck_at, operations;
unsigned fail_with, stuck_with;
int version = 21805;
std::string last;

// What is asked of the emulated driver, which lies beside this library.
struct Driver {
  unsigned (*enqueue)(Stream, const std::function<unsigned()> *);
  void *(*reach)(Ptr, size_t, const char *);
  int (*device)();
  void (*comms)(long);
};

const Driver *driver() {
  static const Driver *found = []() -> const Driver * {
    void *lib = driver_beside(&halo_cuda_emulator);
    static Driver d;
    if (!lib) return nullptr;
    find(lib, "halo_cuda_emu_enqueue", &d.enqueue);
    find(lib, "halo_cuda_emu_reach", &d.reach);
    find(lib, "halo_cuda_emu_device", &d.device);
    find(lib, "halo_cuda_emu_comms", &d.comms);
    return d.enqueue && d.reach && d.device && d.comms ? &d : nullptr;
  }();
  return found;
}

// enter counts a call, and returns the status it fails with before it does anything.
unsigned enter(const char *call) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  if (++calls != fail_at) return SUCCESS;
  return said(fail_with ? fail_with : static_cast<unsigned>(SYSTEM_ERROR), "a fault was asked for at call %ld, %s",
              calls, call);
}
#define ENTER \
  if (const unsigned status = enter(__func__)) return status

// numbers reads a variable N or N:STATUS.
void numbers(const char *name, long *at, unsigned *with) {
  const char *v = getenv(name), *colon = v ? strchr(v, ':') : nullptr;
  *at = v ? atol(v) : 0;
  *with = colon ? static_cast<unsigned>(atol(colon + 1)) : 0;
}

Handle known(Comm *c) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  const auto at = comms.find(c);
  return at == comms.end() ? nullptr : at->second;
}
#define KNOWN(c) \
  const Handle h = known(c); \
  if (!h) return said(INVALID_ARGUMENT, "there is no such communicator")

// Group is the operations of a group that has not ended, by communicator and stream: they are one.
struct Pending { Handle comm; Stream stream; std::shared_ptr<Operation> operation; };
thread_local int depth;
thread_local unsigned spoiled; // what an operation of the group was refused with
thread_local std::vector<Pending> pending;

} // namespace

unsigned said(unsigned status, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  std::lock_guard<std::recursive_mutex> guard(lock);
  last = std::string("nccl-emu: ") + text;
  return status;
}

API unsigned ncclGetVersion(int *out) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  calls = operations = 0;
  numbers("HALO_CUDA_EMU_NCCL_FAIL", &fail_at, &fail_with);
  numbers("HALO_CUDA_EMU_NCCL_STUCK", &stuck_at, &stuck_with);
  const char *v = getenv("HALO_CUDA_EMU_NCCL_VERSION");
  *out = version = v && *v ? atoi(v) : 21805;
  ENTER;
  return driver() ? SUCCESS : said(SYSTEM_ERROR, "the emulated driver does not lie beside it");
}

API const char *ncclGetErrorString(unsigned status) {
  static const char *const texts[] = {"no error", "unhandled cuda error", "unhandled system error", "internal error",
    "invalid argument", "invalid usage", "remote process exited or there was a network error", "in progress"};
  return status < sizeof texts / sizeof *texts ? texts[status] : "unknown result code";
}

API const char *ncclGetLastError(Comm *c) {
  static thread_local std::string text;
  const Handle h = known(c);
  std::lock_guard<std::recursive_mutex> guard(lock);
  text = h && !h->detail.empty() ? "nccl-emu: " + h->detail : last;
  return text.c_str();
}

static const char magic[] = "halo-nccl-emu-";

API unsigned ncclGetUniqueId(Id *id) {
  ENTER;
  unsigned char random[16];
  if (getrandom(random, sizeof random, 0) != sizeof random) return said(SYSTEM_ERROR, "no random number");
  memset(id, 0, sizeof *id);
  char *at = stpcpy(id->internal, magic);
  for (unsigned char b : random) at += snprintf(at, 3, "%02x", b);
  return SUCCESS;
}

struct Config { size_t size; unsigned magic, version; int blocking; };

API unsigned ncclCommInitRankConfig(Comm **out, int ranks, Id id, int rank, const Config *config) {
  *out = nullptr;
  ENTER;
  const int device = driver()->device();
  if (device < 0) return said(UNHANDLED_CUDA, "no context is current");
  if (config->magic != 0xcafebeef || config->size < sizeof *config || config->blocking)
    return said(INVALID_ARGUMENT, "the configuration is not that of a communicator that does not block");
  if (memcmp(id.internal, magic, sizeof magic - 1)) return said(INVALID_ARGUMENT, "the id is not the emulator's");
  if (ranks < 1 || rank < 0 || rank >= ranks) return said(INVALID_ARGUMENT, "rank %d of %d", rank, ranks);
  const Handle h = std::make_shared<Comm>();
  h->id = id, h->rank = rank, h->ranks = ranks, h->device = device;
  h->peers.resize(static_cast<size_t>(ranks));
  if (const unsigned status = listen_as(h.get())) return hang_up(h.get()), status;
  driver()->comms(1);
  std::lock_guard<std::recursive_mutex> guard(lock);
  comms[*out = h.get()] = h;
  return IN_PROGRESS;
}

API unsigned ncclCommGetAsyncError(Comm *c, unsigned *status) {
  ENTER;
  KNOWN(c);
  std::lock_guard<std::recursive_mutex> guard(h->lock);
  join(h.get());
  *status = h->status;
  return SUCCESS;
}

// forget ends a communicator; what is under way on it is over.
static void forget(const Handle &h) {
  {
    std::lock_guard<std::recursive_mutex> guard(h->lock);
    h->aborted = true;
    hang_up(h.get());
    h->operations.clear();
  }
  {
    std::lock_guard<std::recursive_mutex> guard(lock);
    comms.erase(h.get());
  }
  driver()->comms(-1);
}

API unsigned ncclCommAbort(Comm *c) {
  ENTER;
  KNOWN(c);
  forget(h);
  return SUCCESS;
}

// begun returns the operation that a call is a part of.
static std::shared_ptr<Operation> begun(const Handle &h, Stream s) {
  for (Pending &p : pending)
    if (p.comm == h && p.stream == s) return p.operation;
  const auto o = std::make_shared<Operation>();
  o->out.resize(static_cast<size_t>(h->ranks));
  o->in.resize(static_cast<size_t>(h->ranks));
  pending.push_back({h, s, o});
  return o;
}

static unsigned start(const Pending &p) {
  {
    std::lock_guard<std::recursive_mutex> guard(lock);
    p.operation->number = ++operations;
  }
  {
    std::lock_guard<std::recursive_mutex> guard(p.comm->lock);
    p.comm->operations.push_back(p.operation);
  }
  const std::function<unsigned()> work = [p]() -> unsigned {
    const unsigned not_ready = 600;
    Comm *c = p.comm.get();
    std::lock_guard<std::recursive_mutex> guard(c->lock);
    if (c->aborted) return SUCCESS;
    if (p.operation->number == stuck_at) {
      if (stuck_with) lose(c, stuck_with, "operation %ld is to be stuck", stuck_at);
      return not_ready;
    }
    if (c->operations.front() != p.operation || !advance(c, p.operation.get())) return not_ready;
    c->operations.pop_front();
    return SUCCESS;
  };
  return driver()->enqueue(p.stream, &work) ? said(UNHANDLED_CUDA, "the stream takes no command") : SUCCESS;
}

API unsigned ncclGroupStart() {
  ENTER;
  depth++;
  return SUCCESS;
}

API unsigned ncclGroupEnd() {
  if (!depth) return said(INVALID_USAGE, "no group has begun");
  if (--depth) return SUCCESS;
  std::vector<Pending> list;
  list.swap(pending);
  const unsigned refused = spoiled;
  spoiled = SUCCESS;
  ENTER;
  if (refused) return refused;
  for (const Pending &p : list)
    if (const unsigned status = start(p)) return status;
  return SUCCESS;
}

// Call is a call of an operation: it checks what all have in common.
struct Call {
  Handle h;
  std::shared_ptr<Operation> o;
  size_t bytes = 0;
  unsigned status = SUCCESS;
  bool failed = false;

  Call(const char *name, Comm *c, size_t count, unsigned type, Stream s) : h(known(c)) {
    if ((status = enter(name))) failed = true;
    else if (!h) refuse(INVALID_ARGUMENT, "there is no such communicator");
    else if (!h->joined) refuse(INVALID_USAGE, "rank %d has not joined", h->rank);
    else if (h->status != SUCCESS) refuse(h->status, "%s", h->detail.c_str());
    else if (!width(type)) refuse(INVALID_ARGUMENT, "there is no type %u", type);
    else bytes = count * width(type), o = begun(h, s);
  }

  template <class... A> void refuse(unsigned with, const char *format, A... args) {
    if (!failed) status = said(with, format, args...);
    failed = true;
  }

  char *memory(const void *p, size_t n, const char *what) {
    void *at = n ? driver()->reach(reinterpret_cast<Ptr>(p), n, what) : nullptr;
    if (n && !at) refuse(INVALID_ARGUMENT, "%s: %zu bytes at %p are no memory of the device", what, n, p);
    return static_cast<char *>(at);
  }

  void to(int peer, char *p, size_t n) { add(&o->out, peer, p, n); }
  void from(int peer, char *p, size_t n) { add(&o->in, peer, p, n); }

  void add(std::vector<std::deque<Part>> *list, int peer, char *p, size_t n) {
    if (peer < 0 || peer >= h->ranks) return refuse(INVALID_ARGUMENT, "there is no rank %d of %d", peer, h->ranks);
    if (!failed) (*list)[static_cast<size_t>(peer)].push_back({p, n, n, 0});
  }

  // end begins an operation that is in no group.
  unsigned end() {
    if (depth && failed) spoiled = status;
    if (depth || pending.empty()) return status;
    const Pending p = pending.back();
    pending.clear();
    return failed ? status : start(p);
  }
};

API unsigned ncclSend(const void *p, size_t count, unsigned type, int peer, Comm *c, Stream s) {
  Call k(__func__, c, count, type, s);
  if (!k.failed) k.to(peer, k.memory(p, k.bytes, __func__), k.bytes);
  return k.end();
}

API unsigned ncclRecv(void *p, size_t count, unsigned type, int peer, Comm *c, Stream s) {
  Call k(__func__, c, count, type, s);
  if (!k.failed) k.from(peer, k.memory(p, k.bytes, __func__), k.bytes);
  return k.end();
}

API unsigned ncclAllGather(const void *send, void *recv, size_t count, unsigned type, Comm *c, Stream s) {
  Call k(__func__, c, count, type, s);
  if (k.failed) return k.end();
  char *from = k.memory(send, k.bytes, __func__);
  char *to = k.memory(recv, k.bytes * static_cast<size_t>(k.h->ranks), __func__);
  for (int r = 0; r < k.h->ranks; r++) {
    k.to(r, from, k.bytes);
    k.from(r, to + static_cast<size_t>(r) * k.bytes, k.bytes);
  }
  return k.end();
}

API unsigned ncclAllReduce(const void *send, void *recv, size_t count, unsigned type, unsigned operation, Comm *c,
                           Stream s) {
  Call k(__func__, c, count, type, s);
  if (k.failed) return k.end();
  const size_t ranks = static_cast<size_t>(k.h->ranks), n = k.bytes;
  if (!fold(type, operation, 0, {}) || operation > 3)
    k.refuse(INVALID_ARGUMENT, "reduction %u of type %u is not emulated", operation, type);
  char *from = k.memory(send, n, __func__), *to = k.memory(recv, n, __func__);
  if (k.failed) return k.end();
  std::vector<char *> arrays;
  std::vector<std::vector<char>> room(ranks, std::vector<char>(n));
  for (size_t r = 0; r < ranks; r++) {
    arrays.push_back(room[r].data());
    k.to(static_cast<int>(r), from, n);
    k.from(static_cast<int>(r), arrays[r], n);
  }
  for (auto &v : room) k.o->room.push_back(std::move(v));
  const auto before = k.o->finish;
  k.o->finish = [=] {
    if (before) before();
    fold(type, operation, count, arrays);
    memcpy(to, arrays[0], n);
  };
  return k.end();
}
