package fileio

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// commit writes a finished folder of ours with some files.
func commit(t *testing.T, final string, files ...string) {
	t.Helper()
	d := open(t, final)
	write(t, d, Marker, ours)
	for _, name := range files {
		write(t, d, name, name)
	}
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
}

// refused expects Open to name the culprit and to change nothing.
func refused(t *testing.T, final string, want ...string) {
	t.Helper()
	before := tree(t, filepath.Dir(final))
	d, err := OpenOutput(final, "test")
	if err == nil {
		d.Close()
		t.Fatalf("Open(%s) succeeded, want %q", final, want)
	}
	for _, w := range append(want, "use ") {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v does not name %q", err, w)
		}
	}
	if after := tree(t, filepath.Dir(final)); after != before {
		t.Errorf("refusing changed the folder:\n%s\nbefore:\n%s", after, before)
	}
}

// tree is every file below a folder with its content.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(p)
		if info.Mode().IsRegular() {
			b.WriteString(" " + read(t, p))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// What others put into a folder under way, into a finished one, or beside them
// is neither moved nor removed, wherever it lies.
func TestForeignThingsStay(t *testing.T) {
	for _, name := range []string{"notes.txt", "plots/notes.txt", "empty/", Marker + ".bak", "plots/empty/",
		".previous2"} {
		for _, where := range []string{"finished", "under way", "without record"} {
			final := filepath.Join(t.TempDir(), "out")
			dir := final
			switch where {
			case "finished":
				commit(t, final, "plots/a.svg")
			case "under way":
				d := open(t, final)
				write(t, d, "plots/a.svg", "a")
				d.Close()
				dir += ".partial"
			default:
				dir += ".partial"
			}
			p := filepath.Join(dir, filepath.FromSlash(name))
			if strings.HasSuffix(name, "/") {
				if err := os.MkdirAll(p, 0o777); err != nil {
					t.Fatal(err)
				}
			} else {
				put(t, p, "theirs")
			}
			refused(t, final, dir)
		}
	}
}

// A folder called OUT.old is nobody's business.
func TestOldStays(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	put(t, final+".old/thesis.tex", "theirs")
	for range 2 {
		commit(t, final, "a")
	}
	if got := read(t, final+".old/thesis.tex"); got != "theirs" {
		t.Errorf("holds %q", got)
	}
}

// A foreign thing that appears while the program works stops Commit, which
// leaves both folders as they are; with the thing moved away it goes through.
func TestForeignThingAtCommit(t *testing.T) {
	for _, sub := range []string{"", ".partial"} {
		final := filepath.Join(t.TempDir(), "out")
		commit(t, final, "first")
		d := open(t, final)
		write(t, d, Marker, ours)
		p := filepath.Join(final+sub, "notes.txt")
		put(t, p, "theirs")
		if err := d.Commit(); err == nil || !strings.Contains(err.Error(), p) || !strings.Contains(err.Error(), "kept in") {
			t.Fatalf("%s: %v", sub, err)
		}
		if read(t, p) != "theirs" || read(t, filepath.Join(final, "first")) != "first" {
			t.Errorf("%s: something was moved", sub)
		}
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

// A result that somebody has worked on is not thrown away.
func TestChangedFileStays(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	commit(t, final, "capacity-scheduler.xml")
	p := filepath.Join(final, "capacity-scheduler.xml")
	put(t, p, "edited by hand")
	refused(t, final, p, "was changed")
}

// sha256sum, where there is one, agrees with the list.
func TestSums(t *testing.T) {
	tool, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip("no sha256sum here")
	}
	final := filepath.Join(t.TempDir(), "out")
	commit(t, final, "plots/a.svg", "b")
	cmd := exec.Command(tool, "--check", "--strict", Sums)
	cmd.Dir = final
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Discard removes what its own call created and nothing of an earlier one, even
// where this call has written into it.
func TestDiscardIsNarrow(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	d := open(t, final)
	write(t, d, "trials.jsonl", "runs")
	d.Close()
	d = open(t, final)
	write(t, d, "study.bin", "new")
	write(t, d, "plots/new.svg", "new")
	write(t, d, "trials.jsonl", "runs and more")
	if err := d.Discard(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, final+".partial/trials.jsonl"); got != "runs and more" {
		t.Errorf("the log holds %q", got)
	}
	for _, name := range []string{"study.bin", "plots"} {
		if _, err := os.Stat(filepath.Join(final+".partial", name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", name, err)
		}
	}
}

// Another command does not touch what one has left unfinished.
func TestOtherCommand(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	d, err := OpenOutput(final, "tune plan")
	if err != nil {
		t.Fatal(err)
	}
	write(t, d, "study.bin", "x")
	d.Close()
	refused(t, final, "unfinished run of tune plan")
}

// Names outside the folder are not written, whoever asks.
func TestNamesStayInside(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "out"))
	defer d.Close()
	for _, name := range []string{"../x", "/etc/x", "a/../../x", ""} {
		if err := d.WriteFile(name, nil); err == nil {
			t.Errorf("%q was written", name)
		}
	}
}

// A link to a folder elsewhere stays a link; the folder it names is replaced.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "disk", "out"), filepath.Join(dir, "link")
	commit(t, real, "first")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	commit(t, link, "second")
	if got := read(t, filepath.Join(real, "second")); got != "second" {
		t.Errorf("holds %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone (%v)", err)
	}
}

// FuzzRecord: no content of a record makes Open fail to say why, or lose a file.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"schema":"schedtune/folder/v1","command":"test","pid":1,"start":"x"}` + "\n" + `{"file":"a"}` + "\n" +
		`{"fi`))
	f.Add([]byte(`{"schema":"schedtune/folder/v1"}` + "\n" + `{"file":"../../a"}` + "\n"))
	f.Add([]byte(`{"schema":"schedtune/folder/v1"}` + "\n" + `{"file":"a"}` + "\n"))
	f.Add([]byte(`{"schema":"schedtune/folder/v1","schema":"x","file":"a"}` + "\n"))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		final := filepath.Join(t.TempDir(), "out")
		put(t, final+".partial/"+recordName, string(data))
		put(t, final+".partial/a", "theirs or ours")
		d, err := OpenOutput(final, "test")
		if err == nil {
			if err := d.Discard(); err != nil {
				t.Fatal(err)
			}
		} else if !strings.Contains(err.Error(), "another") {
			t.Fatal(err)
		}
		if read(t, final+".partial/a") != "theirs or ours" {
			t.Fatal("lost")
		}
	})
}

