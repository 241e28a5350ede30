package main

import (
	_ "embed"
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// checkFormats write the result of tune check for other programs: the log of SARIF, workflow commands
// that GitHub shows as annotations of lines, and JUnit's suite per file with a failed case per problem
// or one that passed.
var checkFormats = map[string]func(io.Writer, *checkJSON) error{"sarif": writeSARIF, "github": format("github"),
	"junit": format("junit")}

//go:embed checkformats.tmpl
var formatPages string

func format(name string) func(io.Writer, *checkJSON) error {
	return func(w io.Writer, out *checkJSON) error { return formatTemplates.ExecuteTemplate(w, name, out) }
}

var formatTemplates = text.Table(formatPages, template.FuncMap{
	"value":    strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace,
	"property": strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace,
	"xml": func(s string) (string, error) {
		var b strings.Builder
		err := xml.EscapeText(&b, []byte(s))
		return b.String(), err
	},
	"of": func(out *checkJSON, file string) []problemJSON {
		return slices.DeleteFunc(slices.Clone(out.Problems), func(p problemJSON) bool { return p.File != file })
	},
})

func formatNames() []string {
	return append([]string{"text", "json"}, slices.Sorted(maps.Keys(checkFormats))...)
}

// Message returns the text of a problem without its place.
func (p problemJSON) Message() string {
	s := strings.TrimPrefix(p.Property, yarnconf.Prefix) + ": " + p.Reason
	if p.Fix != nil {
		s += "; " + *p.Fix
	}
	return strings.TrimPrefix(s, ": ")
}

// At returns the line of a problem, 1 for the file as a whole.
func (p problemJSON) At() int {
	if p.Line == nil {
		return 1
	}
	return *p.Line
}

// rulePage is the page with an anchor for each rule.
const rulePage = "docs/rules.md#"

// writeSARIF writes SARIF 2.1.0 (OASIS Standard).
func writeSARIF(w io.Writer, out *checkJSON) error {
	type m = map[string]any
	rules, results, seen := []m{}, []m{}, map[string]bool{}
	for i := range out.Problems {
		p := &out.Problems[i]
		if !seen[p.Rule] {
			seen[p.Rule] = true
			rules = append(rules, m{"id": p.Rule, "shortDescription": m{"text": yarnconf.RuleText(p.Rule)},
				"help": m{"text": rulePage + p.Rule}})
		}
		results = append(results, m{"ruleId": p.Rule, "level": p.Severity, "message": m{"text": p.Message()},
			"locations": []m{{"physicalLocation": m{"artifactLocation": m{"uri": filepath.ToSlash(p.File)},
				"region": m{"startLine": p.At()}}}}})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(m{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []m{{
		"tool":    m{"driver": m{"name": "schedtune", "version": text.Release, "rules": rules}},
		"results": results}}})
}
