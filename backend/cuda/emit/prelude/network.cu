// A bitonic network in shared memory, by T threads: those of a warp or of a block.
template <int T> FN void line_sync() {
  if (T == 32) __syncwarp(); else __syncthreads();
}
// Sorts each run of room numbers, a power of two, of size. Pairs at most 32 apart are those of one warp.
template <int T> FN void network(u64* list, u32 size, u32 room) {
  for (u32 k = 2; k <= room; k *= 2)
    for (u32 j = k / 2; j > 0; j /= 2) {
      for (u32 p = threadIdx.x % T; p < size / 2; p += T) {
        const u32 i = 2 * p - (p & (j - 1));
        const u64 x = list[i], y = list[i + j];
        if ((y < x) == ((i & (k & (room - 1))) == 0)) list[i] = y, list[i + j] = x;
      }
      if (j > 32 || (j == 1 && (k > 32 || k == room))) line_sync<T>(); else __syncwarp();
    }
}
