package cluster

import (
	"fmt"
	"math"
)

// Task-time predictor by lookup (Agarwal, Stoica, Chronos, 2010, as COSHH uses
// it in section 2.2): means of observed times in a table by class, input bytes
// and cluster utilisation. A cell without observations falls back to the class
// and size at any utilisation, then to the class with time proportional to
// size, then to all classes so.

const (
	sizeBins        = 64 // powers of two of the input bytes
	utilisationBins = 10
)

// Predictor is the lookup table. Make it with NewPredictor; it is not safe for
// concurrent use.
type Predictor struct {
	classes int
	cells   []moments // class, size, utilisation
	sizes   []moments // class, size
	all     []moments // class; one more for all classes
	perByte []moments // as all, of time per byte
}

// moments are a running mean and its count.
type moments struct{ n, mean float64 }

func (m *moments) add(x float64) {
	m.n++
	m.mean += (x - m.mean) / m.n
}

// NewPredictor returns an empty table for classes numbered 0 to classes-1, at most 65536.
// It takes 11 KiB a class.
func NewPredictor(classes int) (*Predictor, error) {
	if classes < 1 || classes > 1<<16 {
		return nil, fmt.Errorf("cluster: predictor of %d classes: must be 1 to 65536", classes)
	}
	return &Predictor{classes: classes, cells: make([]moments, classes*sizeBins*utilisationBins),
		sizes: make([]moments, classes*sizeBins), all: make([]moments, classes+1), perByte: make([]moments, classes+1)}, nil
}

// sizeBin is the binary logarithm of the input size, rounded down.
func sizeBin(bytes float64) int {
	if !(bytes >= 1) {
		return 0
	}
	return min(math.Ilogb(bytes), sizeBins-1)
}

// utilisationBin is the tenth of the utilisation; what is outside of 0 to 1 is
// cut, NaN counts as 0.
func utilisationBin(u float64) int {
	switch {
	case !(u > 0):
		return 0
	case u >= 1: // compared before it is made an int, which is undefined for large ones
		return utilisationBins - 1
	}
	return int(u * utilisationBins)
}

// Observe takes a task of a class that read bytes and took seconds while the
// cluster's utilisation (0 to 1) was as given.
func (p *Predictor) Observe(class int, bytes, utilisation, seconds float64) error {
	switch {
	case class < 0 || class >= p.classes:
		return fmt.Errorf("cluster: class %d: must be 0 to %d", class, p.classes-1)
	case !(seconds >= 0) || math.IsInf(seconds, 0):
		return fmt.Errorf("cluster: time is %v s: must be 0 or more", seconds)
	case !(bytes >= 0) || math.IsInf(bytes, 0) || math.IsNaN(utilisation):
		return fmt.Errorf("cluster: input of %v bytes at utilisation %v: must be 0 or more, a number", bytes, utilisation)
	}
	s := class*sizeBins + sizeBin(bytes)
	p.cells[s*utilisationBins+utilisationBin(utilisation)].add(seconds)
	p.sizes[s].add(seconds)
	for _, c := range [2]int{class, p.classes} {
		p.all[c].add(seconds)
		if bytes > 0 {
			p.perByte[c].add(seconds / bytes)
		}
	}
	return nil
}

// Predict returns the expected time in seconds and how many observations of
// the table it rests on; 0 and 0 for an empty table. A class out of range is
// looked up among all.
func (p *Predictor) Predict(class int, bytes, utilisation float64) (seconds float64, observations int) {
	if p.classes == 0 {
		return 0, 0 // the zero value
	}
	if class >= 0 && class < p.classes {
		s := class*sizeBins + sizeBin(bytes)
		for _, m := range [2]moments{p.cells[s*utilisationBins+utilisationBin(utilisation)], p.sizes[s]} {
			if m.n > 0 {
				return m.mean, int(m.n)
			}
		}
	} else {
		class = p.classes
	}
	for _, c := range [2]int{class, p.classes} {
		if m := p.perByte[c]; m.n > 0 && bytes > 0 {
			return m.mean * bytes, int(m.n)
		}
		if m := p.all[c]; m.n > 0 {
			return m.mean, int(m.n)
		}
	}
	return 0, 0
}
