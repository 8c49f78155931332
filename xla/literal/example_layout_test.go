package literal_test

import (
	"bytes"
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// A column-major array with padding goes in as its bytes lie in memory, and comes out row by row.
func ExampleFromBytes() {
	s, err := shape.Parse("u8[2,3]{0,1:PAD(3,5)=zero}")
	if err != nil {
		panic(err)
	}
	l, err := literal.FromBytes(s, []byte("ad\x00be\x00cf\x00\x00\x00\x00\x00\x00\x00"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", l.RowMajor().Bytes())
	// Output: abcdef
}

func ExampleLiteral_Relayout() {
	l, err := literal.FromSlice([]uint8{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		panic(err)
	}
	col, err := l.Relayout(shape.MakeAscendingLayout(2))
	fmt.Println(col.Bytes(), col, err)
	// Output: [1 4 2 5 3 6] u8[2,3] { { 1, 2, 3 }, { 4, 5, 6 } } <nil>
}

func ExampleReadNPY() {
	l, err := literal.FromSlice([]complex64{1, 2i}, 2, 1)
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if err := literal.WriteNPY(&file, l); err != nil {
		panic(err)
	}
	back, err := literal.ReadNPY(&file, shape.Invalid)
	fmt.Println(back, err)
	// Output: c64[2,1] { {(1, 0)}, {(0, 2)} } <nil>
}
