package yarnconf

import (
	"bytes"
	"fmt"
	"strings"
)

// Diff returns the unified diff, three lines of context, that turns one file
// into another; empty when they are equal. Diff with the arguments swapped is
// the rollback. The names stand in the header.
func Diff(fromName, toName string, from, to []byte) string {
	if bytes.Equal(from, to) {
		return ""
	}
	a, b := splitLines(from), splitLines(to)
	ops := shortestEdit(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", fromName, toName)
	for _, h := range hunks(ops) {
		writeHunk(&out, ops[h[0]:h[1]], a, b)
	}
	return out.String()
}

// splitLines keeps the line ends, so that a last line without one differs from
// the same line with one.
func splitLines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	lines := strings.SplitAfter(string(data), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// op is one line of an edit script: kept (' '), deleted ('-') or added ('+').
// i and j count the lines of either file before it.
type op struct {
	kind byte
	i, j int
}

// shortestEdit finds a shortest edit script: E. Myers, "An O(ND) Difference
// Algorithm and Its Variations", Algorithmica 1 (1986), the greedy form with
// its trace kept. Equal beginnings and ends are cut off first; memory grows
// with the square of the number of differences.
func shortestEdit(a, b []string) []op {
	pre := 0
	for pre < len(a) && pre < len(b) && a[pre] == b[pre] {
		pre++
	}
	post := 0
	for post < len(a)-pre && post < len(b)-pre && a[len(a)-1-post] == b[len(b)-1-post] {
		post++
	}
	var ops []op
	for i := 0; i < pre; i++ {
		ops = append(ops, op{' ', i, i})
	}
	for _, o := range myers(a[pre:len(a)-post], b[pre:len(b)-post]) {
		ops = append(ops, op{o.kind, o.i + pre, o.j + pre})
	}
	for k := 0; k < post; k++ {
		ops = append(ops, op{' ', len(a) - post + k, len(b) - post + k})
	}
	return ops
}

// maxDifferences bounds the search; two files that differ in more lines are
// shown as one replaced by the other.
const maxDifferences = 4000

func myers(a, b []string) []op {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return replaceAll(n, m)
	}
	limit := min(n+m, maxDifferences)
	v := make([]int, 2*limit+3)
	off := limit + 1
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), v[off-d-1:off+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := v[off+k-1] + 1
			if k == -d || k != d && v[off+k-1] < v[off+k+1] {
				x = v[off+k+1]
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			v[off+k] = x
			if x >= n && x-k >= m {
				return walkBack(trace, n, m)
			}
		}
	}
	return replaceAll(n, m)
}

func replaceAll(n, m int) []op {
	var ops []op
	for i := 0; i < n; i++ {
		ops = append(ops, op{'-', i, 0})
	}
	for j := 0; j < m; j++ {
		ops = append(ops, op{'+', n, j})
	}
	return ops
}

// walkBack reads the path from the end to the start. trace[d][k+d+1] is the
// furthest x on diagonal k before round d.
func walkBack(trace [][]int, x, y int) []op {
	var rev []op
	for d := len(trace) - 1; d >= 0; d-- {
		k := x - y
		at := func(k int) int { return trace[d][k+d+1] }
		prev := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			prev = k + 1
		}
		px := at(prev)
		py := px - prev
		for d > 0 && x > px && y > py || d == 0 && x > 0 && y > 0 {
			x, y = x-1, y-1
			rev = append(rev, op{' ', x, y})
		}
		switch {
		case d == 0:
		case x == px:
			y--
			rev = append(rev, op{'+', x, y})
		default:
			x--
			rev = append(rev, op{'-', x, y})
		}
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}

const diffContext = 3

// hunks groups the changes with their context into ranges of the script.
func hunks(ops []op) [][2]int {
	var out [][2]int
	for i, o := range ops {
		if o.kind == ' ' {
			continue
		}
		from, to := max(i-diffContext, 0), min(i+diffContext+1, len(ops))
		if k := len(out) - 1; k >= 0 && from <= out[k][1] {
			out[k][1] = to
			continue
		}
		out = append(out, [2]int{from, to})
	}
	return out
}

func writeHunk(out *strings.Builder, ops []op, a, b []string) {
	var na, nb int
	for _, o := range ops {
		if o.kind != '+' {
			na++
		}
		if o.kind != '-' {
			nb++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", hunkRange(ops[0].i, na), hunkRange(ops[0].j, nb))
	for _, o := range ops {
		line := ""
		if o.kind == '+' {
			line = b[o.j]
		} else {
			line = a[o.i]
		}
		out.WriteByte(o.kind)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// hunkRange: an empty range is given by the line before it.
func hunkRange(start, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", start)
	}
	if n == 1 {
		return fmt.Sprintf("%d", start+1)
	}
	return fmt.Sprintf("%d,%d", start+1, n)
}
