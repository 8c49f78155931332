package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// turnTypes have elements of each width.
var turnTypes = []string{"s8", "bf16", "f32", "f64", "c128"}

// TestInTurn has the elements of arrays in turn in one: all side by side, every other one, or one for all of a row.
func TestInTurn(t *testing.T) {
	r := newRand(t)
	pieces := []string{"p%d = T[7,NN,1] reshape(a)", "p%d = T[7,NN,1] reshape(b)",
		"p%d = T[7,NN,1] slice(c), slice={[0:7], [0:MM:2], [0:1]}",
		"p%d = T[7,NN,1] broadcast(d), dimensions={0}", "p%d = T[7,NN,1] broadcast(e), dimensions={1}"}
	for _, name := range turnTypes {
		et, _ := shape.TypeByName(name)
		for i, n := range []int64{1, 2, 3, 15, 64, 67, 2000} {
			for k := 2; k <= 5; k++ {
				body, list := "", []string{}
				for q := range k {
					body += fmt.Sprintf(pieces[(q*(1+i)+i*k)%len(pieces)], q) + " "
					list = append(list, fmt.Sprint("p", q))
				}
				text := strings.NewReplacer("T[", name+"[", "NN", fmt.Sprint(n), "MM", fmt.Sprint(2*n), "KK", fmt.Sprint(k)).Replace(
					"HloModule m\nENTRY e { a = T[7,NN] parameter(0) b = T[7,NN] parameter(1) c = T[7,MM,1] parameter(2) " +
						"d = T[7] parameter(3) e = T[NN] parameter(4) " + body + "ROOT r = T[7,NN,KK] concatenate(" +
						strings.Join(list, ", ") + "), dimensions={2} }")
				agree(t, program{text: text, args: []*literal.Literal{random(r, shape.Array(et, 7, n)),
					random(r, shape.Array(et, 7, n)), random(r, shape.Array(et, 7, 2*n, 1)), random(r, shape.Array(et, 7)),
					random(r, shape.Array(et, n))}})
			}
		}
	}
}

// TestRepeated has each element of an array some times, one behind the other.
func TestRepeated(t *testing.T) {
	r := newRand(t)
	for _, name := range turnTypes {
		et, _ := shape.TypeByName(name)
		for _, n := range []int64{1, 2, 5, 33, 500} {
			for times := int64(2); times <= 70; times += 1 + times/7 {
				text := fmt.Sprintf("HloModule m\nENTRY e { a = %[1]s[5,%[2]d] parameter(0) "+
					"ROOT r = %[1]s[5,%[2]d,%[3]d] broadcast(a), dimensions={0,1} }", name, n, times)
				agree(t, program{text: text, args: []*literal.Literal{random(r, shape.Array(et, 5, n))}})
			}
		}
	}
}
