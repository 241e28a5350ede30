package cli

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"schedtune/internal/text"
)

// The help of a command: short description, synopsis, description, examples,
// commands below it, flags by group with placeholder, range and default, exit codes.

// groupKey is the annotation of a flag that names its group.
const groupKey = "group"

// commonGroup holds the flags that every command has.
const commonGroup = "Common"

// Group declares flags that are listed together in the help, under a title, in the order of
// their declaration.
func Group(fs *pflag.FlagSet, title string, declare func(fs *pflag.FlagSet)) {
	group := pflag.NewFlagSet(title, pflag.ContinueOnError)
	group.SortFlags = false
	declare(group)
	group.VisitAll(func(f *pflag.Flag) {
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[groupKey] = []string{title}
	})
	fs.AddFlagSet(group)
}

// ExitKey is the annotation of a command that explains an exit code of its own.
func ExitKey(code int) string { return exitKey + strconv.Itoa(code) }

const exitKey = "exit "

// Describe gives the commands of a tree their help from pages, one file a command:
// help/trace-info.txt is the page of tune trace info, and help/tune.txt that of tune itself.
// Commands without a page stay as they are.
func Describe(c *cobra.Command, pages fs.FS) {
	name := strings.TrimPrefix(strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Root().Name()+"-")
	if page, err := fs.ReadFile(pages, "help/"+name+".txt"); err == nil {
		describe(c, string(page))
	}
	for _, s := range c.Commands() {
		Describe(s, pages)
	}
}

// describe sets the help of a command from a page: the short description, then the long
// one, the examples, and the exit codes whose meaning differs from the common one.
func describe(c *cobra.Command, page string) {
	page, exits, _ := strings.Cut(page, "\nExit codes:\n")
	page, c.Example, _ = strings.Cut(page, "\nExamples:\n")
	c.Short, c.Long, _ = strings.Cut(strings.TrimSpace(page), "\n\n")
	c.Annotations = map[string]string{}
	for line := range strings.Lines(exits) {
		code, meaning, _ := strings.Cut(strings.TrimSpace(line), " ")
		c.Annotations[exitKey+code] = strings.TrimSpace(meaning)
	}
}

// helpWidth is the width of help that goes to no terminal, and the most that lines are
// long on one.
const helpWidth = 90

// columnsOf is how many columns a terminal has, 0 if a stream is none.
func columnsOf(w any) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// widthOf is how many columns help has on a stream.
func widthOf(w any) int {
	if n := columnsOf(w); n > 0 {
		return min(n, helpWidth)
	}
	return helpWidth
}

// Help returns the page of a command.
func Help(c *cobra.Command) string {
	var b strings.Builder
	writeHelp(&b, c, helpWidth)
	return b.String()
}

// writeHelp writes the page of a command.
func writeHelp(w io.Writer, c *cobra.Command, width int) {
	var b strings.Builder
	b.WriteString(text.Paragraphs(c.Short, width, ""))
	if c.Runnable() || c.HasAvailableSubCommands() {
		b.WriteString("\nUsage:\n")
		if c.Runnable() {
			b.WriteString("  " + c.UseLine() + "\n")
		}
		if c.HasAvailableSubCommands() {
			b.WriteString("  " + c.CommandPath() + " COMMAND\n")
		}
	}
	if c.Long != "" {
		b.WriteString("\n" + text.Paragraphs(c.Long, width, ""))
	}
	if c.Example != "" {
		b.WriteString("\nExamples:\n" + strings.TrimRight(c.Example, "\n") + "\n")
	}
	helpCommands(&b, c, width)
	if c.Runnable() {
		helpFlags(&b, c, width)
		helpExits(&b, c, width)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND -h describes a command.\n", c.CommandPath())
	}
	_, _ = io.WriteString(w, b.String()) // the stream keeps the error
}

