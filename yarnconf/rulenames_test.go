package yarnconf

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every rule that the checks name has a text, and every text is of a rule in use.
func TestRuleNames(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := []string{notConfiguration}
	call := regexp.MustCompile(`k\.warn\(\s*("[^,]+),|Rule: "([a-z-]+)"`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			rule := strings.Trim(m[1]+m[2], `"`)
			if used = append(used, rule); RuleText(rule) == "" && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s: no text for rule %s", name, rule)
			}
		}
	}
	for _, r := range valueRules {
		if used = append(used, r.rule); RuleText(r.rule) == "" {
			t.Errorf("no text for rule %s", r.rule)
		}
	}
	for _, rule := range RuleNames() {
		if !slices.Contains(used, rule) {
			t.Errorf("rule %s is not in use", rule)
		}
	}
	for key, want := range map[string]string{"": notConfiguration, Key("root.a", Capacity): "invalid-capacity",
		Prefix + "root.a.accessible-node-labels.GPU.maximum-capacity": "invalid-maximum-capacity"} {
		if got := RuleOf(Problem{Key: key}); got != want || RuleText(got) == "" {
			t.Errorf("%q: %s, want %s", key, got, want)
		}
	}
}
