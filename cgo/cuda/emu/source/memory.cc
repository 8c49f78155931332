// Memory of the emulated device: red zones around every block, poison in what is fresh or freed.
#include <cstdlib>
#include <cstring>

#include "driver.h"

namespace {

// Poison is a NaN in every type of floats, and -1 in integers.
const unsigned char poison = 0xff, red = 0xfd;
const size_t zone = 512;
const size_t quarantine = 8 << 20;

struct Block { size_t size; bool freed; };
std::map<Ptr, Block> blocks; // by where they begin
std::deque<Ptr> freed_blocks;
size_t freed_bytes;

unsigned char *raw(Ptr p) { return reinterpret_cast<unsigned char *>(p); }

const std::pair<const Ptr, Block> *find(Ptr p) {
  auto at = blocks.upper_bound(p);
  if (at == blocks.begin()) return nullptr;
  --at;
  return p < at->first + (at->second.size ? at->second.size : 1) ? &*at : nullptr;
}

bool all(const unsigned char *p, size_t n, unsigned char v) {
  for (size_t i = 0; i < n; i++)
    if (p[i] != v) return false;
  return true;
}

unsigned check_block(Ptr p, const Block &b, const char *after) {
  if (!all(raw(p) - zone, zone, red))
    return fail(ILLEGAL_ADDRESS, "%s: memory before a block of %zu bytes was overwritten", after, b.size);
  if (!all(raw(p) + b.size, zone, red))
    return fail(ILLEGAL_ADDRESS, "%s: memory after a block of %zu bytes was overwritten", after, b.size);
  if (b.freed && !all(raw(p), b.size, poison))
    return fail(ILLEGAL_ADDRESS, "%s: a block of %zu bytes was written after it was freed", after, b.size);
  return SUCCESS;
}

unsigned evict() {
  unsigned status = SUCCESS;
  while (freed_bytes > quarantine && !freed_blocks.empty()) {
    const Ptr p = freed_blocks.front();
    freed_blocks.pop_front();
    const Block b = blocks[p];
    if (!status) status = check_block(p, b, "free");
    freed_bytes -= b.size;
    blocks.erase(p);
    free(raw(p) - zone);
  }
  return status;
}

} // namespace

unsigned allocate(Ptr *p, size_t bytes) {
  if (!bytes) return fail(INVALID_VALUE, "an allocation of 0 bytes");
  if (bytes > emu.capacity - emu.used)
    return fail(OUT_OF_MEMORY, "%zu bytes are wanted, %zu are free", bytes, emu.capacity - emu.used);
  void *base;
  if (posix_memalign(&base, zone, bytes + 2 * zone))
    return fail(OUT_OF_MEMORY, "the host has no %zu bytes", bytes);
  unsigned char *at = static_cast<unsigned char *>(base) + zone;
  memset(at - zone, red, zone);
  memset(at, poison, bytes);
  memset(at + bytes, red, zone);
  *p = reinterpret_cast<Ptr>(at);
  blocks[*p] = {bytes, false};
  emu.used += bytes;
  return SUCCESS;
}

unsigned release(Ptr p) {
  if (!p) return SUCCESS;
  const auto at = blocks.find(p);
  if (at == blocks.end()) return fail(INVALID_VALUE, "what is freed was never allocated");
  if (at->second.freed) return fail(INVALID_VALUE, "a block of %zu bytes is freed twice", at->second.size);
  const unsigned status = check_block(p, at->second, "free");
  memset(raw(p), poison, at->second.size);
  at->second.freed = true;
  emu.used -= at->second.size;
  freed_bytes += at->second.size;
  freed_blocks.push_back(p);
  const unsigned late = evict();
  return status ? status : late;
}

void *reach(Ptr p, size_t bytes, const char *what) {
  const auto *b = find(p);
  if (!b) fail(INVALID_VALUE, "%s: address %llx is in no block", what, p);
  else if (b->second.freed) fail(INVALID_VALUE, "%s: the memory was freed", what);
  else if (p + bytes > b->first + b->second.size)
    fail(INVALID_VALUE, "%s: %zu bytes from %llu on in a block of %zu", what, bytes, p - b->first, b->second.size);
  else return raw(p);
  return nullptr;
}

bool freed(Ptr p) {
  const auto *b = find(p);
  return b && b->second.freed;
}

