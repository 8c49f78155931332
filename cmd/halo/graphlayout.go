package main

import (
	"cmp"
	"slices"
)

// The measures of a picture, in its units.
const (
	boxHeight, layerGap, boxGap = 34, 26, 14
	charWidth, leastWidth       = 7, 60
	maxTitle                    = 36
	margin                      = 12
)

// place is where a box stands: its left upper corner and its width.
type place struct{ x, y, width int }

// layered is a panel with a place for each box: boxes stand below all of their inputs, in layers, beside one another in
// an order with few crossings of lines.
type layered struct {
	places        []place
	width, height int
}

// maxPerLayer bounds a layer: more boxes stand in further rows of the same layer.
const maxPerLayer = 24

// layOut finds the places: layers by the longest way from the inputs, orders by some rounds of taking each box to the
// middle of its neighbours.
func layOut(boxes []*box) layered {
	l := layered{places: make([]place, len(boxes))}
	layers := layersOf(boxes)
	users := make([][]int, len(boxes))
	for i, b := range boxes {
		for _, k := range b.inputs {
			users[k] = append(users[k], i)
		}
	}
	at := make([]float64, len(boxes)) // place in its layer
	number := func() {
		for _, layer := range layers {
			for k, i := range layer {
				at[i] = float64(k)
			}
		}
	}
	number()
	for round := range 8 {
		for k := range layers {
			layer, near := layers[k], func(i int) []int { return boxes[i].inputs }
			if round%2 == 1 {
				layer, near = layers[len(layers)-1-k], func(i int) []int { return users[i] }
			}
			middle := map[int]float64{}
			for _, i := range layer {
				middle[i] = mean(near(i), at)
				if len(near(i)) == 0 {
					middle[i] = at[i]
				}
			}
			slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
			for k, i := range layer {
				at[i] = float64(k)
			}
		}
	}
	l.assign(boxes, layers)
	return l
}

func mean(list []int, at []float64) float64 {
	sum := 0.0
	for _, i := range list {
		sum += at[i]
	}
	return sum / float64(max(len(list), 1))
}

// layersOf puts each box one layer below the lowest of its inputs, and inputs of the program just above their first
// user.
func layersOf(boxes []*box) [][]int {
	depth := make([]int, len(boxes))
	first := make([]int, len(boxes))
	deepest := 0
	for i, b := range boxes { // inputs come first
		for _, k := range b.inputs {
			depth[i] = max(depth[i], depth[k]+1)
		}
		deepest = max(deepest, depth[i])
	}
	for i := range first {
		first[i] = deepest + 1
	}
	for i := len(boxes) - 1; i >= 0; i-- {
		if len(boxes[i].inputs) == 0 && first[i] <= deepest {
			depth[i] = first[i] - 1
		}
		for _, k := range boxes[i].inputs {
			first[k] = min(first[k], depth[i])
		}
	}
	layers := make([][]int, deepest+1)
	for i := range boxes {
		layers[depth[i]] = append(layers[depth[i]], i)
	}
	return slices.DeleteFunc(layers, func(l []int) bool { return len(l) == 0 })
}

// assign places the layers below one another, each in the middle.
func (l *layered) assign(boxes []*box, layers [][]int) {
	var rows [][]int
	for _, layer := range layers {
		rows = slices.AppendSeq(rows, slices.Chunk(layer, maxPerLayer))
	}
	widths := make([]int, len(rows))
	for r, row := range rows {
		for _, i := range row {
			l.places[i].width = widthOf(boxes[i])
			widths[r] += l.places[i].width + boxGap
		}
		l.width = max(l.width, widths[r])
	}
	for r, row := range rows {
		x := margin + (l.width-widths[r])/2
		for _, i := range row {
			l.places[i].x, l.places[i].y = x, margin+r*(boxHeight+layerGap)
			x += l.places[i].width + boxGap
		}
	}
	l.width += 2 * margin
	l.height = 2*margin + len(rows)*(boxHeight+layerGap)
}

func widthOf(b *box) int {
	n := max(len([]rune(clip(b.title, maxTitle))), len([]rune(clip(b.text, maxTitle))))
	return max(leastWidth, n*charWidth+16)
}
