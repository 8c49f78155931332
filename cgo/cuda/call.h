/* What a command of an array may call besides the driver: a function of a library that enqueues on a stream. */
#ifndef HALO_CUDA_CALL_H
#define HALO_CUDA_CALL_H

// run enqueues on stream, with the values of the command, and returns a status of its library, 0 if all is well.
typedef struct halo_cuda_call {
  unsigned (*run)(const struct halo_cuda_call *self, void *stream, const unsigned long long *words);
} halo_cuda_call;

#endif
