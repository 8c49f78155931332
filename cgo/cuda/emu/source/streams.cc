// Streams and events of the emulated device. Nothing runs before somebody waits for it, so that a wait that is
// missing shows.
#include <unistd.h>

#include "driver.h"

Stream *stream_of(struct CUstream_st *s) { return s ? reinterpret_cast<Stream *>(s) : &emu.standard; }

bool known(const Stream *s) { return s == &emu.standard || emu.streams.count(const_cast<Stream *>(s)); }

unsigned enqueue(Stream *s, int kind, Work w) {
  if (s->captured) return capture(s, kind, std::move(w));
  s->queue.push_back(std::move(w));
  return SUCCESS;
}

// step runs the oldest command of s, which stays if it is not ready. What goes wrong there loses the device.
static unsigned step(Stream *s) {
  Work w = std::move(s->queue.front());
  s->queue.pop_front();
  const unsigned status = w();
  if (status == NOT_READY) s->queue.push_front(std::move(w));
  else if (status && !emu.lost) emu.lost = status;
  return status;
}

// yield_lock lets other threads call the driver, of which one may do what a command waits for.
static void yield_lock() {
  emu.lock.unlock();
  usleep(50);
  emu.lock.lock();
}

unsigned drain(Stream *s) {
  while (known(s) && !s->queue.empty()) {
    const unsigned status = step(s);
    if (status == NOT_READY) yield_lock();
    else if (status) return status;
  }
  return emu.lost;
}

unsigned drain_all() {
  unsigned status = drain(&emu.standard);
  for (Stream *s : std::set<Stream *>(emu.streams))
    if (!status) status = drain(s);
  return status;
}

#define EVENT(e) \
  if (!emu.events.count(e)) return fail(INVALID_HANDLE, "there is no such event")

API unsigned cuStreamCreate(Stream **s, unsigned) {
  ENTER(true);
  emu.streams.insert(*s = new Stream);
  return SUCCESS;
}

API unsigned cuStreamDestroy_v2(struct CUstream_st *s) {
  ENTER(true);
  STREAM(s);
  if (stream == &emu.standard) return fail(INVALID_HANDLE, "the default stream cannot be destroyed");
  const unsigned status = emu.lost ? emu.lost : drain(stream);
  if (!known(stream)) return fail(INVALID_HANDLE, "the stream was destroyed meanwhile");
  for (Event *e : emu.events)
    if (e->stream == stream) e->stream = nullptr;
  emu.streams.erase(stream);
  delete stream;
  return status;
}

API unsigned cuStreamSynchronize(struct CUstream_st *s) {
  ENTER(true);
  STREAM(s);
  if (stream->captured) return fail(CAPTURE_UNSUPPORTED, "a stream that is captured cannot be waited for");
  return drain(stream);
}

API unsigned cuStreamQuery(struct CUstream_st *s) {
  ENTER(true);
  STREAM(s);
  if (!stream->queue.empty())
    if (const unsigned status = step(stream)) return status;
  return stream->queue.empty() ? SUCCESS : NOT_READY;
}

API unsigned cuStreamWaitEvent(struct CUstream_st *s, Event *e, unsigned) {
  ENTER(true);
  STREAM(s);
  EVENT(e);
  const uint64_t until = e->wanted;
  return enqueue(stream, 5, [e, until]() -> unsigned {
    while (emu.events.count(e) && e->done < until && e->stream && !e->stream->queue.empty())
      if (const unsigned status = step(e->stream)) return status;
    return SUCCESS;
  });
}

API unsigned cuEventCreate(Event **e, unsigned flags) {
  ENTER(true);
  emu.events.insert(*e = new Event);
  (*e)->timed = !(flags & 2);
  return SUCCESS;
}

API unsigned cuEventDestroy_v2(Event *e) {
  ENTER(true);
  EVENT(e);
  emu.events.erase(e);
  delete e;
  return SUCCESS;
}

API unsigned cuEventRecord(Event *e, struct CUstream_st *s) {
  ENTER(true);
  STREAM(s);
  EVENT(e);
  const uint64_t number = ++e->wanted;
  e->stream = stream;
  return enqueue(stream, 6, [e, number]() -> unsigned {
    if (!emu.events.count(e)) return SUCCESS;
    e->done = number;
    e->time = emu.time;
    return SUCCESS;
  });
}

API unsigned cuEventQuery(Event *e) {
  ENTER(true);
  EVENT(e);
  if (e->done < e->wanted && e->stream && !e->stream->queue.empty())
    if (const unsigned status = step(e->stream)) return status;
  return e->done < e->wanted ? NOT_READY : SUCCESS;
}

API unsigned cuEventSynchronize(Event *e) {
  ENTER(true);
  EVENT(e);
  while (emu.events.count(e) && e->done < e->wanted && e->stream && !e->stream->queue.empty()) {
    const unsigned status = step(e->stream);
    if (status == NOT_READY) yield_lock();
    else if (status) return status;
  }
  return emu.lost;
}

API unsigned cuEventElapsedTime(float *ms, Event *from, Event *to) {
  ENTER(true);
  EVENT(from);
  EVENT(to);
  if (!from->timed || !to->timed) return fail(INVALID_HANDLE, "an event tells no times");
  if (!from->done || !to->done) return fail(NOT_READY, "an event has not happened yet");
  *ms = static_cast<float>(to->time - from->time);
  return SUCCESS;
}

// What emulated libraries, which are files of their own, need of the driver.

// halo_cuda_emu_submit counts a call of a library and enqueues its work, or captures it.
API unsigned halo_cuda_emu_submit(struct CUstream_st *s, const char *call, const Work *w) {
  std::lock_guard<std::recursive_mutex> guard(emu.lock);
  if (const unsigned status = enter(call, true)) return status;
  STREAM(s);
  return enqueue(stream, 10, *w);
}

API unsigned halo_cuda_emu_enqueue(struct CUstream_st *s, const Work *w) {
  std::lock_guard<std::recursive_mutex> guard(emu.lock);
  STREAM(s);
  if (stream->captured) return fail(CAPTURE_UNSUPPORTED, "this library of the emulator is not captured");
  return enqueue(stream, 9, *w);
}

API void *halo_cuda_emu_reach(Ptr p, size_t bytes, const char *what) {
  std::lock_guard<std::recursive_mutex> guard(emu.lock);
  return reach(p, bytes, what);
}

API void halo_cuda_emu_comms(long change) {
  std::lock_guard<std::recursive_mutex> guard(emu.lock);
  emu.comms += change;
}

// halo_cuda_emu_spend has time pass, for work that runs. Nothing else does: times are the same on every machine.
API void halo_cuda_emu_spend(double ms) {
  std::lock_guard<std::recursive_mutex> guard(emu.lock);
  emu.time += ms;
}

API void halo_cuda_emu_held(long change) {
  std::lock_guard<std::recursive_mutex> guard(emu.lock);
  emu.held += change;
}
