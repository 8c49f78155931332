// Package wholefile reads files whole, and writes files that are whole or not there.
package wholefile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/halo-xla/halo/internal/memory"
)

// Stat is os.Stat, whose error says that the path cannot be opened: few know what stat is.
func Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	var fault *fs.PathError
	if errors.As(err, &fault) {
		err = &fs.PathError{Op: "open", Path: fault.Path, Err: fault.Err}
	}
	return info, err
}

// Open opens a file and returns its size. It fails for what is no regular file: a pipe may never have a writer, and a
// device never ends.
func Open(path string) (*os.File, int64, error) {
	info, err := Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		return nil, 0, err
	}
	f, err := os.Open(path)
	return f, info.Size(), err
}

// Read returns what a regular file holds. It fails if that does not fit in memory.
func Read(path string) ([]byte, error) { return ReadAtMost(path, math.MaxInt64) }

// ReadAtMost is Read of a file that whoever wrote it gave so many bytes at most. It fails if it has more.
func ReadAtMost(path string, most int64) ([]byte, error) {
	f, size, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > most {
		return nil, fmt.Errorf("%s has %d bytes, want at most %d", path, size, most)
	}
	if err := memory.Check(size); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b := make([]byte, size)
	n, err := io.ReadFull(f, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%s: the file ends at byte %d, want %d bytes: it was cut short: %w", path, n, size,
			io.ErrUnexpectedEOF)
	}
	return b, err
}

// Write makes a file of the parts. One that is there keeps its links and its permissions, and stays as it is if the new
// one cannot be written whole: it may be what was read, and the disk full. What is no regular file, and what stands in
// a folder that takes no files, is written in place.
func Write(path string, parts ...[]byte) error {
	return WriteFrom(path, func(w io.Writer) error {
		for _, p := range parts {
			if _, err := w.Write(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteFrom is Write of what fill writes. If that fails, the file stays as it is, unless it is written in place.
func WriteFrom(path string, fill func(io.Writer) error) error {
	to, perm, ok := target(path)
	if ok {
		name := fmt.Sprintf("%s.%08x.part", to, rand.Uint32())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(perm, 0o666))
		if err == nil {
			return replace(f, to, perm, fill)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	return writeAll(f, fill)
}

// CheckPlace fails as Write would where a file has no place: for a folder, below none, and where nothing may be
// written. Who works long for what the file shall hold asks before. Nothing is changed.
func CheckPlace(path string) error {
	if to, _, ok := target(path); ok {
		if f, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".*.part"); err == nil {
			return errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	info, err := os.Stat(path)
	_, absent := os.Lstat(path)
	switch {
	case err == nil && !info.IsDir() && !info.Mode().IsRegular(): // a pipe may have no reader yet
		return nil
	case err != nil && absent == nil: // a link to nothing, which would be made
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	err = f.Close()
	if absent != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// target returns what a path leads to and its permissions, 0 if it is not there, and whether a new file may take its
// place.
func target(path string) (to string, perm fs.FileMode, ok bool) {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return end(path), 0, errors.Is(err, fs.ErrNotExist)
	}
	info, err := os.Stat(to)
	if err != nil { // it has just gone
		return to, 0, false
	}
	return to, info.Mode().Perm(), info.Mode().IsRegular() && info.Mode()&0o200 != 0
}

// end is where links lead of which the last leads to nothing.
func end(path string) string {
	for range mostLinks {
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if path, _ = filepath.Split(path); filepath.IsAbs(link) {
			path = ""
		}
		path += link // not cleaned: what is above the end of a link is not what its name says
	}
	return path
}

// mostLinks is how many links an operating system follows.
const mostLinks = 255

// replace fills f, and gives it its name and permissions when it is whole.
func replace(f *os.File, to string, perm fs.FileMode, fill func(io.Writer) error) error {
	var err error
	if perm != 0 { // some of which the process may not give a new file
		err = f.Chmod(perm)
	}
	if err = errors.Join(err, writeAll(f, fill)); err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// writeAll fills f and closes it.
func writeAll(f *os.File, fill func(io.Writer) error) error {
	err := fill(f)
	return errors.Join(err, f.Close())
}
