package main

import (
	"slices"
	"strings"
	"testing"
)

// TestFlagsBesideOthers: a file that is missing ends a command with an error of its flag, alone and beside flags
// that could leave it without effect; what has none is refused by name.
func TestFlagsBesideOthers(t *testing.T) {
	const inputs = "config site cluster trace groups queue-map hadoop calibration"
	words := strings.Fields
	explained := words("explain ../../datasets/spark/capacity-scheduler.xml")
	for _, c := range []struct {
		name  string
		base  []string // alone
		other []string // beside this
		flags string   // of a missing file, or with a value
	}{
		{"simulate a data set", words("simulate"), words("--dataset default-1"),
			inputs},
		{"simulate a set of Hadoop 1", words("simulate --scheduler fifo"), words("--dataset coupling-sequence"),
			inputs + " allocations"},
		{"compare on a data set", words("compare --schedulers capacity,fifo --replications 1"), words("--dataset default-1"),
			inputs + " allocations"},
		{"tune a data set", words("--budget 20"), words("--dataset default-1"),
			inputs},
		{"tune a scheduler of Hadoop 1", words("--budget 20 --scheduler delay"), words("--dataset coupling-sequence"),
			inputs},
		{"why", words("why x"), words("--dataset default-1"), inputs},
		{"size", append(words("size --constraint"), "makespan <= 1h"), words("--dataset default-1"),
			inputs},
		{"simulate from a download", words("simulate"), words("--from-pull testdata"),
			"heartbeat-log allocations shares hints at zone begins dataset"},
		{"compare two files", words("compare --embedded --config testdata/lone.xml"), words("--against testdata/lone.xml"),
			"allocations shares hints schedulers metric dataset"},
		{"explain two files", explained, append(words("--against"), explained[1]), "site cluster groups queue label"},
	} {
		for _, flag := range strings.Fields(c.flags) {
			t.Run(c.name+" with "+flag, func(t *testing.T) {
				t.Parallel()
				for _, other := range [][]string{nil, c.other} {
					args := slices.Concat(c.base, other, []string{"--" + flag, "absent/file.zip", "--quiet"})
					code, stdout, stderr := command(t, args...)
					if code == 0 || stdout != "" || stderr == "" {
						t.Errorf("%q: got exit %d, %q; want an error of the flag", args, code, stderr)
					}
					if other != nil && !strings.Contains(stderr, "--"+flag) && !strings.Contains(stderr, "absent/file.zip") {
						t.Errorf("%q: got %q; want the name of the flag or the file", args, stderr)
					}
				}
			})
		}
	}
}