unsigned check_memory(const char *after) {
  for (const auto &b : blocks)
    if (!b.second.freed)
      if (const unsigned status = check_block(b.first, b.second, after)) return status;
  return SUCCESS;
}

Changes::Changes() {
  for (const auto &b : blocks)
    if (!b.second.freed) was[b.first].assign(raw(b.first), raw(b.first) + b.second.size);
}

Spans Changes::since() {
  Spans found;
  for (auto &w : was) {
    const unsigned char *now = raw(w.first);
    for (size_t i = 0; i < w.second.size(); i++) {
      if (now[i] == w.second[i]) continue;
      w.second[i] = now[i];
      if (!found.empty() && found.back().second == w.first + i) found.back().second++;
      else found.push_back({w.first + i, w.first + i + 1});
    }
  }
  return found;
}

size_t live_blocks() {
  size_t n = 0;
  for (const auto &b : blocks) n += !b.second.freed;
  return n;
}

void forget_memory() {
  for (const auto &b : blocks) free(raw(b.first) - zone);
  blocks.clear();
  freed_blocks.clear();
  freed_bytes = emu.used = 0;
}

static bool bound_stream(struct CUstream_st *s, unsigned *status) {
  if (known(stream_of(s))) return true;
  *status = fail(INVALID_HANDLE, "there is no such stream");
  return false;
}
#define ON(s) \
  unsigned bad; \
  if (!bound_stream(s, &bad)) return bad

API unsigned cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER(true);
  *free = emu.capacity - emu.used;
  *total = emu.capacity;
  return SUCCESS;
}

API unsigned cuMemAlloc_v2(Ptr *p, size_t bytes) {
  ENTER(true);
  return allocate(p, bytes);
}

API unsigned cuMemFree_v2(Ptr p) {
  ENTER(true);
  const unsigned status = drain_all();
  return status ? status : release(p);
}

API unsigned cuMemAllocAsync(Ptr *p, size_t bytes, struct CUstream_st *s) {
  ENTER(true);
  ON(s);
  if (stream_of(s)->captured) return fail(CAPTURE_UNSUPPORTED, "allocations are not captured");
  return allocate(p, bytes);
}

API unsigned cuMemFreeAsync(Ptr p, struct CUstream_st *s) {
  ENTER(true);
  ON(s);
  if (stream_of(s)->captured) return fail(CAPTURE_UNSUPPORTED, "frees are not captured");
  return enqueue(stream_of(s), 0, [p] { return release(p); });
}

API unsigned cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
  ENTER(true);
  if (!bytes || posix_memalign(p, 4096, bytes)) return fail(OUT_OF_MEMORY, "the host has no %zu bytes", bytes);
  memset(*p, poison, bytes);
  emu.pinned[*p] = bytes;
  if (flags & 2) emu.mapped.insert(*p);
  return SUCCESS;
}

API unsigned cuMemHostGetDevicePointer_v2(Ptr *p, void *host, unsigned flags) {
  ENTER(true);
  if (flags || !emu.mapped.count(host)) return fail(INVALID_VALUE, "what kernels shall read was not allocated for them");
  *p = reinterpret_cast<Ptr>(host);
  return SUCCESS;
}

API unsigned cuMemFreeHost(void *p) {
  ENTER(true);
  if (!emu.pinned.erase(p)) return fail(INVALID_VALUE, "what is freed is no memory of the host that was allocated");
  emu.mapped.erase(p);
  const unsigned status = drain_all();
  free(p);
  return status;
}

// Copies that wait do so for the standard stream alone: the others are made without a bond to it.
API unsigned cuMemcpyHtoD_v2(Ptr dst, const void *src, size_t bytes) {
  ENTER(true);
  if (const unsigned status = drain(&emu.standard)) return status;
  void *to = reach(dst, bytes, "copy to the device");
  if (!to) return INVALID_VALUE;
  memcpy(to, src, bytes);
  return SUCCESS;
}

API unsigned cuMemcpyDtoH_v2(void *dst, Ptr src, size_t bytes) {
  ENTER(true);
  if (const unsigned status = drain(&emu.standard)) return status;
  const void *from = reach(src, bytes, "copy from the device");
  if (!from) return INVALID_VALUE;
  memcpy(dst, from, bytes);
  return SUCCESS;
}

