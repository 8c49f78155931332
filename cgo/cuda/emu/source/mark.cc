// cuBLASLt, which cuBLAS wants beside it; nothing calls it here.
extern "C" __attribute__((visibility("default"))) const int halo_cuda_emulator = 1;
