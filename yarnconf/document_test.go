package yarnconf

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/validation/testdata"
)

const small = `<?xml version="1.0"?>
<!-- head -->
<configuration xmlns:xi="http://www.w3.org/2001/XInclude">
  <property>
    <name>yarn.scheduler.capacity.root.queues</name>
    <value>a,b</value>
  </property> <!-- the tree -->

  <!-- queue a -->
  <property>
    <name>yarn.scheduler.capacity.root.a.capacity
    </name>
    <value>
       40 </value>
    <final>true</final>
  </property>
  <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>60</value></property>
  <property name="x.y" value="a &amp; b"/>
  <property><name>empty.one</name><value/></property>
</configuration>
<!-- tail -->
`

func mustParse(t *testing.T, name, text string) *Document {
	t.Helper()
	d, err := Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestParse(t *testing.T) {
	d := mustParse(t, "f.xml", small)
	if string(d.Bytes()) != small {
		t.Error("bytes changed")
	}
	for _, c := range []struct {
		key, value string
		line       int
		final      bool
	}{
		{"yarn.scheduler.capacity.root.queues", "a,b", 6, false},
		{"yarn.scheduler.capacity.root.a.capacity", "40", 14, true},
		{"yarn.scheduler.capacity.root.b.capacity", "60", 17, false},
		{"x.y", "a & b", 18, false},
	} {
		p, ok := d.Lookup(c.key)
		if v := d.Value(c.key); !ok || v != c.value || p.Line != c.line || p.Final != c.final {
			t.Errorf("%s: %q line %d final %v", c.key, v, p.Line, p.Final)
		}
	}
	if _, ok := d.Get("empty.one"); ok {
		t.Error("an empty value counts as set")
	}
	if w := d.Warnings(); len(w) != 0 {
		t.Errorf("warnings: %v", w)
	}
}

func TestDuplicates(t *testing.T) {
	d := mustParse(t, "f",
		"<configuration>\n<property><name>a</name><value>1</value></property>\n<property><name>a</name><value>2</value></property>\n"+
			"<property><name>b</name><value>1</value><final>true</final></property>\n<property><name>b</name><value>2</value></property>\n</configuration>")
	if v := d.Value("a"); v != "2" {
		t.Errorf("a=%s: the last one counts", v)
	}
	if v := d.Value("b"); v != "1" {
		t.Errorf("b=%s: the final one counts", v)
	}
	w := d.Warnings()
	if len(w) != 2 || w[0].Error() != "f:3: warning: a: set twice, first at line 2; this one counts" || w[1].Line != 5 {
		t.Errorf("%v", w)
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "f:1: the file has no <configuration>"},
		{"<configuration>\n<property>\n<name>a</na", "f:3: XML: "},
		{"<configuration>\n<property>\n\n", "f:2: XML: the file ends in the middle"},
		{"<a/>", "f:1: the root element is <a>: must be <configuration>"},
		{"<configuration/>\n<configuration/>", "f:2: text or elements after </configuration>"},
		{"<configuration>\n<property></name></property></configuration>", "f:2: XML: "},
		{"<configuration>\n&foo;</configuration>", "f:2: XML: invalid character entity"},
		{"<?xml version='1.0' encoding='UTF-16'?><configuration/>", "f:1: xml: opening charset \"UTF-16\": encoding UTF-16"},
		{"just text", "f:1: the file has no <configuration>"},
		{"\n{\"property\":[{\"name\":\"a.b\"}]}", "f:1: the file is JSON without the classification"},
		{"\x1f\x8b\x08\x00\x00\n", "f:1: the file is packed: unpack it first"},
		{"\n" + strings.Repeat("<configuration>", 101) + strings.Repeat("</configuration>", 101),
			"f:2: <configuration> elements are nested more than 100 deep"},
		{strings.Repeat("<configuration>", 4e6), "f:1: <configuration> elements are nested more than 100 deep"},
	} {
		_, err := Parse("f", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.xml")); err == nil || !strings.Contains(err.Error(),
		"no such file") {
		t.Errorf("missing file: %v", err)
	}
}

// Each edit is checked as a whole file: what was not touched is unchanged.
func TestEdit(t *testing.T) {
	d := mustParse(t, "f", small)
	p := "yarn.scheduler.capacity.root."
	for _, c := range []struct {
		name     string
		change   Change
		old, new string // the only difference
	}{
		{"value keeps its white space", Change{Key: p + "a.capacity", Value: "45.5"}, "\n       40 <", "\n       45.5 <"},
		{"one line", Change{Key: p + "b.capacity", Value: "55"}, "<value>60<", "<value>55<"},
		{"attribute", Change{Key: "x.y", Value: `"<`}, `value="a &amp; b"`, `value="&#34;&lt;"`},
		{"empty", Change{Key: "empty.one", Value: "v"}, "<value/>", "<value>v</value>"},
		{"new below its queue", Change{Key: p + "a.maximum-capacity", Value: "80"},
			"    <final>true</final>\n  </property>\n",
			"    <final>true</final>\n  </property>\n  <property>\n    <name>" + p + "a.maximum-capacity</name>\n    " +
				"<value>80</value>\n  </property>\n"},
		{"new one-line style", Change{Key: p + "b.state", Value: "RUNNING"}, "<value>60</value></property>\n",
			"<value>60</value></property>\n  <property><name>" + p + "b.state</name><value>RUNNING</value></property>\n"},
		{"after a line's comment", Change{Key: p + "ordering-policy", Value: "utilization"}, "<!-- the tree -->\n",
			"<!-- the tree -->\n  <property>\n    <name>" + p + "ordering-policy</name>\n    <value>utilization</value>\n  " +
				"</property>\n"},
		{"remove", Change{Key: p + "b.capacity", Unset: true}, "  <property><name>" + p +
			"b.capacity</name><value>60</value></property>\n", ""},
		{"same value", Change{Key: p + "b.capacity", Value: "60"}, "", ""},
	} {
		got, err := d.Edit([]Change{c.change})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if want := strings.Replace(small, c.old, c.new, 1); string(got.Bytes()) != want {
			t.Errorf("%s:\n%s", c.name, Diff("want", "got", []byte(want), got.Bytes()))
		}
	}
}

func TestEditErrors(t *testing.T) {
	d := mustParse(t, "f", small)
	for _, c := range []Change{{Key: "", Value: "1"}, {Key: " a", Value: "1"}, {Key: "a\nb", Value: "1"},
		{Key: "a", Value: " "}, {Key: "a", Value: "\x01"}, {Key: "a", Value: "\xff"}} {
		if _, err := d.Edit([]Change{c}); err == nil {
			t.Errorf("%+v accepted", c)
		}
	}
}

func TestEditEmptyRoots(t *testing.T) {
	for _, text := range []string{"<configuration/>", "<configuration></configuration>",
		"<configuration>\n</configuration>\n", "<?xml version='1.0'?>\r\n<configuration>\r\n</configuration>\r\n"} {
		d := mustParse(t, "f", text)
		got, err := d.Edit([]Change{{Key: "b", Value: "2"}, {Key: "a.c", Value: "3"}})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if v, _ := got.Get("a.c"); v != "3" || len(got.Properties()) != 2 {
			t.Errorf("%q: %s", text, got.Bytes())
		}
		if strings.Contains(text, "\r") && strings.Contains(strings.ReplaceAll(string(got.Bytes()), "\r\n", ""), "\n") {
			t.Errorf("mixed line ends: %q", got.Bytes())
		}
	}
}

func TestIncludes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("more.xml",
		"<configuration>\n<property><name>a.b</name><value>1</value></property>\n<property><name>a.c</name><value>2</value><final>true</final></property></configuration>")
	write("main.xml", "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n  "+
		"<property><name>a.a</name><value>0</value></property>\n  <xi:include "+
		"href=\"more.xml\"><xi:fallback/></xi:include>\n</configuration>\n")
	write("loop.xml", `<configuration><include href="loop.xml"/></configuration>`)
	d, err := Load(filepath.Join(dir, "main.xml"))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := d.Lookup("a.b")
	if !ok || p.Value != "1" || p.Line != 2 || filepath.Base(p.File) != "more.xml" {
		t.Fatalf("%+v", p)
	}
	got, err := d.Edit([]Change{{Key: "a.b", Value: "7"}})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := got.Get("a.b"); v != "7" || !strings.Contains(string(got.Bytes()), "</xi:include>\n  <property>\n    "+
		"<name>a.b</name>") {
		t.Errorf("override must stand behind the include:\n%s", got.Bytes())
	}
	if _, err := d.Edit([]Change{{Key: "a.c", Value: "7"}}); err == nil ||
		!strings.Contains(err.Error(), "final in an included file") {
		t.Errorf("%v", err)
	}
	if _, err := d.Edit([]Change{{Key: "a.b", Unset: true}}); err == nil {
		t.Error("removed what stands in another file")
	}
	if _, err := Load(filepath.Join(dir, "loop.xml")); err == nil || !strings.Contains(err.Error(),
		"must not include each other") {
		t.Errorf("loop: %v", err)
	}
	// Without a place to look up includes they are kept and warned of.
	q := mustParse(t, "f", string(d.Bytes()))
	if len(q.Warnings()) != 1 || q.Warnings()[0].Line != 3 {
		t.Errorf("%v", q.Warnings())
	}
}

