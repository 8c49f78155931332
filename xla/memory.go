package xla

import "github.com/halo-xla/halo/internal/memory"

// defaultMemoryLimit is three quarters of the bytes that this process may have.
func defaultMemoryLimit() int64 { return memory.Total() / 4 * 3 }
