package stablehlo

import (
	"math"

	"github.com/halo-xla/halo/xla/erfinv"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Error functions and Bessel's I1. Law: the Cephes library's rational approximations; for the inverse of erf Giles,
// "Approximating the erfinv function" (2010). The order of the operations is that of XLA.

// erfcParts are the polynomials of erf below 1 and of erfc above it.
type erfcParts struct {
	t, u    []float64 // erf(x) = x T(x^2)/U(x^2) up to 1
	p, q    []float64 // erfc from 1 to edge
	r, s    []float64 // erfc from edge on
	edge    float64
	largest float64 // of x^2, beyond which erfc is 0
}

var erfc64 = erfcParts{
	t: []float64{9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3,
		7.00332514112805075473e3, 5.55923013010394962768e4},
	u: []float64{1, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
		2.26290000613890934246e4, 4.92673942608635921086e4},
	p: []float64{2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
		4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2, 9.34528527171957607540e2,
		1.02755188689515710272e3, 5.57535335369399327526e2},
	q: []float64{1, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
		9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3, 1.65666309194161350182e3,
		5.57535340817727675546e2},
	r: []float64{5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
		6.16021097993053585195e0, 7.40974269950448939160e0, 2.97886665372100240670e0},
	s: []float64{1, 2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1,
		1.70814450747565897222e1, 9.60896809063285878198e0, 3.36907645100081516050e0},
	edge: 8, largest: 7.09782712893383996843e2,
}

var erfc32 = erfcParts{
	t: []float64{7.853861353153693e-5, -8.010193625184903e-4, 5.188327685732524e-3, -2.685381193529856e-2,
		1.128358514861418e-1, -3.761262582423300e-1, 1.128379165726710},
	p: []float64{2.326819970068386e-2, -1.387039388740657e-1, 3.687424674597105e-1, -5.824733027278666e-1,
		6.210004621745983e-1, -4.944515323274145e-1, 3.404879937665872e-1, -2.741127028184656e-1,
		5.638259427386472e-1},
	r: []float64{-1.047766399936249e1, 1.297719955372516e1, -7.495518717768503, 2.921019019210786,
		-1.015265279202700, 4.218463358204948e-1, -2.820767439740514e-1, 5.641895067754075e-1},
	edge: 2, largest: 88.72283905206835,
}

// erfc is 1 - erf(x), without cancellation for large x.
func erfc(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	x := args[0]
	c, one := &erfc32, m.num(1, x)
	square, abs := m.mul(x, x), m.abs(x)
	small := m.mul(x, m.horner(square, erfc32.t))
	tail := m.erfcTail32
	if x.Shape.Type == shape.F64 {
		c, tail = &erfc64, m.erfcTail64
		small = m.div(m.mul(x, m.horner(square, c.t)), m.horner(square, c.u))
	}
	near := m.compare(abs, hlo.Lt, m.num(c.edge, x))
	minus := m.neg(square)
	large := tail(abs, square, m.exp(minus), near)
	zero := m.num(0, x)
	large = m.choose(m.compare(minus, hlo.Lt, m.num(-c.largest, x)), zero, large)
	large = m.choose(m.compare(x, hlo.Lt, zero), m.sub(m.num(2, x), large), large)
	return m.choose(m.compare(abs, hlo.Lt, one), m.sub(one, small), large)
}

// erfcTail64 is exp(-x^2) P(|x|)/Q(|x|) where near, else with R and S.
func (m *mathOps) erfcTail64(abs, _, exp, near *hlo.Instruction) *hlo.Instruction {
	c := &erfc64
	first := m.div(m.mul(exp, m.horner(abs, c.p)), m.horner(abs, c.q))
	second := m.div(m.mul(exp, m.horner(abs, c.r)), m.horner(abs, c.s))
	return m.choose(near, first, second)
}

// erfcTail32 is exp(-x^2)/|x| P(1/x^2) where near, else with R.
func (m *mathOps) erfcTail32(abs, square, exp, near *hlo.Instruction) *hlo.Instruction {
	one := m.num(1, abs)
	inverse := m.div(one, square)
	scale := m.mul(exp, m.div(one, abs))
	return m.mul(scale, m.choose(near, m.horner(inverse, erfc32.p), m.horner(inverse, erfc32.r)))
}

// erfInv is the inverse of erf; at 1 and -1 it is infinite.
func erfInv(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	x := args[0]
	w := m.neg(m.log1p(m.mul(x, m.neg(x))))
	root := m.sqrt(w)
	var p *hlo.Instruction
	if x.Shape.Type == shape.F64 {
		p = m.horner(m.sub(root, m.num(5, x)), erfinv.F64[2])
		middle := m.horner(m.sub(root, m.num(3.25, x)), erfinv.F64[1])
		p = m.choose(m.compare(w, hlo.Lt, m.num(16, x)), middle, p)
		small := m.horner(m.sub(w, m.num(3.125, x)), erfinv.F64[0])
		p = m.choose(m.compare(w, hlo.Lt, m.num(6.25, x)), small, p)
	} else {
		p = m.horner(m.sub(root, m.num(3, x)), erfinv.F32[1])
		small := m.horner(m.sub(w, m.num(2.5, x)), erfinv.F32[0])
		p = m.choose(m.compare(w, hlo.Lt, m.num(5, x)), small, p)
	}
	edge := m.compare(m.abs(x), hlo.Eq, m.num(1, x))
	return m.choose(edge, m.mul(x, m.num(math.Inf(1), x)), m.mul(p, x))
}

// besselA is the series of exp(-x) I1(x)/x up to 8, besselB that of exp(-x) sqrt(x) I1(x) from 8 on. The f32 forms
// start later: at besselA[12] and besselB[18].
var besselA = []float64{
	2.77791411276104639959e-18, -2.11142121435816608115e-17, 1.55363195773620046921e-16, -1.10559694773538630805e-15,
	7.60068429473540693410e-15, -5.04218550472791168711e-14, 3.22379336594557470981e-13, -1.98397439776494371520e-12,
	1.17361862988909016308e-11, -6.66348972350202774223e-11, 3.62559028155211703701e-10, -1.88724975172282928790e-9,
	9.38153738649577178388e-9, -4.44505912879632808065e-8, 2.00329475355213526229e-7, -8.56872026469545474066e-7,
	3.47025130813767847674e-6, -1.32731636560394358279e-5, 4.78156510755005422638e-5, -1.61760815825896745588e-4,
	5.12285956168575772895e-4, -1.51357245063125314899e-3, 4.15642294431288815669e-3, -1.05640848946261981558e-2,
	2.47264490306265168283e-2, -5.29459812080949914269e-2, 1.02643658689847095384e-1, -1.76416518357834055153e-1,
	2.52587186443633654823e-1,
}

var besselB = []float64{
	7.51729631084210481353e-18, 4.41434832307170791151e-18, -4.65030536848935832153e-17, -3.20952592199342395980e-17,
	2.96262899764595013876e-16, 3.30820231092092828324e-16, -1.88035477551078244854e-15, -3.81440307243700780478e-15,
	1.04202769841288027642e-14, 4.27244001671195135429e-14, -2.10154184277266431302e-14, -4.08355111109219731823e-13,
	-7.19855177624590851209e-13, 2.03562854414708950722e-12, 1.41258074366137813316e-11, 3.25260358301548823856e-11,
	-1.89749581235054123450e-11, -5.58974346219658380687e-10, -3.83538038596423702205e-9, -2.63146884688951950684e-8,
	-2.51223623787020892529e-7, -3.88256480887769039346e-6, -1.10588938762623716291e-4, -9.76109749136146840777e-3,
	7.78576235018280120474e-1,
}

// besselI1e is exp(-|x|) I1(x), the modified Bessel function of order 1.
func besselI1e(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	x := args[0]
	a, b := besselA, besselB
	if x.Shape.Type != shape.F64 {
		a, b = a[12:], b[18:]
	}
	z, two := m.abs(x), m.num(2, x)
	small := m.mul(z, m.chebyshev(m.sub(m.mul(m.num(0.5, x), z), two), a))
	large := m.div(m.chebyshev(m.sub(m.div(m.num(32, x), z), two), b), m.sqrt(z))
	result := m.choose(m.compare(z, hlo.Le, m.num(8, x)), small, large)
	return m.mul(m.do(hlo.Sign, nil, x), result)
}
