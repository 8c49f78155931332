package hlopb

import (
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
)

// frames is the table of places in the producer's source.
type frames struct {
	files, functions, locations, list []string // as text
	// places are those of the locations, of the frames the numbers of their locations.
	places []hlo.Pos
	frames []int64
}

// readFrames reads the StackFrameIndexProto of a module, nil if it has none.
func readFrames(m *message) *frames {
	s := m.sub("stack_frame_index")
	if s == nil {
		return nil
	}
	t := &frames{files: s.strs("file_names"), functions: s.strs("function_names")}
	s.subs("file_locations", func(l *message) {
		t.locations = append(t.locations, flatText(l, true))
		p := hlo.Pos{Line: int(l.num("line")), Col: int(l.num("column"))}
		if n := l.num("file_name_id"); n > 0 && n <= int64(len(t.files)) {
			p.File = t.files[n-1]
		}
		t.places = append(t.places, p)
	})
	s.subs("stack_frames", func(f *message) {
		location := f.num("file_location_id")
		t.frames = append(t.frames, location)
		// text has the number after the parent's, so that 1 is none
		t.list = append(t.list, "{file_location_id="+strconv.FormatInt(location, 10)+" parent_frame_id="+
			strconv.FormatInt(f.num("parent_frame_id")+1, 10)+"}")
	})
	return t
}

// place returns the place of a frame, the zero Pos if it is not known.
func (t *frames) place(frame int64) hlo.Pos {
	if t == nil || frame < 1 || frame > int64(len(t.frames)) {
		return hlo.Pos{}
	}
	if n := t.frames[frame-1]; n > 0 && n <= int64(len(t.places)) {
		return t.places[n-1]
	}
	return hlo.Pos{}
}

// tables returns the frames as the tables of HLO text.
func (t *frames) tables() []string {
	if t == nil {
		return nil
	}
	table := func(name string, rows []string, quote bool) string {
		b := []byte(name)
		for i, row := range rows {
			if quote {
				row = hlo.Quote(row)
			}
			b = append(strconv.AppendInt(append(b, '\n'), int64(i+1), 10), ' ')
			b = append(b, row...)
		}
		return string(b)
	}
	return []string{table("FileNames", t.files, true), table("FunctionNames", t.functions, true),
		table("FileLocations", t.locations, false), table("StackFrames", t.list, false)}
}

// tables appends the tables of HLO text as a StackFrameIndexProto, each that has no place there as text.
func (w *writer) tables(tables []string) {
	rows := map[string][]string{}
	for _, t := range tables {
		lines := strings.Split(t, "\n")
		for _, line := range lines[1:] {
			_, row, _ := strings.Cut(line, " ")
			rows[lines[0]] = append(rows[lines[0]], row)
		}
	}
	if len(tables) == 0 {
		return
	}
	w.sub("stack_frame_index", func() {
		for _, name := range []string{"FileNames", "FunctionNames"} {
			field := map[string]string{"FileNames": "file_names", "FunctionNames": "function_names"}[name]
			for _, row := range rows[name] {
				text, _ := (&scanner{src: row}).value()
				w.strs(field, text)
			}
		}
		for _, row := range rows["FileLocations"] {
			w.sub("file_locations", func() { w.flat(row) })
		}
		for _, row := range rows["StackFrames"] {
			w.sub("stack_frames", func() { w.frame(row) })
		}
	})
}

// frame appends a StackFrame of its text.
func (w *writer) frame(row string) {
	s := &writer{desc: w.desc}
	s.flat(row)
	m := (&decoder{src: s.b}).open(s.desc)
	w.num("file_location_id", m.num("file_location_id"))
	w.num("parent_frame_id", max(m.num("parent_frame_id")-1, 0))
}