// A Commit that is killed between any two of its steps loses neither folder, and
// the next one ends it.
func TestKilledCommit(t *testing.T) {
	steps := []func(*Dir) error{
		func(d *Dir) error { _, err := d.finish(); return err },
		func(d *Dir) error { return os.Rename(d.final, filepath.Join(d.partial, previous)) },
		func(d *Dir) error { return os.Rename(d.partial, d.final) },
		func(d *Dir) error { return os.Remove(filepath.Join(d.final, "study.bin")) },
		func(d *Dir) error { return os.Remove(filepath.Join(d.final, previous, "first")) },
		func(d *Dir) error { return removeOurs(filepath.Join(d.final, previous)) },
	}
	for n := range len(steps) + 1 {
		final := filepath.Join(t.TempDir(), "out")
		commit(t, final, "first")
		d := open(t, final)
		write(t, d, Marker, ours)
		write(t, d, "second", "2")
		write(t, d, "study.bin", "dropped")
		d.Drop("study.bin")
		for _, step := range steps[:n] {
			if err := step(d); err != nil {
				t.Fatal(err)
			}
		}
		d.Close() // what the system does with a killed process
		d = open(t, final)
		if n < 3 && (read(t, filepath.Join(final, "first")) != "first" || read(t, d.Path("second")) != "2") {
			t.Errorf("killed after %d steps: lost", n)
		}
		if n >= 3 && read(t, filepath.Join(final, "second")) != "2" {
			t.Errorf("killed after %d steps: lost", n)
		}
		write(t, d, Marker, ours)
		write(t, d, "third", "3")
		d.Drop("study.bin")
		if err := d.Commit(); err != nil {
			t.Fatalf("killed after %d steps: %v", n, err)
		}
		if entries, _ := os.ReadDir(filepath.Dir(final)); len(entries) != 1 {
			t.Errorf("killed after %d steps: %d entries beside the folder", n, len(entries))
		}
		for _, name := range []string{"first", "study.bin", previous, recordName} {
			if _, err := os.Lstat(filepath.Join(final, name)); err == nil {
				t.Errorf("killed after %d steps: %s is left", n, name)
			}
		}
	}
}
