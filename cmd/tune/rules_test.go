package main

import (
	"os"
	"strings"
	"testing"

	"schedtune/yarnconf"
)

// docs/rules.md has a heading, and so an anchor, for each rule.
func TestRulesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Rules of `tune check`\n\n## invalid-SETTING\n\nAn error: " + yarnconf.RuleText("invalid-SETTING") +
		". `invalid-capacity`, for\nexample. All other rules are warnings, but not-a-configuration.\n")
	for _, name := range yarnconf.RuleNames() {
		text := yarnconf.RuleText(name)
		b.WriteString("\n## " + name + "\n\n" + strings.ToUpper(text[:1]) + text[1:] + ".\n")
	}
	const path = "../../docs/rules.md"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != b.String() {
		t.Errorf("%s is not made from the rules (%v); -update writes it", path, err)
	}
}
