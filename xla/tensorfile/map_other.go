//go:build !unix

package tensorfile

import "os"

// mapFile reads the file: this system has no mapping.
func mapFile(path string) (b []byte, mapped bool, err error) {
	b, err = os.ReadFile(path)
	return b, false, err
}

func unmap([]byte) error { return nil }
