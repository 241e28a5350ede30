package fit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"schedtune/internal/bounded"
)

// Num is a number whose unknown value (NaN) is null in JSON.
type Num float64

// MarshalJSON writes null for NaN and infinities.
func (n Num) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// UnmarshalJSON reads null as NaN.
func (n *Num) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*n = Num(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// DecodeModel reads a model file, which holds one JSON document and nothing
// else.
func DecodeModel(r io.Reader, m any) error {
	b, err := bounded.ReadAll(r, bounded.Table)
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return errors.New("model: the file is empty; allowed: a model.json that fit has written")
	}
	if err := json.Unmarshal(b, m); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	return nil
}

func nums(v []float64) []Num {
	out := make([]Num, len(v))
	for i, x := range v {
		out[i] = Num(x)
	}
	return out
}

func floats(v []Num) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}
