package rng

import "math/bits"

// Sobol is a scrambled Sobol sequence: points of the unit cube that fill it evenly. Direction
// numbers are those of S. Joe and F. Kuo, "Constructing
// Sobol Sequences with Better Two-Dimensional Projections", SIAM J. Sci.
// Comput. 30 (2008), for the first 21 coordinates; further ones use the next
// primitive polynomials with odd starting numbers drawn at random, which keeps
// every one-dimensional projection stratified but not the property A of the
// table. The digits are scrambled by nested uniform (Owen) scrambling through
// a hash, after B. Burley, "Practical Hash-based Owen Scrambling", JCGT 9
// (2020), with a key per coordinate.
type Sobol struct {
	dims [][32]uint32 // direction numbers per coordinate
	key  Key
}

// NewSobol returns a sequence of points of so many coordinates, one at least.
func NewSobol(dim int, key Key) *Sobol { return &Sobol{directions(dim), key} }

// Point returns point i, each coordinate in [0, 1).
func (s *Sobol) Point(i uint32) []float64 {
	p := make([]float64, len(s.dims))
	for j := range p {
		p[j] = float64(owen(s.raw(j, i), s.key.At(uint64(j)))) / (1 << 32)
	}
	return p
}

// raw is coordinate j of point i as a 32-bit fraction.
func (s *Sobol) raw(j int, i uint32) uint32 {
	var x uint32
	for b := 0; i != 0; b, i = b+1, i>>1 {
		if i&1 == 1 {
			x ^= s.dims[j][b]
		}
	}
	return x
}

// owen flips every digit by a hash of the digits above it.
func owen(x uint32, key Key) uint32 {
	var out uint32
	for b := 31; b >= 0; b-- {
		above := uint64(x) >> (b + 1)
		flip := uint32(key.Uint64(above<<6|uint64(b)) >> 63)
		out |= (x>>b&1 ^ flip) << b
	}
	return out
}

// polynomial is a primitive polynomial over GF(2): degree s, inner
// coefficients a, and the first direction integers m.
type polynomial struct {
	s, a int
	m    []uint32
}

// joeKuo lists the second to twenty-first coordinates of new-joe-kuo-6.
func joeKuo() []polynomial {
	return []polynomial{
		{1, 0, []uint32{1}}, {2, 1, []uint32{1, 3}}, {3, 1, []uint32{1, 3, 1}}, {3, 2, []uint32{1, 1, 1}},
		{4, 1, []uint32{1, 1, 3, 3}}, {4, 4, []uint32{1, 3, 5, 13}}, {5, 2, []uint32{1, 1, 5, 5, 17}},
		{5, 4, []uint32{1, 1, 5, 5, 5}}, {5, 7, []uint32{1, 1, 7, 11, 19}}, {5, 11, []uint32{1, 1, 5, 1, 1}},
		{5, 13, []uint32{1, 1, 1, 3, 11}}, {5, 14, []uint32{1, 3, 5, 5, 31}}, {6, 1, []uint32{1, 3, 3, 9, 7, 49}},
		{6, 13, []uint32{1, 1, 1, 15, 21, 21}}, {6, 16, []uint32{1, 3, 1, 13, 27, 49}}, {6, 19, []uint32{1, 1, 1, 15, 7, 5}},
		{6, 22, []uint32{1, 3, 1, 15, 13, 25}}, {6, 25, []uint32{1, 1, 5, 5, 19, 61}},
		{7, 1, []uint32{1, 3, 7, 11, 23, 15, 103}}, {7, 4, []uint32{1, 3, 7, 13, 13, 15, 69}},
	}
}

// directions returns the direction numbers of n coordinates.
func directions(n int) [][32]uint32 {
	out := make([][32]uint32, n)
	for b := range 32 { // the first coordinate is the van der Corput sequence
		out[0][b] = 1 << (31 - b)
	}
	polys := joeKuo()
	for j := 1; j < n; j++ {
		if j > len(polys) {
			polys = append(polys, nextPolynomial(polys[len(polys)-1]))
		}
		out[j] = polys[j-1].directions()
	}
	return out
}

// directions runs the recurrence of the polynomial.
func (p polynomial) directions() [32]uint32 {
	var v [32]uint32
	for b := range 32 {
		if b < p.s {
			v[b] = p.m[b] << (31 - b)
			continue
		}
		v[b] = v[b-p.s] ^ v[b-p.s]>>p.s
		for k := 1; k < p.s; k++ {
			if p.a>>(p.s-1-k)&1 == 1 {
				v[b] ^= v[b-k]
			}
		}
	}
	return v
}

// nextPolynomial finds the primitive polynomial after p in the table's order.
func nextPolynomial(p polynomial) polynomial {
	q := polynomial{s: p.s, a: p.a + 1}
	for ; ; q.a++ {
		if q.a >= 1<<(q.s-1) {
			q.s, q.a = q.s+1, 0
		}
		if primitive(q.s, q.a) {
			break
		}
	}
	k := NewKey(uint64(q.s), uint64(q.a))
	for b := range q.s {
		q.m = append(q.m, uint32(k.IntN(uint64(b), 1<<b))<<1|1)
	}
	return q
}

// primitive reports whether x generates all 2^s-1 non-zero elements modulo the
// polynomial, by counting: s is small.
func primitive(s, a int) bool {
	poly := uint32(1)<<s | uint32(a)<<1 | 1
	if bits.OnesCount32(poly)%2 == 0 {
		return false
	}
	x := uint32(1)
	for n := 1; ; n++ {
		x <<= 1
		if x>>s&1 == 1 {
			x ^= poly
		}
		if x == 1 {
			return n == 1<<s-1
		}
	}
}
