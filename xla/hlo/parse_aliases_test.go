package hlo

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseAliases(t *testing.T) {
	at := func(n int64, index ...int64) ParameterIndex { return ParameterIndex{n, append([]int64{}, index...)} }
	for text, want := range map[Raw][]Alias{
		"":                                   nil,
		"{}":                                 nil,
		"{{}: (0, {})}":                      {{Output: []int64{}, ParameterIndex: at(0)}},
		"{{0}: (1, {}), {1, 2}: (3, {4,5})}": {{Output: []int64{0}, ParameterIndex: at(1)}, {Output: []int64{1, 2}, ParameterIndex: at(3, 4, 5)}},
		" { {0} : (1,{}) } ":                 {{Output: []int64{0}, ParameterIndex: at(1)}},
	} {
		got, err := ParseAliases(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
		if again, err := ParseAliases(AliasesText(got)); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q: written as %q, read again as %v, %v", text, AliasesText(got), again, err)
		}
	}
	for _, text := range []Raw{"{", "{{0}}", "{{0}: (1)}", "{{x}: (1, {})}", "{{0}: (1, {})} more", "{{0}: (1, {}"} {
		if _, err := ParseAliases(text); err == nil || !strings.Contains(err.Error(), "want {{result}: (operand, {part}), ...}") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if text := AliasesText([]Alias{{Output: []int64{0, 1}, ParameterIndex: at(2, 3)}}); text != "{{0,1}: (2, {3})}" {
		t.Errorf("got %q", text)
	}
}
