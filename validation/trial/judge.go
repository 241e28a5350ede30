//go:build linux

package trial

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// judge has Hadoop's own scheduler load random files that were tuned: 3.4.1 and
// 3.5.0 the same ones. It needs a JDK and Maven.
func (t *trial) judge(ctx context.Context, n int) {
	versions := []string{"3.4.1", "3.5.0"}
	rows, ends := make([]row, len(versions)), make([]func(), len(versions))
	for i, v := range versions {
		rows[i] = row{what: "tuned files loaded by Hadoop " + v, asked: n}
		ends[i] = t.begin(ctx, &rows[i])
	}
	defer func() {
		for _, end := range ends {
			end()
		}
	}()
	for _, tool := range []string{"mvn", "javac"} {
		if _, err := exec.LookPath(tool); err != nil {
			for i := range rows {
				rows[i].left = "no " + tool
			}
			return
		}
	}
	// In lots, so that the time can be over between two of them: as many draws of each
	// of the kinds of files.
	const kinds, draws = 15, 250
	for first := int(t.seed) * 10_000; rows[0].runs < n && ctx.Err() == nil; first += draws {
		if !t.loaded(ctx, rows, versions, first, min(kinds*draws, n-rows[0].runs)) {
			return
		}
	}
}

// loaded hands one lot over and reports whether there is any use in another.
func (t *trial) loaded(ctx context.Context, rows []row, versions []string, first, n int) bool {
	cmd := exec.CommandContext(ctx, "validation/conformance/judge/tuned", strconv.Itoa(n))
	cmd.Env = append(os.Environ(), "JUDGE_HADOOP="+strings.Join(versions, " "), fmt.Sprintf("TUNED_FIRST=%d", first))
	text, err := cmd.CombinedOutput()
	answers := 0
	for _, line := range strings.Split(string(text), "\n") {
		var said string
		var files, refused int
		if k, _ := fmt.Sscanf(line, "Hadoop %s %d tuned files, %d refused", &said, &files, &refused); k != 3 {
			continue
		}
		for i, v := range versions {
			if said != v+":" {
				continue
			}
			answers++
			if rows[i].runs += files; refused > 0 {
				rows[i].faults += refused - 1
				rows[i].fault("%s", text)
			}
		}
	}
	if answers < len(versions) && ctx.Err() == nil {
		rows[0].fault("%v: %.500s", err, text)
	}
	return answers == len(versions)
}
