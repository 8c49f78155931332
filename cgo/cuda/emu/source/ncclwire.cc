// How ranks of the emulated NCCL meet, and how bytes go between them: by sockets whose names vanish with their process,
// and nothing here waits.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "nccl.h"

static socklen_t address(const Comm *c, int rank, sockaddr_un *a) {
  memset(a, 0, sizeof *a);
  a->sun_family = AF_UNIX; // the name begins with a 0: it is no file
  const int n = snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "%s/%d", c->id.internal, rank);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + n);
}

void lose(Comm *c, unsigned status, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (c->status == SUCCESS || c->status == IN_PROGRESS) c->status = status, c->detail = text;
}

unsigned listen_as(Comm *c) {
  sockaddr_un a;
  const socklen_t n = address(c, c->rank, &a);
  c->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (c->listener < 0 || bind(c->listener, reinterpret_cast<sockaddr *>(&a), n) || listen(c->listener, 1024))
    return said(errno == EADDRINUSE ? INVALID_USAGE : SYSTEM_ERROR, "rank %d: %s", c->rank,
                errno == EADDRINUSE ? "there is one already" : strerror(errno));
  return SUCCESS;
}

static Greeting own(const Comm *c) { return {c->rank, c->ranks, getpid(), c->device}; }

static bool greet(Comm *c, int socket) {
  const Greeting g = own(c);
  return send(socket, &g, sizeof g, MSG_NOSIGNAL) == sizeof g;
}

// call connects to the ranks before c's, as far as they listen.
static void call(Comm *c) {
  for (int r = 0; r < c->rank; r++) {
    if (c->peers[r].socket >= 0) continue;
    sockaddr_un a;
    const socklen_t n = address(c, r, &a);
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0) return lose(c, SYSTEM_ERROR, "a socket: %s", strerror(errno));
    if (connect(s, reinterpret_cast<sockaddr *>(&a), n) || !greet(c, s)) close(s); // another time
    else c->peers[r].socket = s;
  }
}

// heard reads a greeting, and reports whether one was there.
static bool heard(Comm *c, int socket, Greeting *g) {
  const ssize_t n = recv(socket, g, sizeof *g, MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN)) lose(c, REMOTE_ERROR, "a rank is gone before it has joined");
  return n == sizeof *g;
}

// meet looks at what a rank says of itself.
static void meet(Comm *c, const Greeting &g) {
  if (g.ranks != c->ranks)
    lose(c, INVALID_ARGUMENT, "rank %d joins %d ranks, rank %d %d", g.rank, g.ranks, c->rank, c->ranks);
  else if (g.process == getpid() && g.device == c->device)
    lose(c, INVALID_USAGE, "ranks %d and %d have the same device %d", g.rank, c->rank, g.device);
  else
    c->peers[g.rank].met = true;
}

static void answer(Comm *c) {
  for (int s; (s = accept4(c->listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
    c->strangers.push_back(s);
  for (size_t i = 0; i < c->strangers.size();) {
    Greeting g;
    const int s = c->strangers[i];
    if (!heard(c, s, &g)) {
      i++;
      continue;
    }
    c->strangers.erase(c->strangers.begin() + static_cast<long>(i));
    if (g.rank <= c->rank || g.rank >= c->ranks || c->peers[g.rank].socket >= 0) close(s);
    else if (c->peers[g.rank].socket = s, greet(c, s)) meet(c, g);
  }
}

void join(Comm *c) {
  if (c->joined || c->status != IN_PROGRESS) return;
  call(c);
  answer(c);
  bool all = true;
  for (int r = 0; r < c->ranks && c->status == IN_PROGRESS; r++) {
    Greeting g;
    Peer &p = c->peers[r];
    if (r < c->rank && p.socket >= 0 && !p.met && heard(c, p.socket, &g)) meet(c, g);
    all = all && (r == c->rank || p.met);
  }
  if (all && c->status == IN_PROGRESS) c->joined = true, c->status = SUCCESS;
}

void hang_up(Comm *c) {
  for (Peer &p : c->peers)
    if (p.socket >= 0) close(p.socket), p.socket = -1;
  for (int s : c->strangers) close(s);
  c->strangers.clear();
  if (c->listener >= 0) close(c->listener), c->listener = -1;
}

typedef ssize_t (*Mover)(int socket, char *memory, size_t bytes);

static ssize_t push(int s, char *p, size_t n) { return send(s, p, n, MSG_NOSIGNAL | MSG_DONTWAIT); }

static ssize_t pull(int s, char *p, size_t n) {
  const ssize_t got = recv(s, p, n, MSG_DONTWAIT);
  return got == 0 ? (errno = EPIPE, -1) : got;
}

// move moves what it can of a part, its length first, and reports whether that was all. wanted is the length that is
// wanted of what comes.
static bool move(Comm *c, int peer, Part *p, Mover f, const uint64_t *wanted) {
  while (p->done < sizeof p->length + p->bytes) {
    const bool head = p->done < sizeof p->length;
    char *at = head ? reinterpret_cast<char *>(&p->length) + p->done : p->memory + (p->done - sizeof p->length);
    const uint64_t left = head ? sizeof p->length - p->done : sizeof p->length + p->bytes - p->done;
    const ssize_t n = f(c->peers[peer].socket, at, left);
    if (n < 0 && errno != EAGAIN) lose(c, REMOTE_ERROR, "rank %d is gone", peer);
    if (n < 0) return false;
    p->done += static_cast<uint64_t>(n);
    if (wanted && p->done == sizeof p->length && p->length != *wanted) {
      lose(c, INVALID_USAGE, "rank %d sends %llu bytes, rank %d wants %llu", peer,
           static_cast<unsigned long long>(p->length), c->rank, static_cast<unsigned long long>(*wanted));
      return false;
    }
  }
  return true;
}

// to_itself copies what a rank sends itself.
static void to_itself(Comm *c, std::deque<Part> *out, std::deque<Part> *in) {
  for (; !out->empty() && !in->empty(); out->pop_front(), in->pop_front()) {
    if (out->front().bytes != in->front().bytes)
      return lose(c, INVALID_USAGE, "rank %d sends itself another length", c->rank);
    memmove(in->front().memory, out->front().memory, in->front().bytes);
  }
}

bool advance(Comm *c, Operation *o) {
  bool all = true;
  for (int r = 0; r < c->ranks && c->status == SUCCESS; r++) {
    auto &out = o->out[r], &in = o->in[r];
    if (r == c->rank) {
      to_itself(c, &out, &in);
    } else {
      while (!out.empty() && move(c, r, &out.front(), push, nullptr)) out.pop_front();
      while (!in.empty() && move(c, r, &in.front(), pull, &in.front().bytes)) in.pop_front();
    }
    all = all && out.empty() && in.empty();
  }
  if (!all || c->status != SUCCESS) return false;
  if (o->finish) o->finish();
  return o->over = true;
}