API unsigned cuMemcpyHtoDAsync_v2(Ptr dst, const void *src, size_t bytes, struct CUstream_st *s) {
  ENTER(true);
  ON(s);
  if (!reach(dst, bytes, "copy to the device")) return INVALID_VALUE;
  return enqueue(stream_of(s), 1, [=]() -> unsigned {
    void *to = reach(dst, bytes, "copy to the device");
    if (!to) return ILLEGAL_ADDRESS;
    memcpy(to, src, bytes);
    return SUCCESS;
  });
}

API unsigned cuMemcpyDtoHAsync_v2(void *dst, Ptr src, size_t bytes, struct CUstream_st *s) {
  ENTER(true);
  ON(s);
  if (!reach(src, bytes, "copy from the device")) return INVALID_VALUE;
  return enqueue(stream_of(s), 2, [=]() -> unsigned {
    const void *from = reach(src, bytes, "copy from the device");
    if (!from) return ILLEGAL_ADDRESS;
    memcpy(dst, from, bytes);
    return SUCCESS;
  });
}

API unsigned cuMemcpyDtoDAsync_v2(Ptr dst, Ptr src, size_t bytes, struct CUstream_st *s) {
  ENTER(true);
  ON(s);
  if (!reach(dst, bytes, "copy") || !reach(src, bytes, "copy")) return INVALID_VALUE;
  if (dst < src + bytes && src < dst + bytes) return fail(INVALID_VALUE, "a copy between places that overlap");
  return enqueue(stream_of(s), 3, [=]() -> unsigned {
    void *to = reach(dst, bytes, "copy");
    const void *from = reach(src, bytes, "copy");
    if (!to || !from) return ILLEGAL_ADDRESS;
    memcpy(to, from, bytes);
    return SUCCESS;
  });
}

struct Place { size_t x, y; unsigned type; const void *host; Ptr device; void *array; size_t pitch; };
struct Rows { Place src, dst; size_t width, height; };

API unsigned cuMemcpy2DAsync_v2(const Rows *rows, struct CUstream_st *s) {
  ENTER(true);
  ON(s);
  const Rows r = *rows;
  if (r.src.type != 2 || r.dst.type != 2 || r.src.x || r.src.y || r.dst.x || r.dst.y)
    return fail(INVALID_VALUE, "rows are copied from the device to the device, from the beginning");
  if (!r.height || r.src.pitch < r.width || r.dst.pitch < r.width || (r.src.pitch | r.dst.pitch) >> 31)
    return fail(INVALID_VALUE, "%zu rows of %zu bytes, %zu and %zu apart", r.height, r.width, r.src.pitch, r.dst.pitch);
  const auto all = [r](const Place &p) { return reach(p.device, (r.height - 1) * p.pitch + r.width, "copy of rows"); };
  if (!all(r.src) || !all(r.dst)) return INVALID_VALUE;
  return enqueue(stream_of(s), 10, [=]() -> unsigned {
    const char *from = static_cast<const char *>(all(r.src));
    char *to = static_cast<char *>(all(r.dst));
    if (!from || !to) return ILLEGAL_ADDRESS;
    for (size_t i = 0; i < r.height; i++) memcpy(to + i * r.dst.pitch, from + i * r.src.pitch, r.width);
    return SUCCESS;
  });
}

API unsigned cuMemcpyPeerAsync(Ptr dst, Context *, Ptr src, Context *, size_t bytes, struct CUstream_st *s) {
  return cuMemcpyDtoDAsync_v2(dst, src, bytes, s);
}

template <class T> static unsigned set(Ptr dst, T value, size_t count, struct CUstream_st *s) {
  ON(s);
  if (dst % sizeof value) return fail(INVALID_VALUE, "the address is not aligned");
  if (!reach(dst, count * sizeof value, "set")) return INVALID_VALUE;
  return enqueue(stream_of(s), 4, [=]() -> unsigned {
    T *to = static_cast<T *>(reach(dst, count * sizeof value, "set"));
    for (size_t i = 0; to && i < count; i++) to[i] = value;
    return to ? SUCCESS : ILLEGAL_ADDRESS;
  });
}

API unsigned cuMemsetD8Async(Ptr dst, unsigned char value, size_t count, struct CUstream_st *s) {
  ENTER(true);
  return set(dst, value, count, s);
}

API unsigned cuMemsetD32Async(Ptr dst, unsigned value, size_t count, struct CUstream_st *s) {
  ENTER(true);
  return set(dst, value, count, s);
}
