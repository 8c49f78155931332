//go:build !linux

package emu

import "io/fs"

// owned is false where there is no emulator and no GPU.
func owned(fs.FileInfo) bool { return false }
