package trace

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/trace/sparklog"
	"schedtune/trace/tezlog"
)

// zipHead begins an archive; the second form is that of one without entries.
var zipHead = regexp.MustCompile(`\APK(\x03\x04|\x05\x06)`)

// tezEntry names what only an archive of Tez has: that of its UI (dag.json,
// tasks_part_0.json …) or of its ATSImportTool (an entry named after the DAG).
var tezEntry = regexp.MustCompile(`^(dag(-extra-info)?\.json|dag_\d+_\d+_\d+(\.json)?|` +
	`(vertices|tasks|task_attempts)_part_\d+\.json)$`)

// readZip reads what is in an archive as a history server's page gives it: each attempt of
// a Spark application is a file, or the folder of a rolling log; an archive of Tez's UI is
// one DAG.
func readZip(name string, o Options, t *Trace, n *notes) error {
	z, err := zip.OpenReader(name)
	if err != nil {
		return &Error{File: name, Err: fmt.Errorf("%w; it may be truncated", err)}
	}
	defer z.Close()
	if slices.ContainsFunc(z.File, func(f *zip.File) bool { return tezEntry.MatchString(path.Base(f.Name)) }) {
		return readTezZip(name, z, o, t)
	}
	logs, order := map[string][]*zip.File{}, []string{} // by the name of the file or of the folder
	for _, f := range z.File {
		log := f.Name
		if dir := path.Dir(log); sparklog.RollingName(dir) {
			log = dir
		}
		if f.FileInfo().IsDir() {
			continue
		}
		if logs[log] == nil {
			order = append(order, log)
		}
		logs[log] = append(logs[log], f)
	}
	if len(order) == 0 {
		return &Error{File: name, Err: fmt.Errorf("%w: the archive holds no file", ErrEmpty)}
	}
	for _, log := range order {
		if parts := logs[log]; parts[0].Name != log {
			err = readRolling(name, log, parts, t, n)
		} else if err = readEntry(name, parts[0], func(r io.Reader, name string) error {
			return readInto(r, name, o, t, n)
		}); unreadable(log, err) {
			n.addFirst(1, Missing, name+"/"+log, notYet)
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readRolling reads the parts of a rolling log in an archive.
func readRolling(archive, dir string, parts []*zip.File, t *Trace, n *notes) error {
	log, files, names := sparklog.NewReader(), map[string]*zip.File{}, []string{}
	for _, f := range parts {
		files[f.Name], names = f, append(names, f.Name)
	}
	for _, part := range log.Parts(names) {
		err := readEntry(archive, files[part], func(r io.Reader, name string) error {
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
	return addSpark(log.App(), archive+"/"+dir, t, n)
}

// readEntry reads an entry of an archive.
func readEntry(archive string, f *zip.File, into func(io.Reader, string) error) error {
	r, err := f.Open()
	if err != nil {
		return &Error{File: archive, Key: f.Name, Err: err}
	}
	defer r.Close()
	return into(r, archive+"/"+f.Name)
}

// maxArchive bounds what the entries of an archive of Tez unpack to, all together.
const maxArchive = 4 << 30

// readTezZip reads an archive of Tez. Entries without anything of Tez (empty parts, errors
// that the UI met) are passed over, but not all of them.
func readTezZip(name string, z *zip.ReadCloser, o Options, t *Trace) error {
	found, left := false, int64(maxArchive)
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		err := readEntry(name, f, func(r io.Reader, name string) error {
			counted := &io.LimitedReader{R: r, N: left}
			err := o.tez.Read(counted, name)
			if left = counted.N; left == 0 {
				err = &Error{File: name, Err: &fileio.SizeError{Most: maxArchive}}
			}
			return err
		})
		switch {
		case err == nil:
			found = true
		case !errors.Is(err, tezlog.ErrNothing):
			return err
		}
	}
	if !found {
		return &Error{File: name, Err: tezlog.ErrNothing}
	}
	t.sawFormat(tezFormat)
	return nil
}
