//go:build cgo

package reduce

// #include "fold.h"
// #include "choose.h"
// #include "window.h"
import "C"

import "unsafe"

func foldFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_fold_record) }

func windowFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_window_record) }

func chooseFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_choose_record) }
