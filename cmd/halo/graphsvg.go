package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
)

const graphStyle = `
text{font:10px sans-serif;fill:#223} .title{font:bold 13px sans-serif}
rect{fill:#eef3f8;stroke:#7b8fa3;rx:4} .in rect{fill:#f4f1e4;stroke:#a59a63} .heavy rect{fill:#f9dfd7;stroke:#b5654a}
.reduce rect{fill:#e2f0dc;stroke:#6a9457}
.control rect{fill:#e6e0f5;stroke:#7d67b3} .call rect{fill:#fbe9c6;stroke:#b98a2c}
.several rect{stroke-dasharray:4 2;stroke-width:2} path{fill:none;stroke:#9aa7b3}
`

// writeSVG writes one picture: the panels below one another.
func writeSVG(w io.Writer, g *graph) error {
	var body strings.Builder
	width, y := 300, 0
	for _, p := range g.panels {
		title := p.title()
		if len(p.boxes) == 0 {
			title += ", left out"
		}
		fmt.Fprintf(&body, "<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n", margin, y+18,
			template.HTMLEscapeString(title))
		y += 28
		if len(p.boxes) == 0 {
			continue
		}
		l := layOut(p.boxes)
		fmt.Fprintf(&body, "<g transform=\"translate(0,%d)\">\n", y)
		drawPanel(&body, p, l)
		body.WriteString("</g>\n")
		y += l.height
		width = max(width, l.width)
	}
	_, err := fmt.Fprintf(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "+
		"viewBox=\"0 0 %d %d\">\n<style>%s</style>\n%s</svg>\n", width, y+margin, width, y+margin, graphStyle, body.String())
	return err
}

// drawPanel writes lines and boxes.
func drawPanel(w io.Writer, p *panel, l layered) {
	for i, b := range p.boxes {
		for _, k := range b.inputs {
			from, to := l.places[k], l.places[i]
			x0, y0, x1, y1 := from.x+from.width/2, from.y+boxHeight, to.x+to.width/2, to.y
			bend := min(max((y1-y0)/2, layerGap/2), 60)
			fmt.Fprintf(w, "<path class=\"f%d t%d\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n", k, i,
				x0, y0, x0, y0+bend, x1, y1-bend, x1, y1)
		}
	}
	for i, b := range p.boxes {
		at := l.places[i]
		fmt.Fprintf(w, "<g class=\"%s\" id=\"p%d_%d\" transform=\"translate(%d,%d)\"><title>%s</title>"+
			"<rect width=\"%d\" height=\"%d\"/><text x=\"8\" y=\"14\">%s</text><text x=\"8\" y=\"27\">%s</text></g>\n", b.class,
			p.number, i, at.x, at.y, template.HTMLEscapeString(b.title+"\n"+b.text), at.width, boxHeight,
			template.HTMLEscapeString(clip(b.title, maxTitle)), template.HTMLEscapeString(clip(b.text, maxTitle)))
	}
}

//go:embed graph.html
var graphPage string

var graphTemplate = template.Must(template.New("graph").Parse(graphPage))

// maxFound bounds the instructions that the page's search knows.
const maxFound = 200_000

// section is a computation on the page.
type section struct {
	Number  int
	Title   string
	Picture template.HTML // empty if it is left out
}

// writeHTML writes the page: a fold for each computation, and all instructions for the search.
func writeHTML(w io.Writer, g *graph) error {
	var sections []section
	var index [][]any // computation, box, name, op, shape
	total := 0
	for _, p := range g.panels {
		s := section{Number: p.number, Title: p.title()}
		if len(p.boxes) > 0 {
			s.Picture = template.HTML(picture(p))
		}
		sections = append(sections, s)
		for i, in := range p.computation.Instructions {
			if total++; total <= maxFound {
				index = append(index, []any{p.number, p.of[i], p.name(in), in.Op.String(), in.Shape.WithoutLayout().String()})
			}
		}
	}
	data, err := json.Marshal(index)
	if err != nil {
		return err
	}
	return graphTemplate.Execute(w, map[string]any{"Name": g.name, "Style": template.CSS(graphStyle), "Sections": sections,
		"Index": template.JS(data), "Total": total, "Known": len(index)})
}

// picture is the svg of one panel.
func picture(p *panel) string {
	l := layOut(p.boxes)
	var b strings.Builder
	fmt.Fprintf(&b, "<svg width=\"%d\" height=\"%d\">\n", l.width, l.height)
	drawPanel(&b, p, l)
	b.WriteString("</svg>")
	return b.String()
}
