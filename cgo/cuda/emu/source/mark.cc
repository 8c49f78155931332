// A library that others want beside them; nothing calls it here.
extern "C" __attribute__((visibility("default"))) const int halo_cuda_emulator = 1;