func TestSampleFiles(t *testing.T) {
	for name, n := range map[string]int{"capacity-scheduler.stock.xml": 21, "capacity-scheduler.sls-sample.xml": 7} {
		path := testdata.Shared(t, "traces", "hadoop", name)
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(d.Bytes()) != string(want) || len(d.Properties()) != n {
			t.Errorf("%s: %d properties", name, len(d.Properties()))
		}
		for _, p := range d.Properties() {
			// Changing every property in turn to a new value and back gives the file again.
			if strings.TrimSpace(p.Value) == "" {
				continue
			}
			there, err := d.Edit([]Change{{Key: p.Name, Value: "new & value"}})
			if err != nil {
				t.Fatal(err)
			}
			back, err := there.Edit([]Change{{Key: p.Name, Value: strings.TrimSpace(p.Value)}})
			if err != nil || string(back.Bytes()) != string(want) {
				t.Errorf("%s: %s does not come back: %v", name, p.Name, err)
			}
		}
		// Adding and removing a property gives the file again.
		there, err := d.Edit([]Change{{Key: "yarn.scheduler.capacity.root.default.ordering-policy", Value: "fair"}})
		if err != nil {
			t.Fatal(err)
		}
		back, err := there.Edit([]Change{{Key: "yarn.scheduler.capacity.root.default.ordering-policy", Unset: true}})
		if err != nil || string(back.Bytes()) != string(want) {
			t.Errorf("%s: add and remove: %v\n%s", name, err, Diff("a", "b", want, back.Bytes()))
		}
	}
}

