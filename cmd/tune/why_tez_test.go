package main

import (
	"strings"
	"testing"

	"schedtune/internal/snapshot"
	"schedtune/simcore/yarn"
)

// TestHeldByTez: of a running cluster the applications of Tez are named that hold space, those of the queue asked
// about first, and what the ResourceManager does not know.
func TestHeldByTez(t *testing.T) {
	app := func(id, queue, kind string, containers int) snapshot.App {
		a := snapshot.App{ID: id, Queue: queue, Type: kind}
		for range containers {
			a.Containers = append(a.Containers, snapshot.Container{Size: yarn.Resource{Memory: 1024, VCores: 1}})
		}
		return a
	}
	notes := heldByTez([]snapshot.App{app("a1", "root.etl", "TEZ", 2), app("a2", "root.bi", "TEZ", 1), app("a3", "root.bi",
		"TEZ", 3), app("a4", "root.bi", "TEZ", 0), app("a5", "root.bi", "SPARK", 9)}, "root.bi")
	if len(notes) != 2 {
		t.Fatalf("notes %q, want one for each of two queues", notes)
	}
	for i, want := range [][]string{{"4096 MiB in root.bi", "a3 3072 MiB in 3 containers; a2", "ResourceManager does not"},
		{"2048 MiB in root.etl", "a1"}} {
		for _, w := range want {
			if !strings.Contains(notes[i], w) {
				t.Errorf("note %q: want %q in it", notes[i], w)
			}
		}
	}
	if notes := heldByTez([]snapshot.App{app("a5", "root.bi", "SPARK", 9)}, "root.bi"); notes != nil {
		t.Errorf("notes %q without Tez", notes)
	}
}
