package rng

import (
	"math"
	"math/bits"
	"testing"
)

// A table of starting numbers is one only if the polynomials are primitive and the
// numbers odd and below 2^k. Further polynomials follow in order: there are 18 primitive
// ones of degree 7 and 16 of degree 8 (Euler's function of 2^s - 1 by s).
func TestSobolPolynomials(t *testing.T) {
	polys := joeKuo()
	for len(polys) < 60 {
		polys = append(polys, nextPolynomial(polys[len(polys)-1]))
	}
	degrees := map[int]int{}
	for i, p := range polys {
		degrees[p.s]++
		if i > 0 && (p.s < polys[i-1].s || p.s == polys[i-1].s && p.a <= polys[i-1].a) {
			t.Errorf("polynomial %d of degree %d and %d follows %d and %d", i, p.s, p.a, polys[i-1].s, polys[i-1].a)
		}
		// x has order 2^s - 1: x^(2^s - 1) = 1 and no x^((2^s - 1)/q) for a prime q.
		order := 1<<p.s - 1
		if power(p, order) != 1 {
			t.Errorf("polynomial %d of degree %d: x does not have order %d", p.a, p.s, order)
		}
		for q := 2; q <= order; q++ {
			if order%q == 0 && (q == order && order > 1 || q < order) && power(p, order/q) == 1 {
				t.Errorf("polynomial %d of degree %d: x has order %d at most", p.a, p.s, order/q)
			}
		}
		if len(p.m) != p.s {
			t.Errorf("%d numbers for degree %d", len(p.m), p.s)
		}
		for b, m := range p.m {
			if m%2 == 0 || m >= 1<<(b+1) {
				t.Errorf("polynomial %d: number %d is %d", i, b, m)
			}
		}
	}
	if degrees[1] != 1 || degrees[2] != 1 || degrees[3] != 2 || degrees[4] != 2 || degrees[5] != 6 || degrees[6] != 6 ||
		degrees[7] != 18 || degrees[8] != 16 {
		t.Errorf("polynomials by degree: %v", degrees)
	}
}

// power is x^n modulo the polynomial.
func power(p polynomial, n int) uint32 {
	x := uint32(1)
	for range n {
		if x <<= 1; x>>p.s&1 == 1 {
			x ^= 1<<p.s | uint32(p.a)<<1 | 1
		}
	}
	return x
}

// Direction numbers are m_k/2^k with the recurrence of Joe and Kuo (2008), eq. 2:
// m_k = 2 a_1 m_(k-1) ^ … ^ 2^(s-1) a_(s-1) m_(k-s+1) ^ 2^s m_(k-s) ^ m_(k-s).
func TestSobolDirections(t *testing.T) {
	out := directions(30)
	for j, p := range append(joeKuo(), nextPolynomial(joeKuo()[19])) {
		m := make([]uint64, 33)
		for k := 1; k <= 32; k++ {
			if k <= p.s {
				m[k] = uint64(p.m[k-1])
			} else {
				m[k] = m[k-p.s]<<p.s ^ m[k-p.s]
				for i := 1; i < p.s; i++ {
					m[k] ^= uint64(p.a>>(p.s-1-i)&1) * m[k-i] << i
				}
			}
			if want := uint32(m[k] << (32 - k)); out[j+1][k-1] != want {
				t.Fatalf("coordinate %d, direction %d: %x, want %x", j+1, k, out[j+1][k-1], want)
			}
		}
	}
	s := &Sobol{dims: out}
	for i, want := range []float64{0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875} { // van der Corput
		if got := float64(s.raw(0, uint32(i))) / (1 << 32); got != want {
			t.Errorf("point %d: %v, want %v", i, got, want)
		}
	}
}

// Owen's scrambling keeps which digits two numbers share: the first that differs does
// so afterwards, and all before agree. Lower digits are flipped in half of the cases.
func TestOwenKeepsPrefixes(t *testing.T) {
	k := NewKey(3, 3)
	flips := 0
	for i := range uint64(2000) {
		x := uint32(k.Uint64(2 * i))
		y := x ^ uint32(k.Uint64(2*i+1))>>(i%32)
		if a, b := bits.LeadingZeros32(x^y), bits.LeadingZeros32(owen(x, k)^owen(y, k)); a != b {
			t.Fatalf("%x and %x share %d digits, scrambled %d", x, y, a, b)
		}
		flips += bits.OnesCount32((x ^ owen(x, k)) & 0xffff) // the upper ones share their draws
	}
	if share := float64(flips) / (16 * 2000); math.Abs(share-0.5) > 0.02 {
		t.Errorf("%.3f of the digits are flipped", share)
	}
}
