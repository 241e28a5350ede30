package trace

import (
	"archive/zip"
	"io"
	"path"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/trace/sparklog"
)

// readZip reads what is in an archive as the history server's page gives it: each attempt of
// an application is a file, or the folder of a rolling log.
func readZip(name string, o Options, t *Trace, n *notes) error {
	z, err := zip.OpenReader(name)
	if err != nil {
		return &Error{File: name, Err: err}
	}
	defer z.Close()
	entries, rolling := map[string]*zip.File{}, map[string][]string{}
	for _, f := range z.File {
		dir := path.Dir(f.Name)
		switch {
		case f.FileInfo().IsDir():
		case sparklog.IsRolling(dir):
			if rolling[dir] == nil {
				entries[dir] = nil
			}
			rolling[dir] = append(rolling[dir], f.Name)
			fallthrough
		default:
			entries[f.Name] = f
		}
	}
	read := func(f *zip.File, into func(io.Reader, string) error) error {
		r, err := f.Open()
		if err != nil {
			return &Error{File: name, Key: f.Name, Err: err}
		}
		defer r.Close()
		return into(r, name+"/"+f.Name)
	}
	for _, f := range z.File {
		dir := path.Dir(f.Name)
		parts := rolling[dir]
		if f.FileInfo().IsDir() || len(parts) > 0 && parts[0] != f.Name {
			continue // read with the first of its folder
		}
		if len(parts) == 0 {
			err := read(f, func(r io.Reader, name string) error { return readInto(r, name, o, t, n) })
			if unreadable(f.Name, err) {
				n.addFirst(1, Missing, name+"/"+f.Name, notYet)
			} else if err != nil {
				return err
			}
			continue
		}
		log := sparklog.NewReader()
		for _, part := range log.Parts(slices.Clone(parts)) {
			err := read(entries[part], func(r io.Reader, name string) error {
				text, err := fileio.OpenText(r)
				if err != nil {
					return &Error{File: name, Err: err}
				}
				return log.Read(text, name)
			})
			if err != nil {
				return err
			}
		}
		t.sawFormat(sparkFormat)
		if err := addSpark(log.App(), name+"/"+dir, t, n); err != nil {
			return err
		}
	}
	return nil
}
