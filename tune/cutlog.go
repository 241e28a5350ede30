package tune

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// CutLog shortens a log to what comes before the first run that bad names, so
// that the study goes on from there. It returns how many runs went.
func CutLog(path string, bad func(Item) bool) (runs int, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := bufio.NewReader(f)
	var at, cut int64 = 0, -1
	for {
		line, rerr := r.ReadBytes('\n')
		if rerr != nil && rerr != io.EOF {
			return 0, rerr
		}
		var run struct {
			Run *int `json:"run"`
			Item
		}
		if len(line) > 0 && json.Unmarshal(line, &run) == nil && run.Run != nil {
			if cut < 0 && bad(run.Item) {
				cut = at
			}
			if cut >= 0 {
				runs++
			}
		}
		at += int64(len(line))
		if rerr == io.EOF {
			break
		}
	}
	if cut < 0 {
		return 0, nil
	}
	if err := f.Truncate(cut); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return runs, nil
}
