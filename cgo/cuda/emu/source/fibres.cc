// Runs kernels: the blocks of a grid one after the other in random order, the threads of a block as fibres, which begin
// in random order and run until they wait for each other.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "driver.h"

// halo_emu_switch leaves the stack that runs now in *save and goes on with another.
extern "C" void halo_emu_switch(void **save, void *to);
#if defined(__x86_64__)
asm(R"(.text
.globl halo_emu_switch
.hidden halo_emu_switch
.type halo_emu_switch, @function
halo_emu_switch:
  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp
  ret
)");
static const int saved = 6;
#elif defined(__aarch64__)
asm(R"(.text
.globl halo_emu_switch
.hidden halo_emu_switch
.type halo_emu_switch, %function
halo_emu_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]; stp x21, x22, [sp, #16]; stp x23, x24, [sp, #32]; stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]; stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]; stp d10, d11, [sp, #112]; stp d12, d13, [sp, #128]; stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]; ldp x21, x22, [sp, #16]; ldp x23, x24, [sp, #32]; ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]; ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]; ldp d10, d11, [sp, #112]; ldp d12, d13, [sp, #128]; ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
)");
#else
#error the emulator switches stacks on x86-64 and arm64 only
#endif

namespace {

const size_t stack_bytes = 256 << 10;

enum Stage { FRESH, READY, AT_BARRIER, AT_WARP, ENDED };

struct Fibre {
  Stage stage;
  void *sp;
  int stack; // its number, -1 for none
  uint3 thread;
  int line;      // where it waits
  unsigned mask; // for whom, in a warp
  int vote;
  unsigned long long value, all[32];
};

halo_emu_state state;
std::vector<Fibre> fibres;
std::vector<unsigned char *> stacks;
std::vector<int> spare;
Fibre *current;
void *scheduler;
int votes; // of the barrier that was passed last
const Launch *launch;
void **arguments;
unsigned fault;
std::vector<unsigned char> dynamic;

void wait(Stage stage, int line) {
  Fibre *f = current;
  f->stage = stage;
  f->line = line;
  halo_emu_switch(&f->sp, scheduler);
}

int barrier(int line, int value) {
  current->vote = value;
  wait(AT_BARRIER, line);
  return votes;
}

// completed hands the values of the lanes of mask round, if all of them wait at one line.
bool completed(size_t warp, unsigned mask, int line) {
  Fibre *lanes = &fibres[warp * 32];
  const size_t count = std::min<size_t>(32, fibres.size() - warp * 32);
  for (size_t i = 0; i < 32; i++) {
    if (!(mask >> i & 1)) continue;
    if (i >= count || lanes[i].stage != AT_WARP || lanes[i].mask != mask || lanes[i].line != line) return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (!(mask >> i & 1)) continue;
    for (size_t j = 0; j < count; j++) lanes[i].all[j] = lanes[j].value;
    lanes[i].stage = READY;
  }
  return true;
}

const unsigned long long *exchange(unsigned mask, int line, unsigned long long value) {
  const size_t number = current - fibres.data();
  const size_t count = std::min<size_t>(32, fibres.size() - number / 32 * 32);
  if (count < 32 && mask == ~0u) mask = (1u << count) - 1; // the last warp may be part of one
  current->mask = mask;
  current->value = value;
  Fibre *f = current;
  f->stage = AT_WARP;
  f->line = line;
  if (!completed(number / 32, mask, line)) halo_emu_switch(&f->sp, scheduler);
  return f->all;
}

void condition(unsigned long long handle, unsigned value) {
  if (const unsigned status = set_condition(handle, value)) fault = status;
}

void body() {
  launch->function->run(arguments);
  current->stage = ENDED;
  halo_emu_switch(&current->sp, scheduler);
  __builtin_trap();
}

int take_stack() {
  if (!spare.empty()) {
    const int s = spare.back();
    spare.pop_back();
    return s;
  }
  void *p = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return -1;
  mprotect(p, 4096, PROT_NONE);
  stacks.push_back(static_cast<unsigned char *>(p));
  return static_cast<int>(stacks.size()) - 1;
}

// prepare makes a stack that halo_emu_switch can go on with: body runs on it.
bool prepare(Fibre *f) {
  if ((f->stack = take_stack()) < 0) return false;
  void **top = reinterpret_cast<void **>(stacks[f->stack] + stack_bytes - 64);
#if defined(__x86_64__)
  *--top = nullptr; // the address body would return to; it never does
  *--top = reinterpret_cast<void *>(body);
  top -= saved;
#else
  top -= 20;
  top[11] = reinterpret_cast<void *>(body);
#endif
  f->sp = top;
  return true;
}

void resume(Fibre *f) {
  if (f->stage == FRESH && !prepare(f)) {
    fault = fail(OUT_OF_MEMORY, "no memory for the stacks of threads");
    return;
  }
  f->stage = READY;
  current = f;
  state.thread = f->thread;
  state.lane = static_cast<int>((f - fibres.data()) % 32);
  halo_emu_switch(&scheduler, f->sp);
  if (f->stage == ENDED) spare.push_back(f->stack), f->stack = -1;
}

const char *place(const Fibre &f) {
  static char text[96];
  snprintf(text, sizeof text, "thread (%u,%u,%u) of block (%u,%u,%u)", f.thread.x, f.thread.y, f.thread.z,
           state.block.x, state.block.y, state.block.z);
  return text;
}

// pass lets all threads go on if they stand at one barrier; else nobody can go on any more.
void pass() {
  const Fibre *waits = nullptr, *other = nullptr;
  for (const Fibre &f : fibres) {
    if (f.stage == AT_WARP) {
      fault = fail(LAUNCH_FAILED, "kernel %s: %s waits in line %d for lanes %08x of its warp, not all of which come",
                   launch->function->name.c_str(), place(f), f.line, f.mask);
      return;
    }
    if (f.stage == AT_BARRIER && !waits) waits = &f;
    else if (!other || f.stage == ENDED) other = &f;
  }
  for (const Fibre &f : fibres)
    if (f.stage != AT_BARRIER || f.line != waits->line) {
      fault = fail(LAUNCH_FAILED, "kernel %s: divergent barrier: %s waits in line %d, another thread %s",
                   launch->function->name.c_str(), place(*waits), waits->line,
                   f.stage == ENDED ? "has ended" : "waits elsewhere");
      return;
    }
  votes = 0;
  for (Fibre &f : fibres) votes += f.vote, f.stage = READY;
}

void shuffle(std::vector<size_t> *order) {
  for (size_t i = order->size(); i > 1; i--) std::swap((*order)[i - 1], (*order)[random_below(i)]);
}

void run_block(std::vector<size_t> *order) {
  const uint3 dim = launch->block;
  for (size_t i = 0; i < fibres.size(); i++) {
    fibres[i].stage = FRESH;
    fibres[i].stack = -1;
    fibres[i].thread = {unsigned(i % dim.x), unsigned(i / dim.x % dim.y), unsigned(i / dim.x / dim.y)};
  }
  for (;;) {
    bool moved = false, left = false;
    for (const size_t i : *order) {
      if (fibres[i].stage <= READY) resume(&fibres[i]), moved = true;
      if (fault) return;
      left = left || fibres[i].stage != ENDED;
    }
    if (!left) return;
    if (!moved) pass();
    if (fault) return;
  }
}

void run_blocks(Module *m) {
  const uint3 grid = launch->grid;
  const size_t count = size_t(grid.x) * grid.y * grid.z;
  std::vector<size_t> order(fibres.size());
  std::iota(order.begin(), order.end(), 0);
  shuffle(&order);
  // A multiplier without a divisor in common with count visits every block once.
  size_t step = 1 + random_below(count), at = random_below(count);
  while (std::gcd(step, count) != 1) step++;
  for (size_t i = 0; i < count && !fault; i++, at = (at + step) % count) {
    state.block = {unsigned(at % grid.x), unsigned(at / grid.x % grid.y), unsigned(at / grid.x / grid.y)};
    if (m->shared_bytes) memset(m->shared, 0xff, m->shared_bytes);
    memset(dynamic.data(), 0xff, dynamic.size());
    run_block(&order);
  }
  for (Fibre &f : fibres) // those that a fault has left behind
    if (f.stack >= 0) spare.push_back(f.stack), f.stack = -1;
}

} // namespace

unsigned run_launch(const Launch &l) {
  Module *m = l.function->module.get();
  const char *name = l.function->name.c_str();
  if (m->closed) return fail(ILLEGAL_ADDRESS, "kernel %s: its module was unloaded before it ran", name);
  std::vector<uint64_t> words = l.params;
  std::vector<void *> pointers;
  for (uint64_t &w : words) {
    if (freed(w)) return fail(ILLEGAL_ADDRESS, "kernel %s: parameter %zu is memory that was freed", name,
                              pointers.size());
    pointers.push_back(&w);
  }
  launch = &l;
  arguments = pointers.data();
  fault = SUCCESS;
  fibres.resize(size_t(l.block.x) * l.block.y * l.block.z);
  dynamic.resize(l.dynamic + 16);
  state.block_dim = l.block;
  state.grid_dim = l.grid;
  state.barrier = barrier;
  state.exchanged = exchange;
  state.condition = condition;
  state.dynamic = dynamic.data() + (-reinterpret_cast<uintptr_t>(dynamic.data()) & 15);
  *m->state = &state;
  run_blocks(m);
  return fault ? fault : check_memory(("kernel " + l.function->name).c_str());
}
