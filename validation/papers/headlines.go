package papers

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// headline is a result that a paper stands for: a row, or all counted rows of a section
// where what is empty.
type headline struct{ name, paper, id, what string }

// headlines lists them.
func headlines() []headline {
	return []headline{
		{"COSHH, Yahoo!", "coshh", "figure 6", "COSHH below FIFO"},
		{"COSHH, Yahoo!", "coshh", "figure 6", "COSHH below Fair"},
		{"COSHH, Yahoo!, equal users", "coshh", "figure 10", "COSHH below Fair"},
		{"COSHH, Facebook", "coshh", "figure 5", "COSHH below FIFO"},
		{"COSHH, Facebook", "coshh", "figure 5", "COSHH below Fair"},
		{"COSHH, Facebook, equal users", "coshh", "figure 9", "COSHH below Fair"},
		{"OMO against YARN", "omo", "table 6", "OMO below YARN:2"},
		{"OMO against YARN", "omo", "table 6", "OMO below the others' mean"},
		{"OMO against FRESH", "omo", "figure 12", "OMO below FRESH, mean of five workloads"},
		{"OMO against FRESH, 40 nodes", "omo", "table 7", "OMO below FRESH"},
		{"learning, first and second run", "learning", "figure 8", "second run shorter than the first"},
		{"learning, first and second run", "learning", "figure 8", "the reduction from the first run to the second is the largest of the first six"},
		{"Coupling's job times, ten jobs", "coupling", "figure 6", "mean job time below Fair's"},
		{"Coupling's job times, sequence", "coupling", "figure 3", "mean job time below Fair's"},
		{"Coupling's job times, without reduces", "coupling", "figure 13", "mean job time below Fair's"},
		{"Coupling's job times, 200 jobs", "coupling", "figure 16", "mean job time below Fair's"},
		{"Coupling's starvation, two jobs", "coupling", "figure 1", "the wait under Coupling"},
		{"Coupling's starvation, sequence", "coupling", "table 4", "mean starvation below Fair's"},
		{"thesis, question 1", "thesis", "question 1", ""},
		{"thesis, question 2", "thesis", "question 2", ""},
		{"thesis, question 3", "thesis", "question 3", ""},
	}
}

// rows yields the counted rows of a headline with their sections.
func (h *headline) rows(sections []Section) iter.Seq2[*Section, *Row] {
	return func(yield func(*Section, *Row) bool) {
		for i := range sections {
			s := &sections[i]
			if s.Paper != h.paper || s.ID != h.id {
				continue
			}
			for k := range s.Rows {
				r := &s.Rows[k]
				if r.Counted() && (h.what == "" || r.What == h.what) && !yield(s, r) {
					return
				}
			}
		}
	}
}

// headlineTable writes the headlines, met or missed, and what explains a missed one: the
// experiments of its paper that hold its row (whatIf), or for COSHH the readings of dir.
func headlineTable(dir string, sections []Section) []byte {
	var b, rows bytes.Buffer
	readings := readReadings(dir)
	met, all, explained := 0, 0, 0
	for _, h := range headlines() {
		for s, r := range h.rows(sections) {
			all++
			by := ""
			if r.Verdict == Met {
				met++
			} else {
				var found bool
				if by, found = explanation(sections, readings, s, r); found {
					explained++
				}
			}
			fmt.Fprintf(&rows, "| %s | [%s](%s.md), %s | %s | %s | %s | %s | %s | %s | %s |\n", h.name, s.ID, s.Paper, r.What, r.Unit, Number(r.Published), Number(r.Ours.Mean), Interval(r.Ours), r.Rule, r.Verdict, by)
		}
	}
	if all == 0 {
		return nil
	}
	fmt.Fprintf(&b, "\n## Headlines\n\n%d of %d met; of the %d missed, %d come out in an experiment that changes one stated assumption after looking (for COSHH: under another reading of its set-up). ", met, all, all-met, explained)
	b.WriteString("Experiments are not counted; which rows each gains and loses stands in the paper's results.\n\n")
	b.WriteString("| headline | row | unit | published | ours | 95 % interval | rule | verdict | what would have to hold |\n|---|---|---|---|---|---|---|---|---|\n")
	b.Write(rows.Bytes())
	b.Write(readings.headlines())
	return b.Bytes()
}

