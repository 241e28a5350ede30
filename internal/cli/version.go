package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"schedtune/internal/text"
)

// VersionDocument is the document of --version and of tune version.
type VersionDocument struct {
	Schema  string   `json:"schema"`
	Version string   `json:"version"` // with the commit
	Go      string   `json:"go"`      // version that compiled the program
	Hadoop  []string `json:"hadoop"`  // versions whose rules it knows
}

// String returns the line of --version.
func (v VersionDocument) String() string {
	return fmt.Sprintf("%s, %s, Hadoop %s", v.Version, v.Go, strings.Join(v.Hadoop, ", "))
}

// Version returns the version of the program, which knows the rules of these versions of Hadoop, and
// has --version of a tree print it: a line, or with --json the document.
func (e *Env) Version(root *cobra.Command, hadoop ...fmt.Stringer) VersionDocument {
	v := VersionDocument{Schema: text.SchemaVersion, Version: text.Version(), Go: runtime.Version()}
	for _, h := range hadoop {
		v.Hadoop = append(v.Hadoop, h.String())
	}
	e.command = root // as cobra prints a version without executing a command
	doc, _ := e.Encode(v)
	e.command = nil
	root.Version = v.String()
	root.SetVersionTemplate(fmt.Sprintf("{{if eq (.Flag %q).Value.String %q}}{{%q}}{{else}}{{.Version}}\n{{end}}", "json",
		"true", doc))
	return v
}
