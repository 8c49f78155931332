package emu

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Cache returns the folder name for compiled code, made if need be: in the user's cache folder, or, where that cannot
// be written, in one of the user's among the temporary files. What lies there is loaded into the process, so it fails
// if the folder is not the user's own or others may write into it.
func Cache(name string) (string, error) {
	tops := []string{filepath.Join(os.TempDir(), fmt.Sprintf("halo-cache-%d", os.Getuid()))}
	if user, err := os.UserCacheDir(); err == nil {
		tops = append([]string{filepath.Join(user, "halo")}, tops...)
	}
	var errs []error
	for _, top := range tops {
		folder := filepath.Join(top, name)
		err := private(top)
		if err == nil {
			err = os.MkdirAll(folder, 0o700)
		}
		if err == nil {
			return folder, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no folder for compiled code: %w", errors.Join(errs...))
}

// private makes a folder that nobody else writes into, and fails if it is there and is not that: another user may have
// made it, or a link of its name.
func private(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 || !owned(info) {
		return fmt.Errorf("%s: %v: got a folder that others may have written into, want one of this user's", folder,
			info.Mode())
	}
	return nil
}
