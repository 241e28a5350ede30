package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/datasets"
)

// Section is one table or figure.
type Section struct {
	Paper, ID, Title string
	Source           string // where in the paper
	Setup            string // data sets, schedulers, replications
	Rows             []Row
	Notes            []string
	Charts           []Chart
	// Seen names the choices of the set-up that were made after results of the section
	// were known (datasets.Choice.Seen).
	Seen []string
}

// fill returns a section with its rows.
func (r *runner) fill(paper, id string) (*Section, error) {
	s, err := newSection(paper, id)
	if err == nil {
		err = r.fillRows(s)
	}
	if err != nil {
		return nil, fmt.Errorf("reproducing %s, %s: %w", paper, id, err)
	}
	return s, nil
}

// newSection returns a section without rows.
// Title and source are those of the published table where data/sections.csv has none.
func newSection(paper, id string) (*Section, error) {
	for _, line := range sectionList() {
		if line["paper"] != paper || line["id"] != id {
			continue
		}
		s := &Section{Paper: paper, ID: id, Title: line["title"], Source: line["source"], Setup: line["setup"]}
		s.Seen = datasets.Seen(paper, id)
		if s.Title == "" {
			_, number, _ := strings.Cut(id, " ")
			t, err := datasets.Published(paper, number)
			if err != nil {
				return nil, err
			}
			s.Title, s.Source = t.Title, t.Source
			if t.Note != "" {
				s.Notes = append(s.Notes, "In the source: "+t.Note+".")
			}
		}
		if line["note"] != "" {
			s.Notes = append(s.Notes, line["note"])
		}
		return s, nil
	}
	return nil, fmt.Errorf("section %s of %s: not in data/sections.csv", id, paper)
}

// fillRows adds the rows of data/rows-PAPER.csv and the charts.
func (r *runner) fillRows(s *Section) error {
	lines, err := records("rows-"+s.Paper, s.Paper)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if line["section"] != s.ID {
			continue
		}
		if err := r.addRow(s, line); err != nil {
			return fmt.Errorf("%s: %w", line["what"], err)
		}
	}
	s.constantNull()
	return r.addCharts(s)
}

// addRow evaluates and judges a row.
func (r *runner) addRow(s *Section, line record) error {
	row := Row{What: line["what"], Unit: line["unit"], Kind: Kind(line["kind"]), Verdict: Shown}
	row.Note, row.group = line["note"], line["group"]
	ours, published := &scope{r, s, false}, &scope{r, s, true}
	f, err := ours.eval(line["ours"])
	if err != nil {
		return err
	}
	row.Ours, row.Published = f.Estimate, math.NaN()
	if text := line["published"]; text != "" {
		if text == "=" {
			text = line["ours"]
		}
		if f, err = published.eval(text); err != nil {
			return err
		}
		row.Published = f.Mean
	}
	if line["rule"] != "" {
		if row.rule, err = parseRule(line["rule"], row.Published); err != nil {
			return err
		}
		row.Rule, row.Verdict = row.rule.text, verdict(row.rule.met(row.Ours))
		if row.Apart, err = ours.apart(line, row.rule); err != nil {
			return err
		}
	}
	s.Rows = append(s.Rows, row)
	return nil
}

// apart returns why a row is not evidence, empty if it is: its null model "NAME=VALUE" meets
// the rule, or the column "apart" says so, for all "TEXT if EXPRESSION<NUMBER".
func (x *scope) apart(line record, rule *rule) (string, error) {
	null := line["null"] // "none" for claims of no effect, which that model is
	if null == "" && Kind(line["kind"]) == Claim {
		null = "no effect=0"
	}
	if name, value, ok := strings.Cut(null, "="); ok {
		f, err := x.eval(value)
		if err != nil {
			return "", err
		}
		if rule.met(exact(f.Mean)) {
			return "null model: " + name, nil
		}
	}
	text, condition, ok := strings.Cut(line["apart"], " if ")
	if !ok {
		return text, nil
	}
	expression, limit, _ := strings.Cut(condition, "<")
	f, err := x.eval(expression)
	most, wrong := strconv.ParseFloat(limit, 64)
	if err = cmp.Or(err, wrong); err != nil || f.Mean >= most {
		return "", err
	}
	return fmt.Sprintf("%s (%.2f)", text, f.Mean), nil
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

// row returns the row of that text, nil without it.
func (s *Section) row(what string) *Row {
	if i := slices.IndexFunc(s.Rows, func(r Row) bool { return r.What == what }); i >= 0 {
		return &s.Rows[i]
	}
	return nil
}
