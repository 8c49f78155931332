// Package cuda is to be the backend of NVIDIA's GPUs. So far it has the tests of the kernels that emit writes.
package cuda
