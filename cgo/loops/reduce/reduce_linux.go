//go:build cgo

package reduce

// #include "fold.h"
import "C"

import "unsafe"

func foldFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_fold_record) }
