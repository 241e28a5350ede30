// Package sbom lists the modules that the commands are built from: a table with their
// licences (docs/licences.md), and a bill of materials of cmd/tune as CycloneDX 1.5.
// Both come from the module graph and the licence files in the module cache.
package sbom

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"sort"
	"strings"
)

// module is one module that a command is built from.
type module struct {
	Path, Version, Dir, Licence, Sum string
	Tune, Fit                        bool // reaches the command
}

// Run writes the bill of materials, or the table of licences.
func Run(w io.Writer, licences bool) error {
	list, err := modules()
	if err != nil {
		return err
	}
	if licences {
		return writeTable(w, list)
	}
	return writeSBOM(w, list)
}

// modules lists what cmd/tune and cmd/fit are built from, by path.
func modules() ([]*module, error) {
	all := map[string]*module{}
	for _, cmd := range []string{"./cmd/tune", "./cmd/fit"} {
		out, err := goTool("list", "-deps", "-f", "{{with .Module}}{{if not "+
			".Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{.Sum}}{{end}}{{end}}", cmd)
		if err != nil {
			return nil, err
		}
		for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
			f := strings.Split(line, "\t")
			if len(f) != 4 {
				continue // of the standard library, or our own
			}
			m := all[f[0]]
			if m == nil {
				m = &module{Path: f[0], Version: f[1], Dir: f[2], Sum: f[3]}
				all[f[0]] = m
			}
			m.Tune = m.Tune || cmd == "./cmd/tune"
			m.Fit = m.Fit || cmd == "./cmd/fit"
		}
	}
	var list []*module
	for _, m := range all {
		var err error
		if m.Licence, err = licence(m.Dir); err != nil {
			return nil, fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
		}
		list = append(list, m)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	return list, nil
}

func goTool(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %.500s", strings.Join(args, " "), err, errs.String())
	}
	return string(out), nil
}

func writeTable(w io.Writer, list []*module) error {
	var b strings.Builder
	b.WriteString("# Licences\n\nWhat the commands are built from, made by `make licences` from the module graph " +
		"and\nthe licence files of the modules. schedtune itself: Apache-2.0.\n\n| module | version | licence | in " +
		"|\n|---|---|---|---|\n")
	for _, m := range list {
		in := "tune, fit"
		switch {
		case !m.Fit:
			in = "tune"
		case !m.Tune:
			in = "fit"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.Path, m.Version, m.Licence, in)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Parts of a CycloneDX document.
type (
	bom struct {
		Format     string       `json:"bomFormat"`
		Spec       string       `json:"specVersion"`
		Version    int          `json:"version"`
		Metadata   metadata     `json:"metadata"`
		Components []component  `json:"components"`
		Depends    []dependency `json:"dependencies"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type     string       `json:"type"`
		Ref      string       `json:"bom-ref"`
		Name     string       `json:"name"`
		Version  string       `json:"version,omitempty"`
		PURL     string       `json:"purl,omitempty"`
		Licences []licenceRef `json:"licenses"`
		Props    []property   `json:"properties,omitempty"`
	}
	licenceRef struct {
		Expression string `json:"expression"` // SPDX
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn"`
	}
)

func ref(expression string) []licenceRef { return []licenceRef{{expression}} }

// writeSBOM has no time and no random number in it: one source gives one document.
func writeSBOM(w io.Writer, list []*module) error {
	doc := bom{Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata: metadata{component{Type: "application", Ref: "schedtune", Name: "schedtune/cmd/tune",
			Licences: ref("Apache-2.0")}}}
	own := dependency{Ref: "schedtune", On: []string{}}
	for _, m := range list {
		if !m.Tune {
			continue
		}
		purl := "pkg:golang/" + m.Path + "@" + m.Version
		c := component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl, Licences: ref(m.Licence)}
		if m.Sum != "" {
			c.Props = []property{{"go.sum", m.Sum}}
		}
		doc.Components, own.On = append(doc.Components, c), append(own.On, purl)
	}
	doc.Depends = []dependency{own}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}
