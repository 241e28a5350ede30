// Package remote evaluates a study's runs on more machines: over NATS
// JetStream, or as files of lines for any batch system.
//
// A run is a pure function of its item, so at-least-once delivery and a
// deterministic item id are enough: an outcome that comes twice, late, or after
// its worker was given up is the same outcome. Results are handed to the study
// in item order; its log is the only truth. What the items refer to, the study's
// package (queue file, cluster, workload, latencies), travels once, by content
// hash.
package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"schedtune/tune"
)

// Item is one run as it travels: a line of items.jsonl, a part of a chunk.
type Item struct {
	ID    string    `json:"id"`    // hash of the rest
	Code  string    `json:"code"`  // identity of the code that made it
	Study string    `json:"study"` // content hash of the study's package
	Run   tune.Item `json:"run"`
}

// Result is the outcome of an item: a line of results.jsonl.
type Result struct {
	ID      string       `json:"id"`
	Outcome tune.Outcome `json:"outcome"`
	Code    string       `json:"code,omitempty"` // in lines: identity of the code that ran it
}

// NewItem wraps a run of a study.
func NewItem(study string, run tune.Item) (Item, error) {
	code, err := CodeID()
	if err != nil {
		return Item{}, err
	}
	it := Item{Code: code, Study: study, Run: run}
	body, err := json.Marshal(it)
	if err != nil {
		return Item{}, err
	}
	it.ID = Hash(body)
	return it, nil
}

// check refuses an item that was changed on the way, or that other code or one
// with another study must not run.
func (it Item) check(study string) error {
	code, err := CodeID()
	if err != nil {
		return err
	}
	if it.Code != code {
		return fmt.Errorf("item %s was made by program version %.16q; this worker has %s", clip(it.ID), it.Code, code)
	}
	if it.Study != study {
		return fmt.Errorf("item %s belongs to study %s; this worker has %s", clip(it.ID), clip(it.Study), clip(study))
	}
	want, err := NewItem(it.Study, it.Run)
	if err != nil {
		return err
	}
	if want.ID != it.ID {
		return fmt.Errorf("item %s does not match its id", clip(it.ID))
	}
	return nil
}

// Hash is the content hash of data.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

func clip(s string) string { return s[:min(len(s), 12)] }

// chunk is what one message carries: items that take about a second together.
type chunk struct {
	ID    string `json:"id"`
	Reply string `json:"reply"` // subject of the results
	Items []Item `json:"items"`
}

// newChunk names a chunk by its items and its attempt: a chunk that has to be
// sent again is a new message.
func newChunk(reply string, items []Item, attempt int) chunk {
	h := sha256.New()
	for _, it := range items {
		h.Write([]byte(it.ID))
	}
	fmt.Fprintf(h, " %s %d", reply, attempt)
	return chunk{ID: hex.EncodeToString(h.Sum(nil)[:16]), Reply: reply, Items: items}
}

// answer is what a worker sends back for a chunk.
type answer struct {
	Chunk   string   `json:"chunk"`
	Results []Result `json:"results"`
	Worker  string   `json:"worker"`
	Nanos   int64    `json:"nanos"` // the chunk took, for the next chunk's size
}

// check compares an answer with the chunk it claims to be for. metrics, if any,
// are all that an outcome may hold.
func (a *answer) check(c *chunk, metrics []string) error {
	if !plainName(a.Worker) {
		return fmt.Errorf("the worker has no name")
	}
	if len(a.Results) != len(c.Items) {
		return fmt.Errorf("%d results for %d items", len(a.Results), len(c.Items))
	}
	for i, r := range a.Results {
		if r.ID != c.Items[i].ID {
			return fmt.Errorf("result %d is for item %s, not %s", i, clip(r.ID), clip(c.Items[i].ID))
		}
		if err := plausible(r.Outcome, metrics); err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
	}
	return nil
}

// maxMetric bounds what a run can measure: its times are at most 2^63 µs, and
// no count, share or rate is larger.
const maxMetric = 1e13

// maxLost bounds the pieces of work that a run tells as not done.
const maxLost = 1 << 20

// maxFailure bounds the text of a run without result, in bytes.
const maxFailure = 4096

// plausible refuses an outcome that no run can have. metrics, if any, are all
// it may hold.
func plausible(o tune.Outcome, metrics []string) error {
	switch {
	case o.Err == "" && len(o.Metrics) == 0:
		return errors.New("is empty")
	case o.Err != "" && len(o.Metrics)+len(o.Parts) > 0:
		return errors.New("a failed run has metrics")
	case len(o.Parts) > tune.MaxParts:
		return fmt.Errorf("%d part measurements: must be at most %d", len(o.Parts), tune.MaxParts)
	case len(o.Lost) > maxLost:
		return fmt.Errorf("%d lost jobs: must be at most %d", len(o.Lost), maxLost)
	case len(o.Err) > maxFailure:
		return fmt.Errorf("an error text of %d bytes: must be at most %d", len(o.Err), maxFailure)
	}
	for name, v := range o.Metrics {
		if metrics != nil && !slices.Contains(metrics, name) {
			return fmt.Errorf("metric %.80q is none of this study", name)
		}
		if !(math.Abs(v) <= maxMetric) {
			return fmt.Errorf("metric %.80q is %g: must be finite, at most %g", name, v, float64(maxMetric))
		}
	}
	if i := slices.IndexFunc(o.Parts, func(v float64) bool { return !(math.Abs(v) <= maxMetric) }); i >= 0 {
		return fmt.Errorf("part measurement %d is %g: must be finite, at most %g", i, o.Parts[i], float64(maxMetric))
	}
	return nil
}

// plainName reports whether a worker's name can be in a subject and on a
// terminal.
func plainName(s string) bool {
	ok := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return s != "" && len(s) <= 100 && !strings.ContainsFunc(s, func(r rune) bool { return !ok(r) })
}

// hostName is this machine's name as a worker's name has it.
func hostName() string {
	host, _ := os.Hostname() // a name for people; empty does no harm
	host = strings.Map(func(r rune) rune {
		if plainName(string(r)) {
			return r
		}
		return '-'
	}, host)
	return "h" + host[:min(len(host), 60)]
}

// encode writes a value as one JSON line without HTML escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
