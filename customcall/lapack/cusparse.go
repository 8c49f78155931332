package lapack

import "github.com/halo-xla/halo/xla/shape"

// pattern calls visit for each element of a sparse matrix, of which the operands 1 and 2 say where they are: its number
// among the values, its row and its column.
type pattern func(in [][]byte, visit func(at, row, column int))

// rowsOf is the pattern of a matrix with columns and the starts of rows, pairsOf that of one with rows and columns.
func rowsOf[I index](in [][]byte, visit func(at, row, column int)) {
	columns, starts := as[I](in[1]), as[I](in[2])
	for row := range len(starts) - 1 {
		for at := max(starts[row], 0); at < min(starts[row+1], I(len(columns))); at++ {
			visit(int(at), row, int(columns[at]))
		}
	}
}

func pairsOf[I index](in [][]byte, visit func(at, row, column int)) {
	columns := as[I](in[2])
	for at, row := range as[I](in[1]) {
		visit(at, int(row), int(columns[at]))
	}
}

// pattern returns that of the call: whether it has the starts of rows says its signature.
func (s *site) pattern() pattern {
	_, starts := s.dims['q']
	wide := s.operands[1].Shape.Type == shape.S64
	switch {
	case starts && wide:
		return rowsOf[int64]
	case starts:
		return rowsOf[int32]
	case wide:
		return pairsOf[int64]
	}
	return pairsOf[int32]
}

// descriptor is what GPU libraries are told in bytes: an attribute, or all of the backend_config.
func (s *site) descriptor() string {
	if text, ok := s.note("opaque"); ok || s.call.Common == nil {
		return text
	}
	return s.call.Common.Config
}

// turned reads from the end of a descriptor whether the sparse matrix is transposed.
func (s *site) turned() bool {
	d := s.descriptor()
	if len(d) < 4 || d[len(d)-4] > 1 || d[len(d)-3:] != "\x00\x00\x00" {
		s.fail("the descriptor of %d bytes does not end with an operation, 0 or 1", len(d))
		return false
	}
	return d[len(d)-4] == 1
}

// spmm multiplies as csr does, a matrix of either pattern that may be transposed.
func spmm[T number](s *site) (step, error) { return multiply[T](s, s.turned()), nil }

// toDense writes a sparse matrix out.
func toDense[T number](s *site) (step, error) {
	s.kernel = "go " + s.target.family
	s.rowMajor()
	visit, rows, width := s.pattern(), s.at('r'), s.at('n')
	return func(in, out [][]byte) {
		values, y := as[T](in[0]), as[T](out[0])
		visit(in, func(at, row, column int) {
			if uint(row) < uint(rows) && uint(column) < uint(width) {
				y[row*width+column] += values[at]
			}
		})
	}, nil
}

// fromDense finds the elements that are not 0, as many as there is room for; the rest stays 0.
func fromDense[T number](s *site) (step, error) {
	s.kernel = "go " + s.target.family
	s.rowMajor()
	m, n, room := s.at('m'), s.at('n'), s.at('z')
	q, starts := s.dims['q']
	if starts && q != int64(m)+1 {
		s.fail("got %d starts of rows, want %d", q, m+1)
	}
	write := writeIndices[int32]
	if s.results[1].Shape.Type == shape.S64 {
		write = writeIndices[int64]
	}
	return func(in, out [][]byte) {
		x, values := as[T](in[0]), as[T](out[0])
		var rows, columns, from []int
		for i := range m {
			from = append(from, len(rows))
			for j, v := range x[i*n : (i+1)*n] {
				if v != 0 && len(rows) < room {
					values[len(rows)] = v
					rows, columns = append(rows, i), append(columns, j)
				}
			}
		}
		if starts {
			write(out, columns, append(from, len(rows)))
		} else {
			write(out, rows, columns)
		}
	}, nil
}

func writeIndices[I index](out [][]byte, first, second []int) {
	for i, list := range [][]int{first, second} {
		to := as[I](out[i+1])
		for at, v := range list {
			to[at] = I(v)
		}
	}
}
