package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/trace/runlog"
	"schedtune/yarnconf"
)

// A folder of a recorded run and one of tune pull hold the settings of their own
// cluster. Without --site they stand behind the queue file, as yarn-site.xml does:
// minimum and maximum allocation decide how large containers are.

// Files with a cluster's settings, the first that is there counts.
var (
	runSettings    = []string{"settings.xml", "settings-effective.xml", "yarn-site.xml"}
	pulledSettings = []string{"yarn-site.xml"}
)

// ownSettings is a file of settings in a folder that was given.
type ownSettings struct {
	path string
	data []byte
}

// site is the file behind the queue file: the one asked for, else that of the
// folders given; nil where there is none.
func (in *Files) site(c *Case) (*yarnconf.Document, error) {
	if in.Site != "" {
		return yarnconf.Load(in.Site)
	}
	d, note, err := in.RecordedSite()
	if d != nil {
		c.Notes = append(c.Notes, note)
		c.sited = true
	}
	return d, err
}

// RecordedSite is the file of settings in the folders given, with a note that names it; nil
// where there is none.
func (in *Files) RecordedSite() (*yarnconf.Document, string, error) {
	found, err := in.ownSettings()
	if err != nil || len(found) == 0 {
		return nil, "", err
	}
	first := found[0]
	note := fmt.Sprintf("the cluster's settings are those recorded in %s; --site FILE overrides them", first.path)
	if i := slices.IndexFunc(found, func(s ownSettings) bool { return !bytes.Equal(s.data, first.data) }); i >= 0 {
		note += fmt.Sprintf(" (%s differs)", found[i].path)
	}
	d, err := yarnconf.Parse(first.path, first.data)
	if err != nil {
		return nil, "", err
	}
	return d, note, nil
}

// ownSettings reads the settings of every folder given, in the order of the traces;
// the queue file's folder comes last.
func (in *Files) ownSettings() ([]ownSettings, error) {
	var found []ownSettings
	var seen []string
	look := func(dir string, names []string) error {
		if slices.Contains(seen, dir) {
			return nil
		}
		seen = append(seen, dir)
		for _, name := range names {
			r, err := runlog.Open(dir, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			data, err := fileio.ReadAll(r, fileio.Small)
			r.Close()
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
			}
			found = append(found, ownSettings{filepath.Join(dir, name), data})
			return nil
		}
		return nil
	}
	for _, dir := range in.folders() {
		names := runSettings
		if runlog.KindOf(dir) == runlog.None {
			if pulledFrom(dir) == nil {
				continue
			}
			names = pulledSettings
		}
		if err := look(dir, names); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// folders are those that traces and queue file lie in.
func (in *Files) folders() []string {
	out := in.traceFolders()
	if in.Config != "" && in.Config != "-" {
		out = append(out, filepath.Dir(in.Config))
	}
	return out
}

// traceFolders are, of a trace that is a folder, it and the one around it, which a pulled
// history is in.
func (in *Files) traceFolders() []string {
	var out []string
	for _, path := range in.Traces {
		path = filepath.Clean(path)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			out = append(out, path, filepath.Dir(path))
		}
	}
	return out
}
