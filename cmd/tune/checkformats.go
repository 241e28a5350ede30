package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// checkFormats write the result of tune check for other programs.
var checkFormats = map[string]func(io.Writer, *checkJSON) error{"sarif": writeSARIF, "github": writeGitHub,
	"junit": writeJUnit}

func formatNames() []string {
	return append([]string{"text", "json"}, slices.Sorted(maps.Keys(checkFormats))...)
}

// message is the text of a problem without its place.
func (p *problemJSON) message() string {
	s := strings.TrimPrefix(p.Property, yarnconf.Prefix) + ": " + p.Reason
	if p.Fix != nil {
		s += "; " + *p.Fix
	}
	return strings.TrimPrefix(s, ": ")
}

// line returns the line of a problem, 1 for the file as a whole.
func (p *problemJSON) line() int {
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
		results = append(results, m{"ruleId": p.Rule, "level": p.Severity, "message": m{"text": p.message()},
			"locations": []m{{"physicalLocation": m{"artifactLocation": m{"uri": filepath.ToSlash(p.File)},
				"region": m{"startLine": p.line()}}}}})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(m{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []m{{
		"tool":    m{"driver": m{"name": "schedtune", "version": text.Release, "rules": rules}},
		"results": results}}})
}

// writeGitHub writes workflow commands that GitHub shows as annotations of lines.
func writeGitHub(w io.Writer, out *checkJSON) error {
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for i := range out.Problems {
		p := &out.Problems[i]
		if _, err := fmt.Fprintf(w, "::%s file=%s,line=%d,title=%s::%s\n", p.Severity, property.Replace(p.File), p.line(),
			property.Replace(p.Rule), value.Replace(p.message())); err != nil {
			return err
		}
	}
	return nil
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes a suite per file, with a failed case per problem, or one that passed.
func writeJUnit(w io.Writer, out *checkJSON) error {
	all := struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []junitSuite
	}{}
	for _, f := range out.Files {
		s := junitSuite{Name: f.File}
		for i := range out.Problems {
			if p := &out.Problems[i]; p.File == f.File {
				s.Cases = append(s.Cases, junitCase{f.File, p.Rule + " " + p.Property, &junitFailure{p.Severity, p.message(),
					fmt.Sprintf("%s:%d", p.File, p.line())}})
			}
		}
		s.Tests, s.Failures = max(1, len(s.Cases)), len(s.Cases)
		if s.Failures == 0 {
			s.Cases = []junitCase{{Class: f.File, Name: "valid"}}
		}
		all.Suites = append(all.Suites, s)
	}
	_, err := io.WriteString(w, xml.Header)
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err == nil {
		err = enc.Encode(all)
	}
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}
