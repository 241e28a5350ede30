package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// CutLog shortens a log to what comes before the first run that bad names, so
// that the study continues from there. It returns how many runs went.
func CutLog(path string, bad func(Item) bool) (runs int, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("tune: %w", err)
	}
	at, cut := 0, -1
	for line := range bytes.Lines(data) {
		var run struct {
			Run *int `json:"run"`
			Item
		}
		if json.Unmarshal(line, &run) == nil && run.Run != nil {
			if cut < 0 && bad(run.Item) {
				cut = at
			}
			if cut >= 0 {
				runs++
			}
		}
		at += len(line)
	}
	if cut < 0 {
		return 0, nil
	}
	return runs, os.Truncate(path, int64(cut))
}
