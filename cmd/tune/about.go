package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// versionJSON is the document of tune version.
type versionJSON struct {
	Schema  string   `json:"schema"`
	Version string   `json:"version"` // with the commit
	Go      string   `json:"go"`      // version that compiled the program
	Hadoop  []string `json:"hadoop"`  // versions whose rules it knows
}

func version() versionJSON {
	v := versionJSON{Schema: text.SchemaVersion, Version: text.Version(), Go: runtime.Version()}
	for _, h := range []yarnconf.Version{yarnconf.Hadoop33, yarnconf.Hadoop34, yarnconf.Hadoop35} {
		v.Hadoop = append(v.Hadoop, h.String())
	}
	return v
}

// String returns the line of --version.
func (v versionJSON) String() string {
	return fmt.Sprintf("%s, %s, Hadoop %s", v.Version, v.Go, strings.Join(v.Hadoop, ", "))
}

func newVersionCmd(e *env) *cobra.Command {
	return subcommand("version", cli.Args(cobra.NoArgs), func(context.Context, []string) error {
		return e.Show(version(), func(w io.Writer) error {
			_, err := fmt.Fprintln(w, version())
			return err
		})
	})
}

func newManCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:  "man",
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if e.JSON {
				return cli.Usagef("--json: a manual page has no such form")
			}
			return writeManual(e.Stdout, c.Root())
		},
	}
}

// writeManual writes the pages of all commands as one manual page.
func writeManual(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"schedtune %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(root.Name()), text.Release,
		root.Name(), strings.ToLower(root.Short[:1])+root.Short[1:])
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			return
		}
		page := strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(cli.Help(c))
		fmt.Fprintf(&b, ".SH %s\n.nf\n", strings.ToUpper(c.CommandPath()))
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
				line = `\&` + line // a request of roff otherwise
			}
			b.WriteString(line)
		}
		b.WriteString(".fi\n")
		for _, s := range c.Commands() {
			add(s)
		}
	}
	add(root)
	_, err := io.WriteString(w, b.String())
	return err
}

// every lists a command and all below it that do something.
func every(c *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	if c.Runnable() && !c.Hidden {
		list = append(list, c)
	}
	for _, s := range c.Commands() {
		if s.Name() != "completion" && s.Name() != "help" {
			list = append(list, every(s)...)
		}
	}
	return list
}
