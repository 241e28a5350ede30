// Package rng holds counter-based random numbers, and a scrambled Sobol sequence: a draw is a pure
// function of a key, never of how many draws came before it. Two runs that differ in one
// setting therefore see the same task times, failures and arrivals, and
// comparisons are paired (common random numbers).
//
// A key is (seed, purpose, a, b, c); purposes are small constants declared by
// the caller. The mixing function is SplitMix64's finaliser (Steele, Lea,
// Flood, OOPSLA 2014), applied once per key word.
package rng

import (
	"math"
	"math/bits"
)

// Key identifies one stream of draws of one run.
type Key uint64

// NewKey derives the key of a purpose from a run's seed.
func NewKey(seed uint64, purpose uint64) Key {
	return Key(mix(mix(seed+golden) ^ (purpose+1)*golden))
}

// At derives the key of an entity (job, task, attempt, node …) below k.
func (k Key) At(i uint64) Key { return Key(mix(uint64(k) + (i+1)*golden)) }

// Uint64 returns the draw with number i.
func (k Key) Uint64(i uint64) uint64 { return mix(uint64(k) ^ mix(i*golden+golden)) }

// Float64 returns draw i, uniform in [0, 1).
func (k Key) Float64(i uint64) float64 { return float64(k.Uint64(i)>>11) / (1 << 53) }

// Open returns draw i, uniform in (0, 1): safe under a logarithm.
func (k Key) Open(i uint64) float64 { return (float64(k.Uint64(i)>>11) + 0.5) / (1 << 53) }

// Exp returns draw i, exponential with mean 1.
func (k Key) Exp(i uint64) float64 { return -math.Log(k.Open(i)) }

// Norm returns draw i, standard normal (Box–Muller, cosine branch; uses the
// two uniform draws 2i and 2i+1 of k's normal stream).
func (k Key) Norm(i uint64) float64 {
	n := Key(uint64(k) ^ normal)
	return math.Sqrt(-2*math.Log(n.Open(2*i))) * math.Cos(2*math.Pi*n.Float64(2*i+1))
}

// IntN returns draw i, uniform in [0, n); n must be positive. The bias of the
// multiply-shift method is below n/2^64.
func (k Key) IntN(i uint64, n int) int {
	hi, _ := bits.Mul64(k.Uint64(i), uint64(n))
	return int(hi)
}

// Stream is a sequence of draws of one key, for code that needs a running
// generator. It implements math/rand/v2.Source.
type Stream struct {
	key Key
	i   uint64
}

// NewStream starts the sequence of a key.
func NewStream(k Key) *Stream { return &Stream{key: k} }

// Uint64 returns the next draw.
func (s *Stream) Uint64() uint64 {
	v := s.key.Uint64(s.i)
	s.i++
	return v
}

const (
	golden = 0x9e3779b97f4a7c15
	normal = 0xd1b54a32d192ed03
)

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
