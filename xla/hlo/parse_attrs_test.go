package hlo

import "testing"

// TestMisspeltAttribute: an attribute that nobody knows is named where one is missing that it may have been meant for.
func TestMisspeltAttribute(t *testing.T) {
	for text, want := range map[string]string{
		`transpose(x), dimension={1,0}`: `m.hlo:4:45: transpose: got attribute dimension, want dimensions`,
		`transpose(x)`:                  `m.hlo:4:21: transpose y has no attribute dimensions`,
	} {
		_, err := Parse([]byte("HloModule m\nENTRY e {\n  x = f32[2,2] parameter(0)\n  ROOT y = f32[2,2] "+text+"\n}\n"), "m.hlo")
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
