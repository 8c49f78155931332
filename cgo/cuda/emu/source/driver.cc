// The emulated driver's devices, contexts, modules and launches. It is no GPU: the device's name says so, and so does
// the symbol halo_cuda_emulator.
//
// Variables of the environment, read by cuInit: HALO_CUDA_EMU_FAIL=N or N:STATUS (the call with number N fails),
// HALO_CUDA_EMU_SEED, HALO_CUDA_EMU_MEMORY in bytes, HALO_CUDA_EMU_DEVICES, HALO_CUDA_EMU_ARCH (90),
// HALO_CUDA_EMU_VERSION (12040), HALO_CUDA_EMU_RACES.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "driver.h"

Emulator emu;
static thread_local Context *bound_context;
API const int halo_cuda_emulator = 1;

uint64_t random_below(uint64_t n) { // xorshift
  emu.random ^= emu.random << 13, emu.random ^= emu.random >> 7, emu.random ^= emu.random << 17;
  return emu.random % n;
}

unsigned fail(unsigned status, const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  emu.detail = text;
  return status;
}

static bool allocates(const char *call) { return strstr(call, "Alloc"); }

unsigned enter(const char *call, bool bound) {
  if (++emu.calls == emu.fail_at) {
    const unsigned status = emu.fail_with ? emu.fail_with : allocates(call) ? OUT_OF_MEMORY : OPERATING_SYSTEM;
    return fail(status, "a fault was asked for at call %ld, %s", emu.calls, call);
  }
  if (!emu.started && strcmp(call, "cuInit")) return fail(NOT_INITIALIZED, "cuInit was not called");
  if (!bound) return SUCCESS;
  if (!bound_context || !bound_context->users) return fail(INVALID_CONTEXT, "%s: no context is current", call);
  return emu.lost && !strstr(call, "Destroy") && !strstr(call, "Free") && !strstr(call, "Unload") ? emu.lost : SUCCESS;
}

static long long variable(const char *name, long long otherwise) {
  const char *v = getenv(name);
  return v && *v ? atoll(v) : otherwise;
}

API unsigned cuInit(unsigned flags) {
  {
    std::lock_guard<std::recursive_mutex> guard(emu.lock);
    const char *at = getenv("HALO_CUDA_EMU_FAIL");
    const char *colon = at ? strchr(at, ':') : nullptr;
    emu.calls = 0;
    emu.fail_at = at ? atol(at) : 0;
    emu.fail_with = colon ? static_cast<unsigned>(atol(colon + 1)) : 0;
    emu.random = static_cast<uint64_t>(variable("HALO_CUDA_EMU_SEED", 1)) * 2 + 1;
    emu.capacity = static_cast<size_t>(variable("HALO_CUDA_EMU_MEMORY", 4LL << 30));
    emu.arch = static_cast<int>(variable("HALO_CUDA_EMU_ARCH", 90));
    emu.version = static_cast<int>(variable("HALO_CUDA_EMU_VERSION", 12040));
    emu.races = variable("HALO_CUDA_EMU_RACES", 0);
    if (emu.contexts.empty()) {
      emu.devices = static_cast<int>(variable("HALO_CUDA_EMU_DEVICES", 1));
      for (int i = 0; i < emu.devices; i++) emu.contexts.push_back({i});
    }
  }
  ENTER(false);
  if (flags) return fail(INVALID_VALUE, "cuInit wants flags of 0");
  if (!emu.devices) return fail(NO_DEVICE, "no device is emulated");
  emu.started = true;
  return SUCCESS;
}

API unsigned cuDriverGetVersion(int *version) {
  ENTER(false);
  *version = emu.version;
  return SUCCESS;
}

