package emit

import (
	"embed"
	"slices"
	"strings"
)

// preludes are the pieces of C that kernels use.
//
//go:embed prelude/*.cu
var preludes embed.FS

// pieces are the prelude's, each after those that it uses itself.
var pieces = []string{"core", "formats", "complex", "random"}

// Unit joins kernels and the pieces of the prelude that they use into one translation unit. Kernels that occur twice
// stand in it once.
func Unit(kernels []*Kernel) string {
	var b strings.Builder
	uses := map[string]bool{"core": true}
	for _, k := range kernels {
		for _, u := range k.Uses {
			uses[u] = true
		}
	}
	for _, p := range pieces {
		if uses[p] {
			text, err := preludes.ReadFile("prelude/" + p + ".cu")
			if err != nil {
				panic("emit: bug: " + err.Error())
			}
			b.Write(text)
		}
	}
	var names []string
	for _, k := range kernels {
		if !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
			b.WriteString("\n" + k.Source)
		}
	}
	return b.String()
}
