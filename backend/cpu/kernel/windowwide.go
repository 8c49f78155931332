package kernel

// widePlaces is how many places a segment of a wide plan has at most, if they are more than side by side.
const widePlaces = 4096

// Wide returns the plan with places whose taps lie side by side as the width of segments: all of a short line that is
// nothing but elements, so that the last axis is the line, or the places of a segment. Segments are cut to a few
// thousand places.
func (p Window) Wide() Window {
	line := p.Line
	if p.Out == 0 {
		line = nil
	}
	width, from, last := int64(1), int64(0), len(p.Axes)-1
	if last >= 0 && len(line) == 1 && line[0].Taps == 1 && line[0].Move == 1 && p.LineStride == 1 &&
		line[0].N <= widePlaces {
		width, from = line[0].N, line[0].At
		line, p.LineStride = segments(p.Axes[last].Places), p.Axes[last].Stride
		p.Axes = p.Axes[:last]
	}
	p.Line = nil
	for _, s := range line {
		s.Width, s.At = width, s.At+from
		if width == 1 && s.Move == 1 && p.LineStride == 1 {
			s.N, s.Width = 1, s.N
		}
		p.Line = append(p.Line, s.pieces()...)
	}
	return p
}

// pieces cuts a segment of one place that is wider than elements of a line, or of many places.
func (s Segment) pieces() []Segment {
	var list []Segment
	if s.N*s.Width <= widePlaces {
		return append(list, s)
	}
	if s.Width > widePlaces {
		for all := s.Width; all > 0; all -= s.Width {
			s.Width = min(all, widePlaces)
			list = append(list, s)
			s.Out, s.At = s.Out+s.Width, s.At+s.Width
		}
		return list
	}
	for all := s.N; all > 0; all -= s.N {
		s.N = min(all, max(widePlaces/s.Width, 1))
		list = append(list, s)
		s.Out, s.At = s.Out+s.N, s.At+s.N*s.Move
	}
	return list
}
