package trace

import "strings"

// swimClass is one row of the papers' tables of job classes found by k-means:
// bytes and task-seconds of a typical job.
type swimClass struct {
	jobs                      float64 // how many the paper's trace has
	input, shuffle, output    float64 // bytes
	duration                  float64 // seconds of the job
	mapSeconds, reduceSeconds float64 // task-seconds
	label                     string
}

// swimClasses is one table.
type swimClasses struct {
	name    string
	classes []swimClass
}

// Binary units, as the papers' tools print them.
const (
	kb = 1 << 10
	mb = 1 << 20
	gb = 1 << 30
	tb = 1 << 40
)

// swimTable chooses the table by the file's name; FB-2009 is the default.
func swimTable(file string) *swimClasses {
	if strings.Contains(file, "2010") {
		return &swimClasses{"FB-2010 (Chen, Alspaugh, Katz, VLDB 2012)", []swimClass{
			{1145663, 6.9 * mb, 600, 60 * kb, 60, 48, 34, "small jobs"},
			{7911, 50 * gb, 0, 61 * gb, 8 * 3600, 60664, 0, "map-only transform, 8 h"},
			{779, 3.6 * tb, 0, 4.4 * tb, 45 * 60, 3081710, 0, "map-only transform, 45 min"},
			{670, 2.1 * tb, 0, 2.7 * gb, 80 * 60, 9457592, 0, "map-only aggregate"},
			{104, 35 * gb, 0, 3.5 * gb, 72 * 3600, 198436, 0, "map-only transform, 3 days"},
			{11491, 1.5 * tb, 30 * gb, 2.2 * gb, 30 * 60, 1112765, 387191, "aggregate"},
			{1876, 711 * gb, 2.6 * tb, 860 * gb, 2 * 3600, 1618792, 2056439, "transform, 2 h"},
			{454, 9.0 * tb, 1.5 * tb, 1.2 * tb, 3600, 1795682, 818344, "aggregate and transform"},
			{169, 2.7 * tb, 12 * tb, 260 * gb, 127 * 60, 2862726, 3091678, "expand and aggregate"},
			{67, 630 * gb, 1.2 * tb, 140 * gb, 18 * 3600, 1545220, 18144174, "transform, 18 h"},
		}}
	}
	return &swimClasses{"FB-2009 (Chen, Ganapathi, Griffith, Katz, MASCOTS 2011)", []swimClass{
		{1081918, 21 * kb, 0, 871 * kb, 32, 20, 0, "small jobs"},
		{37038, 381 * kb, 0, 1.9 * gb, 21 * 60, 6079, 0, "load, fast"},
		{2070, 10 * kb, 0, 4.2 * gb, 110 * 60, 26321, 0, "load, slow"},
		{602, 405 * kb, 0, 447 * gb, 70 * 60, 66657, 0, "load, large"},
		{180, 446 * kb, 0, 1.1 * tb, 305 * 60, 125662, 0, "load, huge"},
		{6035, 230 * gb, 8.8 * gb, 491 * mb, 15 * 60, 104338, 66760, "aggregate, fast"},
		{379, 1.9 * tb, 502 * mb, 2.6 * gb, 30 * 60, 348942, 76736, "aggregate and expand"},
		{159, 418 * gb, 2.5 * tb, 45 * gb, 85 * 60, 1076089, 974395, "expand and aggregate"},
		{793, 255 * gb, 788 * gb, 1.6 * gb, 35 * 60, 384562, 338050, "transform"},
		{19, 7.6 * tb, 51 * gb, 104 * kb, 55 * 60, 4843452, 853911, "summary"},
	}}
}