// The system's patch program is the judge of the diff, forwards and backwards.
func TestDiffPatches(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("no patch program")
	}
	for _, c := range [][2]string{
		{small, strings.ReplaceAll(small, "60", "61")},
		{"", "a\nb\n"}, {"a\nb\n", ""}, {"a", "b"}, {"a\nb", "a\nb\n"}, {"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n",
			"a\nx\nc\nd\ne\nf\ng\nh\ni\ny\nk\nl\n"},
		{"x\nx\ny\nx\n", "x\ny\nx\ny\nx\n"}, {small, small + "x"}, {strings.Repeat("q\n", 50), strings.Repeat("q\nr\n", 25)},
	} {
		for _, way := range [][2]string{{c[0], c[1]}, {c[1], c[0]}} {
			dir := t.TempDir()
			f := filepath.Join(dir, "f")
			if err := os.WriteFile(f, []byte(way[0]), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(patch, "-s", f)
			cmd.Stdin = strings.NewReader(Diff("f", "f", []byte(way[0]), []byte(way[1])))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%q to %q: %v %s", way[0], way[1], err, out)
			}
			got, _ := os.ReadFile(f) // patch removes a file that becomes empty
			if string(got) != way[1] {
				t.Errorf("%q to %q: got %q", way[0], way[1], got)
			}
		}
	}
}

