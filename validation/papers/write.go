package papers

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"schedtune/datasets"
)

// Provenance is what every results file says about its origin.
type Provenance struct {
	Command, Version string
	Seed             uint64
}

// Write puts sections into a folder: per paper a Markdown and a CSV file and a
// folder of charts, and, when all papers are there, a README that counts what
// was met. Papers that are not among the sections keep their files.
func Write(dir string, sections []Section, p Provenance) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	complete := true
	for _, paper := range Papers() {
		var own []Section
		for _, s := range sections {
			if s.Paper == paper {
				own = append(own, s)
			}
		}
		if own == nil {
			complete = false
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, paper+".md"), markdown(paper, own, p), 0o644); err != nil {
			return err
		}
		table, err := CSV(own)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, paper+".csv"), table, 0o644); err != nil {
			return err
		}
		if err := writeCharts(filepath.Join(dir, paper), own); err != nil {
			return err
		}
	}
	if !complete {
		return nil
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), summary(dir, sections, p), 0o644)
}

func writeCharts(dir string, sections []Section) error {
	for i := range sections {
		for _, c := range sections[i].Charts {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, chartFile(&sections[i], c)), c.SVG, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func chartFile(s *Section, c Chart) string {
	return strings.ReplaceAll(s.ID, " ", "-") + "-" + c.Name + ".svg"
}

// titles of the papers.
var paperTitles = map[string]string{
	"coshh":    "COSHH: A Classification and Optimization based Scheduler for Heterogeneous Hadoop Systems (Rasooli, Down)",
	"learning": "Using Pattern Classification for Task Assignment in MapReduce (Dhok, Varma)",
	"omo":      "Optimizing Internal Overlaps by Self-Adjusting Resource Allocation in Multi-Stage Computing Systems (Yang et al.)",
	"coupling": "Coupling Task Progress for MapReduce Resource-Aware Scheduling (Tan, Meng, Zhang)",
	"thesis":   "Simulation and Performance Evaluation of Hadoop Capacity Scheduler (Chauhan)",
}

func markdown(paper string, sections []Section, p Provenance) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n`%s`, seed %d, version %s. %s.\n\n", paperTitles[paper], p.Command, p.Seed, p.Version, Total(sections))
	b.WriteString("Ours is the mean over replications with its 95 % interval (Student's t); reductions are paired by seed. ")
	b.WriteString("The rules and what is counted stand in [docs/validation.md](../../docs/validation.md).\n")
	choices(&b, paper)
	for i := range sections {
		s := &sections[i]
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s. %s.\n", strings.ToUpper(s.ID[:1])+s.ID[1:], s.Title, s.Source, s.Setup)
		if s.Measured {
			b.WriteString("Seconds spent in the scheduler are measured on the machine that ran this, differ from run to run and are not judged.\n")
		}
		if len(s.Seen) > 0 {
			fmt.Fprintf(&b, "Chosen after looking at rows of this section: %s.\n", strings.Join(s.Seen, ", "))
		}
		b.WriteString("\n| kind | what | unit | published | ours | 95 % interval | n | rule | verdict | not counted because |\n|---|---|---|---|---|---|---|---|---|---|\n")
		for _, r := range s.Rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Kind, r.What, r.Unit, Number(r.Published), Number(r.Ours.Mean), Interval(r.Ours), count(r.Ours), r.Rule, r.Verdict, r.Uncounted())
		}
		for _, n := range s.Notes {
			fmt.Fprintf(&b, "\n%s\n", n)
		}
		for _, c := range s.Charts {
			fmt.Fprintf(&b, "\n![%s](%s/%s)\n", s.Title, paper, chartFile(s, c))
		}
	}
	return b.Bytes()
}

// choices lists what the paper leaves open and what was chosen.
func choices(b *bytes.Buffer, paper string) {
	b.WriteString("\n| chosen | value | what the paper says (in other words) | where | when |\n|---|---|---|---|---|\n")
	for _, c := range datasets.Choices(paper) {
		when := "before looking at rows"
		if c.Seen {
			when = "after looking at rows"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", c.Key, c.Value, c.Ground, c.Source, when)
	}
}

// Number prints a figure with four significant digits, nothing for NaN.
func Number(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.Abs(v) >= 1000 && math.Abs(v) < 1e7:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Interval prints the 95 % interval, nothing without replications.
func Interval(e Estimate) string {
	if e.N < 2 || math.IsNaN(e.Low) {
		return ""
	}
	return Number(e.Low) + " to " + Number(e.High)
}

func count(e Estimate) string {
	if e.N < 2 {
		return ""
	}
	return strconv.Itoa(e.N)
}

// CSV returns the rows of sections as comma-separated values, all digits kept.
func CSV(sections []Section) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"paper", "section", "kind", "what", "unit", "published", "ours", "low", "high", "replications", "rule", "verdict", "counted", "apart", "note"}}
	for _, s := range sections {
		for _, r := range s.Rows {
			rows = append(rows, []string{s.Paper, s.ID, string(r.Kind), r.What, r.Unit, digits(r.Published), digits(r.Ours.Mean), digits(r.Ours.Low), digits(r.Ours.High),
				strconv.Itoa(r.Ours.N), r.Rule, string(r.Verdict), strconv.FormatBool(r.Counted()), r.Apart, r.Note})
		}
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

func digits(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Total counts the rows of sections that are evidence.
func Total(sections []Section) (t Tally) {
	for i := range sections {
		t.Add(sections[i].Count())
	}
	return t
}

func (t Tally) String() string {
	return fmt.Sprintf("%d of %d claims met, %d of %d magnitudes", t.ClaimsMet, t.Claims, t.MagnitudesMet, t.Magnitudes)
}

// summary counts what was met; dir may hold the readings of COSHH.
func summary(dir string, sections []Section, p Provenance) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The papers' tables and figures, reproduced\n\n`%s`, seed %d, version %s. %s.\n", p.Command, p.Seed, p.Version, Total(sections))
	b.Write(headlineTable(dir, sections))
	for _, paper := range Papers() {
		var own []Section
		for i := range sections {
			if sections[i].Paper == paper {
				own = append(own, sections[i])
			}
		}
		if own == nil {
			continue
		}
		fmt.Fprintf(&b, "\n## [%s](%s.md)\n\n%s.%s\n\n| section | title | claims met | of | magnitudes met | of | missed |\n|---|---|---|---|---|---|---|\n", paperTitles[paper], paper, Total(own), readingsBeside(dir, paper))
		for i := range own {
			s := &own[i]
			t := s.Count()
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %s |\n", s.ID, s.Title, t.ClaimsMet, t.Claims, t.MagnitudesMet, t.Magnitudes, missed(s))
		}
	}
	return b.Bytes()
}

// missed names the counted rows that were missed, the first four of many.
func missed(s *Section) string {
	var names []string
	n := 0
	for i := range s.Rows {
		if r := &s.Rows[i]; r.Verdict == Missed && r.Counted() {
			if n++; n <= 4 {
				names = append(names, r.What)
			}
		}
	}
	if n > 4 {
		names = append(names, fmt.Sprintf("and %d more", n-4))
	}
	return strings.Join(names, "; ")
}