static const std::map<unsigned, const char *> names = {
  {SUCCESS, "CUDA_SUCCESS"}, {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
  {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"}, {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
  {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"}, {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
  {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"}, {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
  {OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM"}, {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
  {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"}, {NOT_READY, "CUDA_ERROR_NOT_READY"},
  {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
  {PEER_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"}, {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
  {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"}, {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
  {CAPTURE_WRONG, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
  {GRAPH_UPDATE_FAILED, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"}, {UNKNOWN, "CUDA_ERROR_UNKNOWN"}};

API unsigned cuGetErrorName(unsigned status, const char **name) {
  const auto at = names.find(status);
  *name = at == names.end() ? nullptr : at->second;
  return *name ? SUCCESS : INVALID_VALUE;
}

API unsigned cuGetErrorString(unsigned status, const char **text) {
  static thread_local std::string said;
  std::lock_guard<std::recursive_mutex> guard(emu.lock);
  said = status ? "cuda-emu: " + emu.detail : "no error";
  *text = said.c_str();
  return SUCCESS;
}

API unsigned cuDeviceGetCount(int *count) {
  ENTER(false);
  *count = emu.devices;
  return SUCCESS;
}

API unsigned cuDeviceGet(int *device, int ordinal) {
  ENTER(false);
  if (ordinal < 0 || ordinal >= emu.devices) return fail(INVALID_DEVICE, "there is no device %d", ordinal);
  *device = ordinal;
  return SUCCESS;
}

API unsigned cuDeviceGetName(char *name, int size, int) {
  ENTER(false);
  snprintf(name, static_cast<size_t>(size), "cuda-emu: emulated on the host, no GPU");
  return SUCCESS;
}

// A device's id is its process's: no other process has it.
API unsigned cuDeviceGetUuid_v2(char *id, int device) {
  ENTER(false);
  memset(id, 0, 16);
  snprintf(id, 16, "%d/%d", getpid(), device);
  return SUCCESS;
}

API unsigned cuDeviceTotalMem_v2(size_t *bytes, int) {
  ENTER(false);
  *bytes = emu.capacity;
  return SUCCESS;
}

static size_t pinned_bytes() {
  size_t n = 0;
  for (const auto &p : emu.pinned) n += p.second;
  return n;
}

// From number own on stand what no driver has: how many objects live.
static const unsigned own = 1 << 20;

static long long counted(unsigned which) {
  switch (which) {
  case 0: return emu.calls;
  case 1: return static_cast<long long>(live_blocks());
  case 2: return static_cast<long long>(pinned_bytes());
  case 3: return static_cast<long long>(emu.streams.size());
  case 4: return static_cast<long long>(emu.events.size());
  case 5: return static_cast<long long>(emu.modules.size());
  case 6: return static_cast<long long>(emu.graphs.size() + emu.execs.size());
  case 7: return emu.contexts[0].users;
  case 8: return emu.comms;
  case 9: return emu.held;
  case 10: return static_cast<long long>(emu.used);
  }
  return -1;
}

API unsigned cuDeviceGetAttribute(int *value, unsigned attribute, int) {
  static const std::map<unsigned, int> values = {
    {1, 1024}, {8, 48 << 10}, {10, 32}, {13, 1000000}, {16, 4}, {36, 1000000}, {37, 256}, {38, 1 << 20}, {39, 2048},
    {81, 100 << 10}, {82, 65536}, {97, 99 << 10}, {115, 1}};
  if (attribute >= own) { // uncounted: it is not the program's call
    std::lock_guard<std::recursive_mutex> guard(emu.lock);
    *value = static_cast<int>(counted(attribute - own));
    return SUCCESS;
  }
  ENTER(false);
  const auto at = values.find(attribute);
  *value = attribute == 75 ? emu.arch / 10 : attribute == 76 ? emu.arch % 10 : at == values.end() ? 0 : at->second;
  return SUCCESS;
}

API unsigned cuDeviceGetDefaultMemPool(void **pool, int) {
  ENTER(false);
  *pool = &emu;
  return SUCCESS;
}

API unsigned cuMemPoolSetAttribute(void *, unsigned, void *) {
  ENTER(false);
  return SUCCESS;
}

API unsigned cuMemPoolGetAttribute(void *, unsigned, void *value) {
  ENTER(false);
  *static_cast<uint64_t *>(value) = emu.used;
  return SUCCESS;
}

API unsigned cuMemPoolTrimTo(void *, size_t) {
  ENTER(false);
  return SUCCESS;
}

API unsigned cuDevicePrimaryCtxRetain(Context **context, int device) {
  ENTER(false);
  if (device < 0 || device >= emu.devices) return fail(INVALID_DEVICE, "there is no device %d", device);
  *context = &emu.contexts[device];
  (*context)->users++;
  return SUCCESS;
}

// forget ends all that lived in the contexts, as good as new. Records of modules and functions stay: handles of them
// are refused.
static void forget() {
  emu.standard.queue.clear();
  for (Stream *s : emu.streams) delete s;
  for (Event *e : emu.events) delete e;
  forget_graphs();
  for (Module *m : emu.modules) {
    dlclose(m->library);
    m->closed = true;
  }
  emu.streams.clear(), emu.events.clear(), emu.modules.clear();
  forget_memory();
  emu.lost = SUCCESS;
}

API unsigned cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER(false);
  Context &c = emu.contexts[device];
  if (!c.users) return fail(INVALID_CONTEXT, "the context was given up already");
  c.users--;
  for (const Context &other : emu.contexts)
    if (other.users) return SUCCESS;
  forget();
  return SUCCESS;
}

API unsigned cuDeviceCanAccessPeer(int *can, int device, int peer) {
  ENTER(false);
  *can = device != peer;
  return SUCCESS;
}

API unsigned cuCtxEnablePeerAccess(Context *, unsigned) {
  ENTER(true);
  return SUCCESS;
}

// halo_cuda_emu_device returns the device whose context is current, -1 if none is.
API int halo_cuda_emu_device() {
  std::lock_guard<std::recursive_mutex> guard(emu.lock);
  return bound_context && bound_context->users ? bound_context->device : -1;
}

API unsigned cuCtxSetCurrent(Context *c) {
  ENTER(false);
  bound_context = c;
  return SUCCESS;
}

// load opens the library that an image is, by a name that no other has: the loader knows libraries by names.
static void *load(const void *image, size_t bytes) {
  const char *tmp = getenv("TMPDIR");
  std::string path = std::string(tmp && *tmp ? tmp : "/tmp") + "/halo-cuda-emu-XXXXXX";
  const int file = mkstemp(&path[0]);
  if (file < 0) {
    fail(INVALID_IMAGE, "%s cannot be made", path.c_str());
    return nullptr;
  }
  void *library = nullptr;
  if (write(file, image, bytes) == static_cast<ssize_t>(bytes)) library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(INVALID_IMAGE, "%s", dlerror());
  close(file);
  unlink(path.c_str());
  return library;
}

// An image is what the emulated compiler makes: a word, its size, and a library.
API unsigned cuModuleLoadDataEx(Module **out, const void *image, unsigned, unsigned *, void **) {
  ENTER(true);
  if (memcmp(image, "cuda-emu", 8)) return fail(INVALID_IMAGE, "the image is not the emulated compiler's");
  uint64_t bytes;
  memcpy(&bytes, static_cast<const char *>(image) + 8, 8);
  auto m = std::make_unique<Module>();
  m->library = load(static_cast<const char *>(image) + 16, bytes);
  if (!m->library) return INVALID_IMAGE;
  auto shared = reinterpret_cast<char *(*)(size_t *)>(dlsym(m->library, "halo_emu_shared"));
  m->state = static_cast<halo_emu_state **>(dlsym(m->library, "halo_emu"));
  if (!shared || !m->state) return fail(INVALID_IMAGE, "the image lacks what the emulator's have");
  m->shared = shared(&m->shared_bytes);
  emu.modules.insert(*out = m.release());
  return SUCCESS;
}

static std::map<Module *, std::shared_ptr<Module>> shares;

API unsigned cuModuleUnload(Module *m) {
  ENTER(true);
  if (!emu.modules.erase(m)) return fail(INVALID_HANDLE, "there is no such module");
  const unsigned status = drain_all();
  dlclose(m->library);
  m->closed = true; // its functions stay known, so that a launch to come, or a graph, is refused
  return status;
}

API unsigned cuModuleGetFunction(Function **out, Module *m, const char *name) {
  ENTER(true);
  if (!emu.modules.count(m)) return fail(INVALID_HANDLE, "there is no such module");
  auto &f = m->functions[name];
  if (!f) {
    void *run = dlsym(m->library, (std::string("halo_emu_run_") + name).c_str());
    auto count = reinterpret_cast<int (*)()>(dlsym(m->library, (std::string("halo_emu_params_") + name).c_str()));
    if (!run || !count) return fail(NOT_FOUND, "the module has no kernel %s", name);
    auto &share = shares[m];
    if (!share) share = std::shared_ptr<Module>(m, [](Module *) {});
    f.reset(new Function{share, name, reinterpret_cast<void (*)(void **)>(run), count()});
  }
  *out = f.get();
  return SUCCESS;
}

API unsigned cuModuleGetGlobal_v2(Ptr *, size_t *, Module *, const char *name) {
  ENTER(true);
  return fail(NOT_FOUND, "the emulator has no variables of modules: %s", name);
}

API unsigned cuFuncGetAttribute(int *value, unsigned attribute, Function *f) {
  ENTER(true);
  *value = attribute == 0 ? 1024 : attribute == 4 ? 32 : attribute == 8 ? static_cast<int>(f->dynamic_limit) : 0;
  return SUCCESS;
}

API unsigned cuFuncSetAttribute(Function *f, unsigned attribute, int value) {
  ENTER(true);
  if (attribute == 8 && value > 99 << 10) return fail(INVALID_VALUE, "%d bytes of shared memory are too many", value);
  if (attribute == 8) f->dynamic_limit = static_cast<unsigned>(value);
  return SUCCESS;
}

API unsigned cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *, int threads, size_t) {
  ENTER(true);
  if (threads < 1 || threads > 1024) return fail(INVALID_VALUE, "blocks of %d threads", threads);
  *blocks = 2048 / threads < 32 ? 2048 / threads : 32;
  return SUCCESS;
}

API unsigned cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned dynamic, struct CUstream_st *s, void **params, void **) {
  ENTER(true);
  if (!known(stream_of(s))) return fail(INVALID_HANDLE, "there is no such stream");
  const char *name = f->name.c_str();
  if (f->module->closed) return fail(INVALID_HANDLE, "kernel %s: its module was unloaded", name);
  if (!gx || !gy || !gz || gx > 2147483647u || gy > 65535 || gz > 65535)
    return fail(INVALID_VALUE, "kernel %s: a grid of %ux%ux%u blocks", name, gx, gy, gz);
  if (!bx || !by || !bz || bz > 64 || uint64_t(bx) * by * bz > 1024)
    return fail(INVALID_VALUE, "kernel %s: blocks of %ux%ux%u threads", name, bx, by, bz);
  if (dynamic > f->dynamic_limit)
    return fail(INVALID_VALUE, "kernel %s: %u bytes of shared memory, at most %u are allowed", name, dynamic,
                f->dynamic_limit);
  Launch l{f, {gx, gy, gz}, {bx, by, bz}, dynamic, std::vector<uint64_t>(f->params)};
  for (int i = 0; i < f->params; i++) memcpy(&l.params[i], params[i], 8);
  return enqueue(stream_of(s), 8, [l] { return run_launch(l); });
}