// FuzzDocument: parsing never panics, errors are one line, an unedited file is
// itself, and an edit takes effect and can be taken back.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(small), "x.y", "1")
	f.Add([]byte("<configuration/>"), "a", "b")
	f.Add([]byte("<configuration><property name='a' value='1' "+
		"final='true'/><property><name>a</name><value>2</value></property></configuration>"), "a", "b")
	f.Fuzz(func(t *testing.T, data []byte, key, value string) {
		d, err := Parse("f", data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		if string(d.Bytes()) != string(data) {
			t.Fatal("bytes changed")
		}
		_, had := d.Get(key)
		before := d.Value(key)
		next, err := d.Edit([]Change{{Key: key, Value: value}})
		if err != nil {
			return
		}
		if got := next.Value(key); got != strings.TrimSpace(value) {
			t.Fatalf("set %q to %q: %q", key, value, got)
		}
		if had {
			back, err := next.Edit([]Change{{Key: key, Value: before}})
			if err != nil {
				t.Fatalf("back to %q: %v", before, err)
			}
			if got := back.Value(key); got != before {
				t.Fatalf("back to %q: %q", before, got)
			}
		}
	})
}

func TestSite(t *testing.T) {
	site := mustParse(t, "yarn-site.xml",
		"<configuration><property><name>yarn.scheduler.minimum-allocation-mb</name><value>256</value></property></configuration>")
	d := mustParse(t, "f", nested).WithSite(site)
	c, errs := evaluate(d, versionOf(d), Resource{})
	if len(errs) > 0 || c.MinAllocation.Memory != 256 {
		t.Errorf("%v %v", c.MinAllocation, errs)
	}
	if p, ok := d.Lookup(minMB); !ok || p.File != "yarn-site.xml" {
		t.Errorf("%+v", p)
	}
	next, err := d.Edit([]Change{{Key: minMB, Value: "512"}})
	if err != nil {
		t.Fatal(err)
	}
	if c, _ := Evaluate(next); c.MinAllocation.Memory != 512 {
		t.Errorf("own value must win: %v", c.MinAllocation)
	}
	again, err := next.Edit([]Change{{Key: minMB, Unset: true}})
	if err != nil || again.Value(minMB) != "256" || string(again.Bytes()) != nested {
		t.Errorf("%v %q", err, again.Value(minMB))
	}
}

// What editors on Windows write: a UTF-16 file is told as such, and a folder in place of a
// file is refused.
func TestFilesOfAnotherKind(t *testing.T) {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if _, err := Parse("f", []byte(mark+"<\x00c\x00")); err == nil || !strings.HasPrefix(err.Error(),
			"f:1: the file is UTF-16: must be UTF-8") {
			t.Errorf("%q: %v", mark, err)
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), ": is a folder: must be a file") {
		t.Errorf("a folder: %v", err)
	}
}

// The line ending in use is found where the file's first byte is one.
func TestEditAfterLeadingNewline(t *testing.T) {
	for _, nl := range []string{"\n", "\r\n"} {
		d := mustParse(t, "f", nl+"<configuration></configuration>")
		got, err := d.Edit([]Change{{Key: "a.b", Value: "1"}})
		if err != nil {
			t.Fatal(err)
		}
		if text := string(got.Bytes()); strings.Count(text, nl) < 2 || strings.Count(text, "\r") != strings.Count(nl,
			"\r")*strings.Count(text, "\n") {
			t.Errorf("%q", text)
		}
		if v, ok := got.Get("a.b"); !ok || v != "1" {
			t.Errorf("%q, %v", v, ok)
		}
	}
}
