package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/study"
	"schedtune/tune"
)

// apart reports whether before and after are of the trace again and gains of similar workloads.
func (sum *Summary) apart() bool {
	return slices.ContainsFunc(sum.Gain, func(g tune.Gain) bool { return g.Again != nil })
}

// byShare lists the changed settings by the share of the gain that they carry, those of which
// it was not measured by the spread of scores that they explain; then the other settings.
func (sum *Summary) byShare() (names []string) {
	spread := map[string]float64{}
	for _, i := range sum.Importance {
		spread[i.Name] = i.Share
	}
	changed := slices.Clone(sum.found().Changes)
	slices.SortStableFunc(changed, func(a, b Change) int {
		return cmp.Or(byMeasured(a, b), cmp.Compare(spread[unitOf(b)], spread[unitOf(a)]))
	})
	for _, c := range changed {
		names = append(names, c.Setting)
	}
	for _, i := range sum.Importance {
		if !slices.Contains(names, i.Name) {
			names = append(names, i.Name)
		}
	}
	return names
}

// byMeasured orders changes by the share of the gain that they carry, those of which it was not
// measured last.
func byMeasured(a, b Change) int {
	none := new(float64)
	return cmp.Compare(*cmp.Or(b.Share, none), *cmp.Or(a.Share, none))
}

// valueOf is a setting's value as a number, NaN if it is none.
func valueOf(c Configuration, name string) float64 {
	text, _ := c.Settings.Get(name)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// moves says what a change does to what its queue is granted, as far as that is
// one figure; "" where it is not.
func (sum *Summary) moves(c *Change) string {
	if c.Setting == study.Slowstart {
		return fmt.Sprintf("reduces start at %s of the maps done, not at %s", share(c.To), share(c.From))
	}
	at := strings.LastIndexByte(c.Setting, '.')
	row, ok := map[string]int{"capacity": 0, "maximum-capacity": 1, "user-limit-factor": 2,
		"minimum-user-limit-percent": 2, "maximum-am-resource-percent": 3}[c.Setting[at+1:]]
	if !ok || at < 0 {
		return ""
	}
	for i := range sum.Terms {
		if rows := termsRows(&sum.Terms[i]); sum.Terms[i].Queue == c.Setting[:at] && row < len(rows) &&
			rows[row].before != rows[row].after {
			return rows[row].Name + " " + rows[row].Text()
		}
	}
	return ""
}

// share is a fraction in percent.
func share(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(math.Round(1000*v)/10, 'f', -1, 64) + " %"
}
