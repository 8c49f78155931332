package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/crash"
	"github.com/halo-xla/halo/internal/testfile"
)

// block is a fenced block of a document: "sh" runs, "text" is in what the last one printed or in a file, others with a
// name are files.
type block struct{ section, language, name, text string }

var fence = regexp.MustCompile("(?ms)^## (.*?)$|^```(\\w+) ?(\\S*)\n(.*?)^```$")

func blocksOf(document string) (blocks []block) {
	section := ""
	for _, m := range fence.FindAllStringSubmatch(document, -1) {
		if m[1] != "" {
			section = m[1]
			continue
		}
		blocks = append(blocks, block{section, m[2], m[3], m[4]})
	}
	return blocks
}

// TestPluginsDocument runs the commands of docs/plugins.md and wants what it says they print.
func TestPluginsDocument(t *testing.T) {
	testfile.Native(t, crash.Available)
	for _, name := range []string{"cc", "c++", "make"} {
		_, err := exec.LookPath(name)
		testfile.Library(t, name, err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/plugins.md"))
	if err != nil {
		t.Fatal(err)
	}
	d := newDocument(t, root)
	for _, b := range blocksOf(string(text)) {
		if b.section == "Rust" {
			if _, err := exec.LookPath("rustc"); err != nil {
				continue
			}
		}
		d.do(t, b)
	}
	if _, err := exec.LookPath("rustc"); err != nil {
		testfile.Library(t, "rustc", err)
	}
}

// document is the state of a reader who follows a document: a section begins in his home.
type document struct {
	root, home, dir, section, printed string
	env                               []string
}

// newDocument makes a home. There git clones by a link to the sources, which Go builds where they are, since its cache
// knows them there; Go and Rust find what they have installed.
func newDocument(t *testing.T, root string) *document {
	home := t.TempDir()
	d := &document{root: root, home: home, env: append(os.Environ(), "HOME="+home, "PATH="+home+"/bin:"+os.Getenv("PATH"))}
	path, err := exec.LookPath("go")
	testfile.Library(t, "go", err)
	for name, text := range map[string]string{"git": "ln -s " + root + " halo", "go": "cd -P .\nexec " + path + ` "$@"`} {
		write(t, filepath.Join(home, "bin", name), []byte("#!/bin/sh\n"+text+"\n"))
		if err := os.Chmod(filepath.Join(home, "bin", name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	settings := []string{"GOPATH", "GOCACHE", "GOMODCACHE", "GOFLAGS"}
	out, err := exec.Command(path, append([]string{"env"}, settings...)...).Output()
	testfile.Library(t, "go", err)
	for i, line := range strings.Split(string(out), "\n")[:len(settings)] {
		d.env = append(d.env, settings[i]+"="+line)
	}
	d.env[len(d.env)-1] += " -buildvcs=false" // which would ask git
	for _, name := range []string{"RUSTUP", "CARGO"} {
		if os.Getenv(name+"_HOME") == "" {
			d.env = append(d.env, name+"_HOME="+filepath.Join(os.Getenv("HOME"), "."+strings.ToLower(name)))
		}
	}
	return d
}

func (d *document) do(t *testing.T, b block) {
	t.Helper()
	if b.section != d.section {
		d.section, d.dir, d.printed = b.section, d.home, ""
	}
	switch b.language {
	case "sh":
		d.run(t, b.text)
	case "text":
		for _, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
			if !strings.Contains(d.printed+d.sources(t), strings.TrimSpace(line)) {
				t.Errorf("%s: %q is not in what was printed:\n%s", b.section, line, d.printed)
			}
		}
	case "go":
		source, err := os.ReadFile(filepath.Join(d.root, b.name))
		if err != nil || !strings.Contains(string(source), b.text) {
			t.Errorf("%s: the text is not that of %s (%v)", b.section, b.name, err)
		}
	default:
		write(t, filepath.Join(d.dir, b.name), []byte(b.text))
	}
}

// run runs commands in the folder where the last ones of the section ended; sections begin at home.
func (d *document) run(t *testing.T, commands string) {
	t.Helper()
	if strings.HasPrefix(commands, "cd ") {
		d.dir = d.home
	}
	cmd := exec.Command("sh", "-e", "-c", commands+"\npwd > $HOME/where\n")
	cmd.Dir, cmd.Env = d.dir, d.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", d.section, err, commands, out)
	}
	where, err := os.ReadFile(filepath.Join(d.home, "where"))
	if err != nil {
		t.Fatal(err)
	}
	d.dir, d.printed = strings.TrimSpace(string(where)), d.printed+string(out)
}

// sources are the programs of the project in which the reader stands.
func (d *document) sources(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, "cases/basic/module.mlir"))
	if err != nil {
		return ""
	}
	return string(text)
}
