package papers

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"schedtune/datasets"
	"schedtune/simcore"
)

// Every table and figure of COSHH under every reading of its set-up
// (datasets.CoshhReadings), each judged by the same rules, and the sentences of the paper
// that a reading contradicts.

// CoshhOutcome is the result of COSHH under a reading.
type CoshhOutcome struct {
	datasets.CoshhReading
	Sections    []Section
	Contradicts []int // lines of data/sentences.csv, from 1
}

// Total counts the rows of the reading.
func (o CoshhOutcome) Total() Tally { return Total(o.Sections) }

// CoshhReadings runs all readings.
func CoshhReadings(ctx context.Context, opt Options) ([]CoshhOutcome, error) {
	ids, err := Select("coshh", "")
	if err != nil {
		return nil, err
	}
	sentences, err := records("sentences", "coshh")
	if err != nil {
		return nil, err
	}
	var out []CoshhOutcome
	done := 0
	for _, reading := range datasets.CoshhReadings() {
		r := newRunner(ctx, opt)
		r.reading, r.judged, r.done = &reading, true, done
		o := CoshhOutcome{CoshhReading: reading}
		if o.Sections, err = r.sections("coshh", ids[1:]); err != nil { // all but the worked example
			return nil, fmt.Errorf("reading %q: %w", reading.Key, err)
		}
		for i, s := range sentences {
			holds, err := o.holds(s["check"])
			if err != nil {
				return nil, err
			}
			if !holds {
				o.Contradicts = append(o.Contradicts, i+1)
			}
		}
		out, done = append(out, o), r.done
	}
	return out, nil
}

// setupChecks are the sentences about the set-up, which depend on the reading alone.
var setupChecks = map[string]func(*CoshhOutcome) bool{
	"several tasks":     func(o *CoshhOutcome) bool { return o.Tasks != datasets.CoshhOne },
	"one block a map":   func(o *CoshhOutcome) bool { return o.Tasks == datasets.CoshhShorter },
	"printed work":      func(o *CoshhOutcome) bool { return o.Tasks != datasets.CoshhOne && o.Work == 1 },
	"printed storages":  func(o *CoshhOutcome) bool { return o.Printed() },
	"slots for 30 jobs": func(o *CoshhOutcome) bool { return o.eachTrace(firstRound) },
	"used shares":       func(o *CoshhOutcome) bool { return o.eachTrace(sharesAreUsed) },
}

// holds checks a sentence: one of setupChecks, or "PREFIX: RULE" for all rows that begin so,
// of which there must be some. Several are separated by |.
func (o *CoshhOutcome) holds(checks string) (bool, error) {
	for check := range strings.SplitSeq(checks, "|") {
		prefix, text, ok := strings.Cut(check, ": ")
		if !ok {
			if !setupChecks[check](o) {
				return false, nil
			}
			continue
		}
		rule, err := parseRule(text, 0)
		if err != nil {
			return false, err
		}
		found := false
		for i := range o.Sections {
			for k := range o.Sections[i].Rows {
				if r := &o.Sections[i].Rows[k]; strings.HasPrefix(r.What, prefix) {
					if found = true; !rule.met(exact(r.Ours.Mean)) {
						return false, nil
					}
				}
			}
		}
		if !found {
			return false, nil
		}
	}
	return true, nil
}

// eachTrace reports whether both traces' sets pass.
func (o *CoshhOutcome) eachTrace(pass func(*datasets.Set) bool) bool {
	for _, trace := range []string{"yahoo", "facebook"} {
		if s, err := o.Load("coshh-" + trace); err != nil || !pass(s) {
			return false
		}
	}
	return true
}

// firstRound reports whether the jobs in the order of submission ask for all 31 map slots at
// 20 to 50 jobs.
func firstRound(s *datasets.Set) bool {
	var slots, asked int64
	for i := range s.Cluster.Nodes {
		slots += s.Cluster.Nodes[i].Slots[simcore.MapSlots]
	}
	jobs := 0
	for ; jobs < len(s.Workload.Jobs) && asked < slots; jobs++ {
		asked += int64(s.Workload.Jobs[jobs].Maps)
	}
	return jobs >= 20 && jobs <= 50
}

// sharesAreUsed reports whether every user with a minimum share of 15 slots has a job with as
// many tasks.
func sharesAreUsed(s *datasets.Set) bool {
	most := make([]int32, len(s.Pools))
	for i := range s.Workload.Jobs {
		j := &s.Workload.Jobs[i]
		most[j.User] = max(most[j.User], j.Maps+j.Reduces)
	}
	for u, p := range s.Pools {
		if p.MinShare >= 15 && int(most[u]) < p.MinShare {
			return false
		}
	}
	return true
}

