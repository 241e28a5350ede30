package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"schedtune/internal/cli"
)

// Each form for other programs has the problems of --json, at their lines.
func TestCheckFormats(t *testing.T) {
	call := []string{"check", "testdata/sum97.xml", "../../datasets/spark/capacity-scheduler.xml"}
	var doc checkJSON
	out, _ := must(t, cli.ExitFindings, append(call, "--json")...)
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Problems) == 0 {
		t.Fatalf("%v: %s", err, out)
	}
	var want []string
	for _, p := range doc.Problems {
		want = append(want, fmt.Sprintf("%s %s:%d %s", p.Rule, p.File, p.At(), p.Message()))
	}
	for form, read := range map[string]func(t *testing.T, out string) []string{
		"sarif": func(t *testing.T, out string) (got []string) {
			var log struct {
				Runs []struct {
					Results []struct {
						RuleID    string
						Message   struct{ Text string }
						Locations []struct {
							PhysicalLocation struct {
								ArtifactLocation struct{ URI string }
								Region           struct{ StartLine int }
							}
						}
					}
				}
			}
			if err := json.Unmarshal([]byte(out), &log); err != nil {
				t.Fatal(err)
			}
			for _, r := range log.Runs[0].Results {
				at := r.Locations[0].PhysicalLocation
				got = append(got, fmt.Sprintf("%s %s:%d %s", r.RuleID, at.ArtifactLocation.URI, at.Region.StartLine,
					r.Message.Text))
			}
			return got
		},
		"junit": func(t *testing.T, out string) (got []string) {
			var all struct {
				Suites []struct {
					Failures int `xml:"failures,attr"`
					Cases    []struct {
						Name    string `xml:"name,attr"`
						Failure *struct {
							Message string `xml:"message,attr"`
							Text    string `xml:",chardata"`
						} `xml:"failure"`
					} `xml:"testcase"`
				} `xml:"testsuite"`
			}
			if err := xml.Unmarshal([]byte(out), &all); err != nil || len(all.Suites) != 2 {
				t.Fatalf("%d suites, %v", len(all.Suites), err)
			}
			for _, s := range all.Suites {
				if len(s.Cases) != max(s.Failures, 1) {
					t.Errorf("%d cases, %d failures", len(s.Cases), s.Failures)
				}
				for _, c := range s.Cases {
					if c.Failure != nil {
						rule, _, _ := strings.Cut(c.Name, " ")
						got = append(got, rule+" "+c.Failure.Text+" "+c.Failure.Message)
					}
				}
			}
			return got
		},
		"github": func(t *testing.T, out string) (got []string) {
			unescape := strings.NewReplacer("%25", "%", "%3A", ":", "%2C", ",").Replace
			for line := range strings.Lines(out) {
				head, message, _ := strings.Cut(strings.TrimSpace(line)[2:], "::")
				_, fields, _ := strings.Cut(head, " file=")
				file, rest, _ := strings.Cut(fields, ",line=")
				at, rule, _ := strings.Cut(rest, ",title=")
				got = append(got, unescape(rule+" "+file+":"+at+" "+message))
			}
			return got
		},
	} {
		t.Run(form, func(t *testing.T) {
			out, _ := must(t, cli.ExitFindings, append(call, "--format", form)...)
			if got := read(t, out); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}
