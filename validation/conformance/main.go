// Command conformance replays what Hadoop's own Capacity Scheduler decided and
// prints, for every file, the scenarios, the steps and the first difference
// with its context. It exits 1 when anything differs.
//
// Usage:
//
//	go run ./validation/conformance FILE…
//
// Files end in .jsonl or .jsonl.gz. validation/conformance/judge records more of them;
// validation/conformance/testdata holds a selection.
package main

import (
	"fmt"
	"os"

	"schedtune/validation/conformance/replay"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "conformance: no file given (usage: conformance FILE.jsonl[.gz]…)")
		os.Exit(2)
	}
	if !replay.Files(os.Stdout, os.Stderr, os.Args[1:]) {
		os.Exit(1)
	}
}
