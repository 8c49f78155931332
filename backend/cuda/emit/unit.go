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
var pieces = []string{"core", "formats", "complex", "random", "radix", "network", "top", "atomic"}

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
			b.WriteString(piece(p))
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

func piece(name string) string {
	text, err := preludes.ReadFile("prelude/" + name + ".cu")
	if err != nil {
		panic("emit: bug: " + err.Error())
	}
	return string(text)
}

// The kernels of Control: one that lets a loop of a graph go on, with the condition of its node, where the loop's
// condition lies and where a word that ends it; one that does so for a loop that counts, with the condition, where it
// counts, whether it begins, the first count and the step, their bytes, how many rounds a node has, how many there are,
// and that word; and one that sets the conditions of up to Choices branches, with where the index lies, whether it is
// a predicate, the number of the last branch, that of the first that is set, how many are, and their conditions.
const (
	Again   = "halo_again"
	Count   = "halo_count"
	Choose  = "halo_choose"
	Choices = 8
)

// Control is a translation unit with the kernels that loops and choices within a graph have besides those of programs.
func Control() string { return piece("core") + piece("control") }
