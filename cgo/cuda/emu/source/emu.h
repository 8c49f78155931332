// What the emulated driver and the kernels that it runs share. One block runs at a time, its threads as fibres of one
// thread of the host, so that a single state is enough.
#ifndef HALO_EMU_H
#define HALO_EMU_H

struct uint3 { unsigned x, y, z; };

struct halo_emu_state {
  uint3 thread, block, block_dim, grid_dim;
  unsigned char *dynamic; // shared memory whose size the launch says
  // barrier waits for all threads of the block, at the same line of the source, and returns how many values are not 0.
  int (*barrier)(int line, int value);
  // exchange waits for the lanes of mask, at the same line, and returns the value of each of the 32.
  const unsigned long long *exchange(unsigned mask, int line, unsigned long long value) {
    return exchanged(mask, line, value);
  }
  const unsigned long long *(*exchanged)(unsigned mask, int line, unsigned long long value);
  int lane;
  // condition sets a value that a node of the graph that runs looks at.
  void (*condition)(unsigned long long handle, unsigned value);
};

#endif
