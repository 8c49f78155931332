// What the parts of the emulated NCCL share: communicators whose ranks, in this process or in others of the machine,
// are linked by sockets, and operations that are done when somebody waits for their stream.
#ifndef HALO_EMU_NCCL_H
#define HALO_EMU_NCCL_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

enum : unsigned {
  SUCCESS, UNHANDLED_CUDA, SYSTEM_ERROR, INTERNAL_ERROR, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR, IN_PROGRESS
};

struct Id { char internal[128]; };

// Part is memory that goes to a peer, or comes from it: its length first.
struct Part { char *memory; uint64_t bytes, length, done; };

struct Operation {
  long number;
  std::vector<std::deque<Part>> out, in; // by peer
  std::function<void()> finish;          // when all has come
  std::vector<std::vector<char>> room;   // for what finish takes
  bool over = false;
};

struct Peer { int socket = -1; bool met = false; };

// Greeting is what ranks say to each other first.
struct Greeting { int rank, ranks, process, device; };

struct Comm {
  Id id;
  int rank, ranks, device;
  std::recursive_mutex lock;
  unsigned status = IN_PROGRESS; // of joining, then of all that goes wrong
  bool joined = false, aborted = false;
  int listener = -1;
  std::vector<int> strangers; // that have connected and said nothing yet
  std::vector<Peer> peers;
  std::deque<std::shared_ptr<Operation>> operations; // in order
  std::string detail;
};

typedef std::shared_ptr<Comm> Handle;

// said notes why a call fails, for ncclGetLastError.
unsigned said(unsigned status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// listen_as makes c's own address, join does what can be done without waiting to meet the peers.
unsigned listen_as(Comm *c);
void join(Comm *c);

// advance does what can be done of o without waiting, and reports whether it is over.
bool advance(Comm *c, Operation *o);
void lose(Comm *c, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));
void hang_up(Comm *c);

// fold sets the first of arrays to the fold of all, in order. It returns whether it knows type and operation.
bool fold(unsigned type, unsigned operation, size_t count, const std::vector<char *> &arrays);
size_t width(unsigned type); // bytes of an element, 0 if there is no such type

#endif
