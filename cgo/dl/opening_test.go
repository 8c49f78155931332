package dl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// opened names the library that this test program opens and does nothing else, in a process of its own.
const opened = "DL_TEST_OPENED"

// A library whose own code ends the process while it is opened is named before, and signals are handled as ever after.
func TestOpeningThatEndsTheProcess(t *testing.T) {
	if file := os.Getenv(opened); file != "" {
		if _, err := Load(file); err != nil {
			t.Fatal(err)
		}
		defer func() { t.Log("the fault was a panic:", recover()) }()
		var nothing *int
		*nothing = 1
	}
	libm(t)
	cc, err := exec.LookPath("cc")
	testfile.Library(t, "cc", err)
	dir := t.TempDir()
	for name, c := range map[string]struct{ code, want string }{
		"aborts":   {"abort();", ": it ends this process while it is opened: its own code dies of a signal\n"},
		"crashes":  {"*(volatile int *)8 = 1;", ": it ends this process while it is opened: its own code dies of a signal\n"},
		"exits":    {"exit(3);", ": it ends this process while it is opened: it calls exit\n"},
		"nothing":  {"", "the fault was a panic: runtime error: invalid memory address"},
		"handlers": {"signal(SIGSEGV, mine);", "this is mine"},
	} {
		file := filepath.Join(dir, "lib"+name+".so")
		text := "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n" +
			"void mine(int n) { if (write(2, \"this is mine\", 12)) _exit(n); }\n" +
			"__attribute__((constructor)) static void begin(void) { " + c.code + " }\n"
		if err := os.WriteFile(file+".c", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		compile := exec.Command(cc, "-shared", "-fPIC", file+".c", "-o", file)
		compile.Env = append(os.Environ(), "LD_PRELOAD=") // of a sanitizer, which is not for the compiler
		if said, err := compile.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), opened+"="+file)
		said, err := cmd.CombinedOutput()
		want := c.want
		if strings.HasPrefix(want, ":") {
			want = file + want
		}
		if (err == nil) != (name == "nothing") || strings.Count(string(said), want) != 1 {
			t.Errorf("%s: got %v and\n%s\nwant %q", name, err, said, want)
		}
	}
}
