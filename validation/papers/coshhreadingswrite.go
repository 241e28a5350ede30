package papers

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// WriteCoshhReadings writes the readings into a folder: coshh-readings.md with a line per
// reading, and coshh-readings.csv with every row that counts under any of them.
func WriteCoshhReadings(dir string, readings []CoshhOutcome, p Provenance) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "coshh-readings.md"), coshhReadingsText(readings, p), 0o644); err != nil {
		return err
	}
	table, err := coshhReadingsCSV(readings)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "coshh-readings.csv"), table, 0o644)
}

func coshhReadingsText(readings []CoshhOutcome, p Provenance) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# COSHH under every reading of its set-up\n\n`%s`, seed %d, version %s.\n\n", p.Command, p.Seed, p.Version)
	b.WriteString("Table 4's clusters are hundreds of times larger than the six resources, and three storages as printed take hours for a block, so that ")
	b.WriteString("the text contradicts itself whatever is run. Every table and figure is run and judged under each reading with one rule for all of them; the first is the one of ")
	b.WriteString("[coshh.md](coshh.md). Which sentences of the text a reading contradicts stands by their numbers below; all readings were seen before one was taken. ")
	b.WriteString("All rows: [coshh-readings.csv](coshh-readings.csv).\n\n")
	b.WriteString("| reading | what it is | claims met | of | magnitudes met | of | headlines met (figure, against) | sentences contradicted | which |\n|---|---|---|---|---|---|---|---|---|\n")
	for i := range readings {
		o := &readings[i]
		t := Total(o.Sections)
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %s | %d | %s |\n", o.Key, o.Doc, t.ClaimsMet, t.Claims, t.MagnitudesMet, t.Magnitudes, o.headlines(), len(o.Contradicts), numbers(o.Contradicts))
	}
	b.WriteString("\n| | sentence (in other words) | where | about |\n|---|---|---|---|\n")
	for i, s := range coshhSentences() {
		about := "set-up"
		if s.Outcome {
			about = "results"
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s |\n", i+1, s.Text, s.Where, about)
	}
	return b.Bytes()
}

func numbers(n []int) string {
	var out []string
	for _, v := range n {
		out = append(out, strconv.Itoa(v))
	}
	return strings.Join(out, ", ")
}

// coshhReadingsCSV has a line per row that counts and a pair of columns per reading.
func coshhReadingsCSV(readings []CoshhOutcome) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := []string{"section", "kind", "what", "unit", "published", "rule"}
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
				other := &readings[n].Sections[i].Rows[k] // all readings fill the same rows
				line = append(line, digits(other.Ours.Mean), string(other.Verdict))
			}
			lines = append(lines, line)
		}
	}
	err := w.WriteAll(lines)
	return b.Bytes(), err
}

// readingsBeside tells, from a folder's coshh-readings.csv, how many rows the primary
// reading of COSHH meets and how many the one that meets most, which is chosen by its rows
// alone; nothing where there are no readings.
func readingsBeside(dir, paper string) string {
	if paper != "coshh" {
		return ""
	}
	lines := readReadings(dir).lines
	if lines == nil {
		return ""
	}
	count := func(column int) (t Tally) {
		for _, l := range lines[1:] {
			met := 0
			if l[column+1] == string(Met) {
				met = 1
			}
			if l[1] == string(Claim) {
				t.Add(Tally{Claims: 1, ClaimsMet: met})
			} else {
				t.Add(Tally{Magnitudes: 1, MagnitudesMet: met})
			}
		}
		return t
	}
	best := readingColumn
	for c := readingColumn; c+1 < len(lines[0]); c += 2 {
		if a, b := count(c), count(best); a.ClaimsMet+a.MagnitudesMet > b.ClaimsMet+b.MagnitudesMet {
			best = c
		}
	}
	return fmt.Sprintf(" [Side by side](coshh-readings.md), in one run of all readings: %q, the primary one by the sentences of the text, %s; %q, which meets most and would be chosen after looking, %s.",
		lines[0][readingColumn], count(readingColumn), lines[0][best], count(best))
}

// PrintCoshhReadings is the table of readings as plain lines.
func PrintCoshhReadings(readings []CoshhOutcome) string {
	var b strings.Builder
	for i := range readings {
		o := &readings[i]
		fmt.Fprintf(&b, "%-34s %s; contradicts %d sentences (%s)\n", o.Key, Total(o.Sections), len(o.Contradicts), numbers(o.Contradicts))
	}
	return b.String()
}