// explanation names the experiments or readings that run a missed row, with what they
// give, and tells whether any meets its rule.
func explanation(sections []Section, readings *readingTable, s *Section, r *Row) (string, bool) {
	if s.Paper == "coshh" {
		return readings.explain(s.ID, r.What)
	}
	var parts []string
	found := false
	for i := range sections {
		e := &sections[i]
		name, ok := strings.CutPrefix(e.ID, "experiment ")
		if !ok || e.Paper != s.Paper {
			continue
		}
		for k := range e.Rows {
			if o := &e.Rows[k]; o.What == rowOf(s.ID, r.What) {
				outcome := "missed there too"
				if r.holds != nil && r.holds(o.Ours) {
					outcome, found = "met", true
				}
				parts = append(parts, fmt.Sprintf("[%s](%s.md): %s, %s", name, e.Paper, Number(o.Ours.Mean), outcome))
			}
		}
	}
	return strings.Join(parts, "; "), found
}

// readingTable is coshh-readings.csv.
type readingTable struct{ lines [][]string }

// readingColumn is the first reading's column; a reading has its figure and its verdict.
const readingColumn = 6

// readReadings reads the readings of a folder; none where there are none.
func readReadings(dir string) *readingTable {
	f, err := os.Open(filepath.Join(dir, "coshh-readings.csv"))
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

// line is the line of a row, nil without it.
func (t *readingTable) line(id, what string) []string {
	for _, l := range t.lines {
		if l[0] == id && l[2] == what {
			return l
		}
	}
	return nil
}

// explain lists the readings beside the primary one that meet a row, the first three of
// many.
func (t *readingTable) explain(id, what string) (string, bool) {
	l := t.line(id, what)
	var parts []string
	n := 0
	for c := readingColumn + 2; l != nil && c+1 < len(l); c += 2 {
		if l[c+1] != string(Met) {
			continue
		}
		if n++; n <= 3 {
			parts = append(parts, fmt.Sprintf("%s: %s", t.lines[0][c], short(l[c])))
		}
	}
	if n > 3 {
		parts = append(parts, fmt.Sprintf("%d more", n-3))
	}
	if n == 0 {
		return "", false
	}
	return "[readings](coshh-readings.md) " + strings.Join(parts, "; "), true
}

// short prints a figure of a table as Number does.
func short(digits string) string {
	var v float64
	if _, err := fmt.Sscan(digits, &v); err != nil {
		return digits
	}
	return Number(v)
}

// headlines is COSHH's rows under every reading.
func (t *readingTable) headlines() []byte {
	if len(t.lines) == 0 {
		return nil
	}
	var b bytes.Buffer
	var lines [][]string
	head, rule, published := "| reading |", "|---|", "| published |"
	for _, h := range coshhHeadlines() {
		if l := t.line(h.id, h.what); l != nil {
			lines = append(lines, l)
			head += fmt.Sprintf(" %s, %s |", h.id, h.what)
			rule += "---|"
			published += " " + short(l[4]) + " |"
		}
	}
	fmt.Fprintf(&b, "\nCOSHH's headlines under [every reading of its set-up](coshh-readings.md), %% lower; met ones in bold.\n\n%s\n%s\n%s\n", head, rule, published)
	most, by := 0, ""
	for c := readingColumn; c+1 < len(t.lines[0]); c += 2 {
		fmt.Fprintf(&b, "| %s |", t.lines[0][c])
		met := 0
		for _, l := range lines {
			if l[c+1] == string(Met) {
				if met++; met > most {
					most, by = met, t.lines[0][c]
				}
				fmt.Fprintf(&b, " **%s** |", short(l[c]))
			} else {
				fmt.Fprintf(&b, " %s |", short(l[c]))
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nThe most that one reading meets are %d of %d (%s).\n", most, len(lines), by)
	return b.Bytes()
}
