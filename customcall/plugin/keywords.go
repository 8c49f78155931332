package plugin

import (
	"slices"
	"strings"
)

const (
	keywordsC = "main asm auto break case char const continue default do double else enum extern float for goto if " +
		"inline int long register restrict return short signed sizeof static struct switch typedef union " +
		"unsigned void volatile while"
	keywordsCC = keywordsC + " alignas alignof and and_eq bitand bitor bool catch char16_t char32_t char8_t class " +
		"compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend " +
		"mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public " +
		"reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid " +
		"typename using virtual wchar_t xor xor_eq"
	keywordsRust = "main abstract as async await become box break const continue crate do dyn else enum extern false " +
		"final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self " +
		"static struct super trait true try type typeof unsafe unsized use virtual where while yield"
)

// keywords are the names that no function of a language may have.
var keywords = map[string]string{"c": keywordsC, "cc": keywordsCC, "cuda": keywordsCC, "rust": keywordsRust}

func isKeyword(name, language string) bool {
	return slices.Contains(strings.Fields(keywords[language]), name)
}