// WriteCoshhReadings writes the readings into a folder: coshh-readings.md with a line per
// reading, and coshh-readings.csv with every row that counts under any of them.
func WriteCoshhReadings(dir string, readings []CoshhOutcome, p Provenance) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	table, err := coshhReadingsCSV(readings)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, readingsFile), table, 0o644); err != nil {
		return err
	}
	sentences, err := records("sentences", "coshh")
	if err != nil {
		return err
	}
	return writeTemplate(filepath.Join(dir, "coshh-readings.md"), "readings.md", map[string]any{
		"Provenance": p, "Readings": readings, "Sentences": sentences,
		"Headlines": readReadings(dir).headlines(),
	})
}

// coshhReadingsCSV has a line per row that counts and a pair of columns per reading.
func coshhReadingsCSV(readings []CoshhOutcome) ([]byte, error) {
	head := []string{"section", "kind", "row", "unit", "published", "rule"}
	for i := range readings {
		head = append(head, readings[i].Key, readings[i].Key+": verdict")
	}
	lines := [][]string{head}
	for i := range readings[0].Sections {
		s := &readings[0].Sections[i]
		for k := range s.Rows {
			r := &s.Rows[k]
			if !r.Counted() {
				continue
			}
			line := []string{s.ID, string(r.Kind), r.What, r.Unit, digits(r.Published), r.Rule}
			for n := range readings {
				other := readings[n].Sections[i].row(r.What)
				line = append(line, digits(other.Ours.Mean), string(other.Verdict))
			}
			lines = append(lines, line)
		}
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(lines)
	return b.Bytes(), err
}

// PrintCoshhReadings returns the table of readings as plain lines.
func PrintCoshhReadings(readings []CoshhOutcome) string {
	var b strings.Builder
	for _, o := range readings {
		fmt.Fprintf(&b, "%-34s %s; contradicts %d sentences %v\n", o.Key, o.Total(), len(o.Contradicts), o.Contradicts)
	}
	return b.String()
}

// readingsFile is the table of readings in a folder of results.
const readingsFile = "coshh-readings.csv"

// readingTable is that table. A reading has its figure and its verdict, from readingColumn on.
type readingTable struct{ lines [][]string }

const readingColumn = 6

// readReadings reads the readings of a folder; none where there are none.
func readReadings(dir string) *readingTable {
	f, err := os.Open(filepath.Join(dir, readingsFile))
	if err != nil {
		return &readingTable{}
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) < 2 || len(lines[0]) < readingColumn+2 {
		return &readingTable{}
	}
	return &readingTable{lines}
}

// explain names the readings beside the primary one that meet a row, the first two of many.
func (t *readingTable) explain(id, what string) string {
	var parts []string
	for _, l := range t.lines {
		for c := readingColumn + 2; l[0] == id && l[2] == what && c+1 < len(l); c += 2 {
			if l[c+1] == string(Met) {
				parts = append(parts, fmt.Sprintf("%s: %s", t.lines[0][c], short(l[c])))
			}
		}
	}
	if len(parts) > 2 {
		parts = append(parts[:2], fmt.Sprintf("%d more", len(parts)-2))
	}
	return strings.Join(parts, "; ")
}

// short prints a figure of a table as Number does.
func short(digits string) string {
	var v float64
	if _, err := fmt.Sscan(digits, &v); err != nil {
		return digits
	}
	return Number(v)
}

// readingHeadlines is COSHH's headline rows under every reading.
type readingHeadlines struct {
	Rows     []string   // section and row
	Readings [][]string // name and figures, published first; met ones in bold
}

func (t *readingTable) headlines() (out readingHeadlines) {
	if t.lines == nil {
		return out
	}
	out.Readings = [][]string{{"published"}}
	for c := readingColumn; c+1 < len(t.lines[0]); c += 2 {
		out.Readings = append(out.Readings, []string{t.lines[0][c]})
	}
	for _, h := range headlines() {
		for _, l := range t.lines {
			if h["paper"] != "coshh" || l[0] != h["section"] || l[2] != h["row"] {
				continue
			}
			out.Rows = append(out.Rows, l[0]+", "+l[2])
			out.Readings[0] = append(out.Readings[0], short(l[4]))
			for c := readingColumn; c+1 < len(l); c += 2 {
				text := short(l[c])
				if l[c+1] == string(Met) {
					text = "**" + text + "**"
				}
				line := &out.Readings[1+(c-readingColumn)/2]
				*line = append(*line, text)
			}
		}
	}
	return out
}

// beside compares how many rows the primary reading of COSHH meets with the one that meets
// most, which is chosen by its rows alone; empty where there are no readings.
func (t *readingTable) beside() string {
	if t.lines == nil {
		return ""
	}
	count := func(column int) (t2 Tally) {
		for _, l := range t.lines[1:] {
			t2.count(Kind(l[1]), Verdict(l[column+1]))
		}
		return t2
	}
	best := readingColumn
	for c := readingColumn; c+1 < len(t.lines[0]); c += 2 {
		if a, b := count(c), count(best); a.ClaimsMet+a.MagnitudesMet > b.ClaimsMet+b.MagnitudesMet {
			best = c
		}
	}
	used, most := t.lines[0][readingColumn], t.lines[0][best]
	return fmt.Sprintf("%q (used): %s; %q (most rows met): %s.", used, count(readingColumn), most, count(best))
}
