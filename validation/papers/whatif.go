package papers

import (
	"fmt"
	"slices"
	"strings"
)

// Experiments: rows that stay missed, with one assumption changed after looking at
// them. Every counted row of the sections that the assumption touches is run again
// and held against the same rule, so that what it loses stands beside what it gains.
// Nothing of it is counted.

// under is a runner that changes what is run: every trial before it is measured.
func (r *runner) under(change func(t trial) (trial, error)) *runner {
	out := newRunner(r.ctx, r.opt)
	out.change, out.done = change, r.done
	return out
}

// sections returns those of a paper by their ids, run once; with them come others that
// the same runs fill.
func (r *runner) sections(paper string, ids ...string) ([]Section, error) {
	want := map[string]bool{}
	for _, id := range ids {
		want[id] = true
	}
	var out []Section
	for _, e := range experiments() {
		if e.paper != paper || !anyOf(e.ids, want) {
			continue
		}
		s, err := r.fill(e)
		if err != nil {
			return nil, err
		}
		for i := range s {
			if want[s[i].ID] {
				out = append(out, s[i])
			}
		}
	}
	return out, nil
}

// fill runs an experiment, once.
func (r *runner) fill(e experiment) ([]Section, error) {
	key := e.paper + " " + e.ids[0]
	if s, ok := r.filled[key]; ok {
		return s, nil
	}
	s, err := e.run(r)
	if err != nil {
		return nil, fmt.Errorf("reproducing %s, %s: %w", e.paper, strings.Join(e.ids, ", "), err)
	}
	for i := range s {
		s[i].constantNull()
	}
	r.filled[key] = s
	return s, nil
}

// What an experiment does to a row's verdict.
const (
	gained     = "met here, missed without"
	lost       = "missed here, met without"
	stillMet   = "met with and without"
	stillLost  = "missed with and without"
	afterwards = "chosen after looking, no verdicts"
)

// whatIf adds the counted rows of sections as the changed runner has them, and says
// which of them the assumption gains and loses.
func (s *Section) whatIf(r, changed *runner, ids ...string) error {
	base, err := r.sections(s.Paper, ids...)
	if err != nil {
		return err
	}
	changed.done = r.done
	other, err := changed.sections(s.Paper, ids...)
	if err != nil {
		return err
	}
	r.done = changed.done
	did := map[string][]string{}
	for i := range base {
		for k := range base[i].Rows {
			b, o := &base[i].Rows[k], &other[i].Rows[k] // both fill the same rows
			if !b.Counted() {
				continue
			}
			note := effect(b, o)
			s.show(rowOf(base[i].ID, b.What), b.Unit, b.Published, o.Ours)
			s.last().Rule, s.last().Note = b.Rule, note
			did[note] = append(did[note], base[i].ID)
		}
	}
	s.Notes = append(s.Notes, fmt.Sprintf("Rows met here and missed without: %s. Rows missed here and met without: %s.", tallied(did[gained]), tallied(did[lost])))
	return nil
}

// rowOf names a row of another section.
func rowOf(id, what string) string { return id + ": " + what }

func effect(base, other *Row) string {
	switch was, is := base.Verdict == Met, other.Verdict == Met; {
	case was && is:
		return stillMet
	case was:
		return lost
	case is:
		return gained
	}
	return stillLost
}

// tallied counts the rows of each section: "3 (figure 1, figure 6 2)".
func tallied(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	n := map[string]int{}
	for _, id := range ids {
		n[id]++
	}
	var parts []string
	for _, id := range ids {
		part := id
		if n[id] > 1 {
			part += fmt.Sprintf(" (%d)", n[id])
		}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return fmt.Sprintf("%d: %s", len(ids), strings.Join(parts, ", "))
}
