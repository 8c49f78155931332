package hlopb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// FuzzParse reads binary protos: no panic, bounded memory, and a program that is read is written and read again.
func FuzzParse(f *testing.F) {
	f.Add(Marshal(parse(f, strings.Replace(attributes, "all-reduce(u)", "all-reduce(f32[4]{0} constant({1,2,3,4}))", 1))))
	testfile.Seeds(f, "testdata/*.pb")
	if os.Getenv("HALO_CONFORMANCE") != "" {
		for _, pattern := range []string{"*/*.pb", "formats/proto/*.pb"} {
			files, _ := filepath.Glob(filepath.Join(testfile.Conformance(f), "producers", pattern))
			for _, file := range files {
				if src, err := os.ReadFile(file); err == nil && len(src) < 20_000 {
					f.Add(src)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) { readAndWrite(t, src) })
}

// FuzzParseText is FuzzParse for protos in text form.
func FuzzParseText(f *testing.F) {
	f.Add([]byte(MarshalText(parse(f, "HloModule m\nENTRY e { ROOT a = f32[] parameter(0) }"))))
	testfile.Seeds(f, "testdata/*.pbtxt")
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, text := Detect(src); text {
			readAndWrite(t, src)
		}
	})
}

// readAndWrite reads a program and what else is in its file, and the program once more after writing it.
func readAndWrite(t *testing.T, src []byte) {
	var s *Snapshot
	var err error
	testfile.Bounded(t, len(src), 512, func() { s, err = ParseSnapshot(src, "f", Options{}) })
	if err != nil {
		return
	}
	again, err := Parse(Marshal(s.Module), "f")
	if err != nil {
		t.Fatalf("written and read again: %v", err)
	}
	if got, want := again.Text(), s.Module.Text(); got != want {
		t.Fatalf("written and read again: got\n%s\nwant\n%s", got, want)
	}
}

// FuzzSnapshot reads snapshots: arguments and results come back as they were.
func FuzzSnapshot(f *testing.F) {
	testfile.Seeds(f, "testdata/snapshot.pb")
	f.Fuzz(func(t *testing.T, src []byte) {
		if format, _ := Detect(src); format != snapshotProto && format != unoptimizedSnapshot {
			return
		}
		readAndWrite(t, src)
	})
}
