package papers

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

// Provenance is the origin that every results page states.
type Provenance struct {
	Command, Version string
	Seed             uint64
}

// Write puts sections into a folder: per paper a page and a CSV file with all rows, and, when
// all papers are there, a README with the counts. Papers that are not among the sections keep
// their files.
func Write(dir string, sections []Section, p Provenance) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var pages []*page
	for _, line := range paperList() {
		own := &page{Paper: line["paper"], Title: line["title"], Summary: line["summary"], Provenance: p}
		for i := range sections {
			if s := &sections[i]; s.Paper == own.Paper {
				own.Sections = append(own.Sections, *s)
			}
		}
		if own.Sections == nil {
			continue
		}
		own.fillHeadlines()
		if err := own.write(dir); err != nil {
			return err
		}
		pages = append(pages, own)
	}
	if len(pages) < len(paperList()) {
		return nil
	}
	return writeTemplate(filepath.Join(dir, "README.md"), "README.md",
		map[string]any{"Provenance": p, "Pages": pages, "Total": Total(sections)})
}

// Statements returns the lines of data/statements.csv: what the paper says, and whether the
// set-up follows it.
func (p *page) Statements() []record {
	return slices.DeleteFunc(records("statements", p.Paper), func(r record) bool { return r["paper"] != p.Paper })
}

// page is a paper's page.
type page struct {
	Paper, Title, Summary string
	Provenance            Provenance
	Sections              []Section
	Headlines             []headline
	HeadlinesMet          int
}

// Total counts the page's rows.
func (p *page) Total() Tally { return Total(p.Sections) }

// write writes the page and the rows.
func (p *page) write(dir string) error {
	if err := writeTemplate(filepath.Join(dir, p.Paper+".md"), "paper.md", p); err != nil {
		return err
	}
	table, err := CSV(p.Sections)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, p.Paper+".csv"), table, 0o644)
}

// Reason is why rows of the section are missed; empty if none is.
func (s *Section) Reason() string {
	if !s.Missed() {
		return ""
	}
	return reason(s.Paper, s.ID)
}

// reason returns the line of data/reasons.csv for a section.
func reason(paper, id string) string {
	for _, line := range reasonList() {
		if line["paper"] == paper && line["section"] == id {
			return line["reason"]
		}
	}
	return ""
}

// Tables of the pages.
var (
	paperList  = table("papers")
	reasonList = table("reasons")
	headlines  = table("headlines")
	templates  = sync.OnceValue(func() *template.Template {
		functions := template.FuncMap{"number": Number, "interval": Interval, "inc": func(i int) int { return i + 1 }}
		return template.Must(template.New("").Funcs(functions).ParseFS(files, "data/*.tmpl"))
	})
)

// writeTemplate fills the template NAME.tmpl of data/ into a file.
func writeTemplate(file, name string, data any) error {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// headline is a row that a paper stands for.
type headline struct {
	Name    string
	Section string
	*Row
	Reason string // why it is missed, empty if it is not
}

// fillHeadlines finds the rows of data/headlines.csv: one, or all counted rows of a section.
func (p *page) fillHeadlines() {
	for _, line := range headlines() {
		for i := range p.Sections {
			s := &p.Sections[i]
			if line["paper"] != p.Paper || line["section"] != s.ID {
				continue
			}
			for k := range s.Rows {
				r := &s.Rows[k]
				if !r.Counted() || line["row"] != "" && line["row"] != r.What {
					continue
				}
				why := ""
				if r.Verdict == Met {
					p.HeadlinesMet++
				} else {
					why = s.Reason()
				}
				p.Headlines = append(p.Headlines, headline{line["name"], s.ID, r, why})
			}
		}
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

// CSV returns the rows of sections of a paper as comma-separated values, all digits kept.
// A claim or magnitude is counted if the column "why" (why not) is empty.
func CSV(sections []Section) ([]byte, error) {
	head := "section,kind,row,unit,published,ours,low,high,n,rule,verdict,why"
	rows := [][]string{strings.Split(head, ",")}
	for i := range sections {
		for k := range sections[i].Rows {
			r := &sections[i].Rows[k]
			rows = append(rows, []string{
				sections[i].ID, string(r.Kind), r.What, r.Unit, digits(r.Published),
				digits(r.Ours.Mean), digits(r.Ours.Low), digits(r.Ours.High),
				strconv.Itoa(r.Ours.N), r.Rule, string(r.Verdict), r.Uncounted(),
			})
		}
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

func digits(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
