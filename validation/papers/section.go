package papers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"schedtune/datasets"
)

// Section is one table or figure.
type Section struct {
	Paper  string   `json:"paper"`
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Source string   `json:"source"` // where in the paper
	Setup  string   `json:"setup"`  // data sets, schedulers, replications
	Rows   []Row    `json:"rows"`
	Notes  []string `json:"notes"`
	// Seen names the choices of the set-up that were made after results of the section
	// were known (datasets.Choice.Seen).
	Seen []string `json:"seen"`
}

// fill returns a section with its rows.
func (r *runner) fill(paper, id string) (s *Section, err error) {
	what := "" // the row under way
	defer func() {
		if err != nil {
			err = fmt.Errorf("reproducing %s, %s, %s: %w", paper, id, what, err)
		}
	}()
	defer caught(&err)
	s = newSection(paper, id)
	for _, line := range records("rows-"+paper, paper) {
		if line["section"] == id {
			what = line["what"]
			r.addRow(s, line)
		}
	}
	s.constantNull()
	return s, nil
}

// newSection returns a section without rows.
// Title and source are those of the published table where data/sections.csv has none.
func newSection(paper, id string) *Section {
	for _, line := range sectionList() {
		if line["paper"] != paper || line["id"] != id {
			continue
		}
		s := &Section{Paper: paper, ID: id, Title: line["title"], Source: line["source"], Setup: line["setup"],
			Rows: []Row{}, Notes: []string{}, Seen: append([]string{}, datasets.Seen(paper, id)...)}
		if s.Title == "" {
			_, number, _ := strings.Cut(id, " ")
			t := must(datasets.Published(paper, number))
			s.Title, s.Source = t.Title, t.Source
			if t.Note != "" {
				s.Notes = append(s.Notes, "In the source: "+t.Note+".")
			}
		}
		if line["note"] != "" {
			s.Notes = append(s.Notes, line["note"])
		}
		return s
	}
	panic(failed{fmt.Errorf("section %s of %s: not in data/sections.csv", id, paper)})
}

// addRow evaluates and judges a row of data/rows-PAPER.csv.
func (r *runner) addRow(s *Section, line record) {
	row := Row{What: line["what"], Unit: line["unit"], Kind: Kind(line["kind"]), Verdict: Shown}
	row.Note, row.group = line["note"], line["group"]
	ours, published := &scope{r, s, false}, &scope{r, s, true}
	row.Ours, row.Published = ours.eval(line["ours"]).Estimate, math.NaN()
	if text := line["published"]; text != "" {
		if text == "=" {
			text = line["ours"]
		}
		row.Published = published.eval(text).Mean
	}
	if line["rule"] != "" {
		row.rule = parseRule(line["rule"], row.Published)
		row.Rule, row.Verdict = row.rule.text, verdict(row.rule.met(row.Ours))
		row.Apart = ours.apart(line, row.rule)
	}
	s.Rows = append(s.Rows, row)
}

// apart returns why a row is not evidence, empty if it is: its null model "NAME=VALUE" meets
// the rule, or the column "apart" says so, for all "TEXT if EXPRESSION<NUMBER".
func (x *scope) apart(line record, rule *rule) string {
	null := line["null"] // "none" for claims of no effect, which that model is
	if null == "" && Kind(line["kind"]) == Claim {
		null = "no effect=0"
	}
	if name, value, ok := strings.Cut(null, "="); ok && rule.met(exact(x.eval(value).Mean)) {
		return "null model: " + name
	}
	text, condition, ok := strings.Cut(line["apart"], " if ")
	if !ok {
		return text
	}
	expression, limit, _ := strings.Cut(condition, "<")
	f := x.eval(expression)
	if f.Mean >= must(strconv.ParseFloat(limit, 64)) {
		return ""
	}
	return fmt.Sprintf("%s (%.2f)", text, f.Mean)
}

// group returns ours and the published figures of the rows of a group.
func (s *Section) group(name string) (ours, published []float64) {
	for i := range s.Rows {
		if r := &s.Rows[i]; r.group == name {
			ours, published = append(ours, r.Ours.Mean), append(published, r.Published)
		}
	}
	return ours, published
}
