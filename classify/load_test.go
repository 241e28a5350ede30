package classify

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"strings"
	"testing"
)

func TestLoadErrors(t *testing.T) {
	m, _ := NewGaussian(levels(1), Binary())
	var good bytes.Buffer
	Save(&good, m)
	for name, text := range map[string]string{
		"no JSON":        "{",
		"no format":      "{}",
		"count missing":  strings.Replace(good.String(), `"count"`, `"cuont"`, 1),
		"negative m2":    strings.Replace(good.String(), `"m2": [`, `"m2": [-1,`, 1),
		"no features":    strings.Replace(good.String(), `"features"`, `"f"`, 1),
		"bad smoothing":  strings.Replace(good.String(), `"prior_smoothing": 1`, `"prior_smoothing": -1`, 1),
		"other learner":  strings.Replace(good.String(), "gaussian-nb", "perceptron", 1),
		"other category": strings.Replace(good.String(), "gaussian-nb", "categorical-nb", 1),
	} {
		if _, err := Load(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzLoad: no text may panic, and what loads must be usable.
func FuzzLoad(f *testing.F) {
	for _, m := range fuzzModels() {
		var b bytes.Buffer
		Save(&b, m)
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Load(bytes.NewReader(raw))
		if err != nil {
			return
		}
		x := make([]float64, len(m.Features()))
		if err := m.Learn(x, 0); err != nil {
			t.Error(err)
		}
		Predict(m, x, make([]float64, len(m.ClassNames())))
		m.Influence()
	})
}

func fuzzModels() []Model {
	c, _ := NewCategorical(levels(2), Binary())
	g, _ := NewGaussian(levels(2), Binary())
	p, _ := NewPerceptron(levels(2), Binary(), true)
	return []Model{c, g, p}
}

// Every field of a saved model's state is looked at when it is loaded: one entry
// less or more, a text for a number and, where counts and sums cannot be, a
// negative number are refused; the untouched file and smoothings of 0 and 1/2
// are not.
func TestLoadChecksEveryField(t *testing.T) {
	negative := map[string]bool{"n": true, "sum_sq": true, "count": true, "counts": true, "smoothing": true,
		"var_smoothing": true, "prior_smoothing": true, "m2": true, "errors": true}
	for name, m := range models(t) {
		var saved bytes.Buffer
		if err := Save(&saved, m); err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(saved.Bytes(), &fields); err != nil {
			t.Fatal(err)
		}
		load := func(key string, v any) error {
			changed := map[string]any{}
			maps.Copy(changed, fields)
			changed[key] = v
			b, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Load(bytes.NewReader(b))
			return err
		}
		checked := 0
		for key, v := range fields {
			if err := load(key, v); err != nil {
				t.Errorf("%s: untouched: %v", name, err)
			}
			switch v := v.(type) {
			case []any:
				if _, ok := v[0].(float64); !ok || len(v) == 0 {
					continue
				}
				checked++
				if load(key, v[1:]) == nil || load(key, append([]any{0.0}, v...)) == nil {
					t.Errorf("%s: %s of another length loads", name, key)
				}
				if bad := append([]any{-1.0}, v[1:]...); negative[key] && load(key, bad) == nil {
					t.Errorf("%s: %s below 0 loads", name, key)
				}
			case float64:
				if !negative[key] {
					continue
				}
				if strings.Contains(key, "smoothing") {
					checked++
					for _, fine := range []float64{0, 0.5} {
						if err := load(key, fine); err != nil {
							t.Errorf("%s: %s = %v: %v", name, key, fine, err)
						}
					}
					if load(key, -0.5) == nil {
						t.Errorf("%s: %s = -0.5 loads", name, key)
					}
				}
			}
		}
		if checked < 2 {
			t.Errorf("%s: only %d fields seen: %v", name, checked, fields)
		}
	}
}

// A linear rule tells two classes apart: a saved one with another number of class
// names is refused, while the tables of the other kinds have to fit theirs.
func TestLoadChecksClassNames(t *testing.T) {
	for name, m := range models(t) {
		var saved bytes.Buffer
		if err := Save(&saved, m); err != nil {
			t.Fatal(err)
		}
		for _, classes := range []string{`["good"]`, `["good","overloaded","idle"]`, `[]`} {
			text := strings.Replace(compact(t, saved.Bytes()), `["good","overloaded"]`, classes, 1)
			if !strings.Contains(text, classes) {
				t.Fatalf("%s: no class names in %s", name, text)
			}
			if _, err := Load(strings.NewReader(text)); err == nil {
				t.Errorf("%s with classes %s was loaded", name, classes)
			}
		}
	}
}

func compact(t *testing.T, b []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A loaded model answers to the last bit as the one that was saved, also where
// values are missing, and learns on alike.
func TestLoadedModelsAnswerAlike(t *testing.T) {
	for name, m := range models(t) {
		if err := m.Learn([]float64{math.NaN(), 3}, 1); err != nil { // what is known of features differs by class
			t.Logf("%s: %v", name, err)
		}
		for range 2 {
			var saved bytes.Buffer
			if err := Save(&saved, m); err != nil {
				t.Fatal(err)
			}
			again, err := Load(&saved)
			if err != nil {
				t.Fatal(err)
			}
			for a := range 11 {
				for b := range 11 {
					x := []float64{float64(a), float64(b)}
					for i := range x {
						if x[i] == 10 {
							x[i] = math.NaN()
						}
					}
					for class, want := range m.LogOdds(x, nil) {
						if got := again.LogOdds(x, nil)[class]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
							t.Fatalf("%s, %v, class %d: %v, before it was saved %v", name, x, class, got, want)
						}
					}
				}
			}
			for _, k := range []Model{m, again} {
				if err := k.Learn([]float64{7, 2}, 1); err != nil {
					t.Fatal(err)
				}
			}
			m = again
		}
	}
}
