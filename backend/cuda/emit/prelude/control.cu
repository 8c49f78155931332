
// The kernels of conditional nodes. What they call is the driver's; no header is needed for it, and the emulator's
// compiler knows it.
#ifdef __CUDACC__
extern "C" __device__ void cudaGraphSetConditional(u64 handle, u32 value);
#endif

// halo_again lets a loop go on as long as its condition says so, and nobody wants it to end.
extern "C" __global__ void __launch_bounds__(1) halo_again(u64 loop, const u8* more, const volatile u32* stop) {
  cudaGraphSetConditional(loop, *more && !*stop);
}

// halo_count lets a loop that counts go on as long as there are limit rounds, and nobody wants it to end. It has
// counted the rounds so far at counts, of which each node of the graph does some, and writes behind that the counts of
// those to come, integers of some bytes: init and so many steps.
extern "C" __global__ void __launch_bounds__(128) halo_count(u64 loop, s64* counts, u64 first, s64 init, s64 step,
    s64 bytes, s64 some, s64 limit, const volatile u32* stop) {
  const s64 round = first ? 0 : *counts + some;
  __syncthreads();
  if (threadIdx.x == 0) {
    *counts = round;
    cudaGraphSetConditional(loop, round < limit && !*stop);
  }
  for (s64 k = threadIdx.x; k < some; k += 128) {
    const s64 v = init + (round + k) * step;
    if (bytes == 1) ((u8*)(counts + 1))[k] = (u8)v;
    if (bytes == 2) ((unsigned short*)(counts + 1))[k] = (unsigned short)v;
    if (bytes == 4) ((u32*)(counts + 1))[k] = (u32)v;
    if (bytes == 8) ((u64*)(counts + 1))[k] = (u64)v;
  }
}

// halo_choose sets the conditions of count branches from number first on: that of the one that index says is 1. A
// predicate's 1 means the first, a number out of range the last.
extern "C" __global__ void __launch_bounds__(1) halo_choose(const u8* index, u64 is_pred, s64 last, s64 first,
    u64 count, u64 c0, u64 c1, u64 c2, u64 c3, u64 c4, u64 c5, u64 c6, u64 c7) {
  const u64 c[8] = {c0, c1, c2, c3, c4, c5, c6, c7};
  const s64 number = is_pred ? 1 - *index : *(const s32*)index;
  const s64 at = number >= 0 && number <= last ? number : last;
#pragma unroll
  for (u32 i = 0; i < 8; i++)
    if (i < count) cudaGraphSetConditional(c[i], at == first + i);
}
