package rm

import (
	"os"
	"path/filepath"

	"schedtune/internal/scenario"
)

// Fill takes the files of a downloaded folder where in names none: configuration, site and nodes,
// and its histories if there are any.
func Fill(in *scenario.Files, dir string) {
	for name, to := range map[string]*string{FileConfig: &in.Config, FileSite: &in.Site, FileNodes: &in.Cluster} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil && *to == "" {
			*to = path
		}
	}
	histories := filepath.Join(dir, DirTrace)
	if list, err := os.ReadDir(histories); err == nil && len(list) > 0 && len(in.Traces) == 0 {
		in.Traces = []string{histories}
	}
}
