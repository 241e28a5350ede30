package schedtune

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestDocumentLinks follows every relative link of every document: the file
// must be there, and where the link names a heading, so must the heading.
func TestDocumentLinks(t *testing.T) {
	links := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".md" {
			return nil
		}
		for _, target := range relativeLinks(readDocument(t, path)) {
			links++
			file, heading, named := strings.Cut(target, "#")
			to := path
			if file != "" {
				to = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: link to %s: %v", path, target, err)
				continue
			}
			if named && !slices.Contains(headings(readDocument(t, to)), heading) {
				t.Errorf("%s: link to %s: no such heading", path, target)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links == 0 {
		t.Error("no relative link was found")
	}
}

// TestResultTables reads every CSV file of the results: each has a head, rows, and as many
// fields in each row.
func TestResultTables(t *testing.T) {
	err := filepath.WalkDir("results", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".csv" {
			return err
		}
		rows, err := csv.NewReader(strings.NewReader(readDocument(t, path))).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Errorf("%s: %d rows, error %v; want 2 or more and none", path, len(rows), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func readDocument(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	fenceRE = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```")
	codeRE  = regexp.MustCompile("`[^`\n]*`")
	linkRE  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headRE  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	refRE   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	schemes = regexp.MustCompile(`^[a-z]+:`)
)

// relativeLinks are the targets of a document's links outside code, but for
// those to other places.
func relativeLinks(doc string) (out []string) {
	doc = codeRE.ReplaceAllString(fenceRE.ReplaceAllString(doc, ""), "")
	for _, m := range linkRE.FindAllStringSubmatch(doc, -1) {
		if !schemes.MatchString(m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// headings are the names under which a document's headings can be linked to, as
// GitHub makes them: small letters, blanks as hyphens, no other signs.
func headings(doc string) (out []string) {
	for _, m := range headRE.FindAllStringSubmatch(fenceRE.ReplaceAllString(doc, ""), -1) {
		text := refRE.ReplaceAllString(m[1], "$1")
		out = append(out, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, text))
	}
	return out
}

func TestHeadingsAreNamedAsLinked(t *testing.T) {
	doc := "# `tune why`: A, b (c)\n```\n# no heading\n```\n## See [this](x.md) – 1\n"
	if got, want := headings(doc), []string{"tune-why-a-b-c", "see-this--1"}; !slices.Equal(got, want) {
		t.Errorf("headings %q, not %q", got, want)
	}
	doc = "[a](b.md#c) `[no](d.md)` ![e](f.svg) [g](https://h) [i](#j)\n```\n[k](l)\n```\n"
	if got, want := relativeLinks(doc), []string{"b.md#c", "f.svg", "#j"}; !slices.Equal(got, want) {
		t.Errorf("links %q, not %q", got, want)
	}
}
