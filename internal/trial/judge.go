//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// judge has Hadoop's own scheduler load random files that were tuned, half of
// them in 3.4.1 and half in 3.5.0. It needs a JDK and Maven.
func (t *trial) judge(ctx context.Context, n int) {
	for _, version := range []string{"3.4.1", "3.5.0"} {
		t.loaded(ctx, version, max(1, n/2))
	}
}

func (t *trial) loaded(ctx context.Context, version string, n int) {
	r := row{what: "tuned files loaded by Hadoop " + version, asked: n}
	defer t.begin(ctx, &r)()
	for _, tool := range []string{"mvn", "javac"} {
		if _, err := exec.LookPath(tool); err != nil {
			r.left = "no " + tool
			return
		}
	}
	// In lots, so that the time can be over between two of them. There are eight
	// modes of files, so a lot has 100 draws of each.
	const lot, draws = 800, 100
	for first := int(t.seed) * 10_000; r.runs < n && ctx.Err() == nil; first += draws {
		cmd := exec.CommandContext(ctx, "conformance/judge/tuned", strconv.Itoa(min(lot, n-r.runs)))
		cmd.Env = append(os.Environ(), "JUDGE_HADOOP="+version, fmt.Sprintf("TUNED_FIRST=%d", first))
		text, err := cmd.CombinedOutput()
		var said string
		var files, refused int
		for _, line := range strings.Split(string(text), "\n") {
			if k, _ := fmt.Sscanf(line, "Hadoop %s %d tuned files, %d refused", &said, &files, &refused); k == 3 {
				r.runs += files
				if refused > 0 {
					r.faults += refused - 1
					r.fault("%s", text)
				}
			}
		}
		if files == 0 {
			if ctx.Err() == nil {
				r.fault("%v: %.500s", err, text)
			}
			return
		}
	}
}
