package customcall_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// called runs a custom call on 3 that says an api_version.
func called(t *testing.T, r *customcall.Registry, target, version string) (string, error) {
	t.Helper()
	text := "ENTRY e {\n  x = f32[] constant(3)\n  ROOT r = f32[] custom-call(x), custom_call_target=%q, api_version=%s\n}"
	m, err := hlo.Parse(fmt.Appendf(nil, text, target, version), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	p, err := exec.Reference().Compile(context.Background(), m, exec.Options{Handlers: r})
	if err != nil {
		return "", err
	}
	defer p.Close()
	out, err := run(p)
	if err != nil {
		return "", err
	}
	return out.String(), nil
}

// A function whose debug information says that it has another convention than its call is not called, for it would read
// its operands where there are none. One that looks at less than it is given is.
func TestOtherConvention(t *testing.T) {
	r := customcall.New()
	t.Cleanup(func() { r.Close() })
	if err := r.Load(built(t, "conventions.c", "-g"), nil); err != nil {
		t.Fatal(err)
	}
	versions := []string{"ORIGINAL", "STATUS_RETURNING", "STATUS_RETURNING_UNIFIED", "TYPED_FFI"}
	for target, c := range map[string]struct{ takes, name string }{
		"original": {"123", "original (api_version 1)"}, "status": {"2", "status (api_version 2)"},
		"unified": {"3", "status with opaque text (api_version 3)"}, "typed": {"4", "typed FFI (api_version 4)"},
		"named": {"4", "typed FFI (api_version 4)"}, "registered": {"4", "typed FFI (api_version 4)"}} {
		for i, v := range versions {
			number := fmt.Sprint(i + 1)
			got, err := called(t, r, target, "API_VERSION_"+v)
			if strings.Contains(c.takes, number) {
				if err != nil || got != "f32[] 4" {
					t.Errorf("%s, api_version %s: got %v, %v, want 4", target, number, got, err)
				}
				continue
			}
			wantError(t, target, err, "m.hlo:3:8: custom-call(f32[]): custom call \""+target+"\": ",
				"libconventions.so: the call has api_version "+number, "the function has the convention "+c.name)
		}
	}
}

// Without debug information a typed call asks a function of an older convention for its version, and gets no answer.
func TestOlderConventionSaysNoVersion(t *testing.T) {
	r := loaded(t, "conventions.c", nil)
	for _, target := range []string{"original", "status", "unified", "refuses"} {
		_, err := called(t, r, target, "API_VERSION_TYPED_FFI")
		wantError(t, target, err, "the function did not say its API version, as functions of the conventions before api_version 4")
	}
	_, err := called(t, r, "answers_wrongly", "API_VERSION_TYPED_FFI")
	wantError(t, "answers_wrongly", err, "UNAVAILABLE: not now")
}