// helpCommands lists the commands below one, by their groups.
func helpCommands(b *strings.Builder, c *cobra.Command, width int) {
	list := func(title, group string, topics bool) {
		var rows [][2]string
		for _, s := range c.Commands() {
			if s.GroupID == group && (topics && s.IsAdditionalHelpTopicCommand() || !topics && s.IsAvailableCommand()) {
				rows = append(rows, [2]string{s.Name(), s.Short})
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(b, "\n%s:\n", title)
			helpRows(b, rows, width)
		}
	}
	rest := "Commands"
	for _, g := range c.Groups() {
		list(strings.TrimSuffix(g.Title, ":"), g.ID, false)
		rest = "Other"
	}
	list(rest, "", false)
	list("Help topics ("+c.CommandPath()+" help TOPIC)", "", true)
}

// helpFlags lists the flags of a command by their groups, those without a group first.
func helpFlags(b *strings.Builder, c *cobra.Command, width int) {
	rows := map[string][][2]string{}
	order := []string{""}
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		group := ""
		if g := f.Annotations[groupKey]; len(g) > 0 {
			group = g[0]
		} else if f.Name == "help" || f.Name == "version" {
			group = commonGroup
		}
		if !slices.Contains(order, group) {
			order = append(order, group)
		}
		rows[group] = append(rows[group], [2]string{flagHead(f), flagText(f)})
	}
	c.LocalFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	if i := slices.Index(order, commonGroup); i >= 0 {
		order = append(slices.Delete(order, i, i+1), commonGroup)
	}
	for _, group := range order {
		if len(rows[group]) == 0 {
			continue
		}
		title := "Flags"
		if group != "" {
			title = group + " flags"
		}
		fmt.Fprintf(b, "\n%s:\n", title)
		helpRows(b, rows[group], width)
	}
}

// flagHead is a flag as it is typed.
func flagHead(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	head := "--" + f.Name
	if f.Shorthand != "" {
		head = "-" + f.Shorthand + ", " + head
	}
	if f.Value.Type() == "bool" {
		return head
	}
	return head + " " + name
}

// flagText returns the description of a flag with its range and default.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	var more []string
	if v, ok := valueOf(f).(interface{ limits() string }); ok && v.limits() != "" {
		more = append(more, v.limits())
	}
	if f.Value.Type() == "stringArray" {
		more = append(more, "repeatable")
	}
	if at := strings.LastIndex(text, " (default "); at >= 0 && strings.HasSuffix(text, ")") {
		more = append(more, text[at+len(" ("):len(text)-1])
		text = text[:at]
	} else if d := f.DefValue; !slices.Contains([]string{"", "[]", "false", "0", "0s"}, d) {
		if f.Value.Type() == "duration" {
			d = shortDuration(d)
		}
		more = append(more, "default "+strings.Trim(d, "[]"))
	}
	if len(more) == 0 {
		return text
	}
	return text + " (" + strings.Join(more, "; ") + ")"
}

// helpExits lists the exit codes of a command.
func helpExits(b *strings.Builder, c *cobra.Command, width int) {
	codes := map[int]string{ExitOK: "done", ExitFailure: "failure", ExitUsage: "invalid command line",
		ExitInterrupted: "interrupted"}
	for key, meaning := range c.Annotations {
		if code, err := strconv.Atoi(strings.TrimPrefix(key, exitKey)); err == nil {
			codes[code] = meaning
		}
	}
	var rows [][2]string
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		rows = append(rows, [2]string{strconv.Itoa(code), codes[code]})
	}
	b.WriteString("\nExit codes:\n")
	helpRows(b, rows, width)
}

// headMost is the widest head of a row that has its text beside it.
const headMost = 26

// helpRows writes rows of two columns; a text whose head is wide, or for which the
// terminal is too narrow, stands below it.
func helpRows(b *strings.Builder, rows [][2]string, width int) {
	column := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r[0]); n <= headMost {
			column = max(column, n)
		}
	}
	indent := strings.Repeat(" ", column+4)
	if width < 2*headMost {
		indent = strings.Repeat(" ", 6)
	}
	for _, r := range rows {
		said := text.Paragraphs(r[1], width, indent)
		if n := utf8.RuneCountInString(r[0]); n+4 <= len(indent) {
			said = strings.TrimPrefix(said, indent[:n+2])
			fmt.Fprintf(b, "  %s%s", r[0], said)
			continue
		}
		fmt.Fprintf(b, "  %s\n%s", r[0], said)
	}
}

// clean replaces what a terminal would obey, in text that may hold words of
// files and servers: control characters other than newline and tab, and the
// marks that turn the direction of writing, become \x1b or \u202e.
func clean(text string) string {
	if !strings.ContainsFunc(text, obeyed) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !obeyed(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// obeyed reports whether a terminal acts on a character instead of showing it.
func obeyed(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// cleaner is standard output on a terminal. What is cut within a character waits
// for the rest.
type cleaner struct {
	w    io.Writer
	rest []byte
}

func (c *cleaner) Write(p []byte) (int, error) {
	text := append(bytes.Clone(c.rest), p...)
	cut := len(text)
	for k := 1; k < utf8.UTFMax && k <= len(text); k++ {
		if b := text[len(text)-k]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-k:]) {
				cut = len(text) - k
			}
			break
		}
	}
	c.rest = bytes.Clone(text[cut:])
	if _, err := io.WriteString(c.w, clean(string(text[:cut]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
