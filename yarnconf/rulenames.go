package yarnconf

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
)

// Names of rules are stable: lists of allowed problems and trends hold on to them.

// invalid begins the rule of an error, and the name of the setting ends it.
const invalid = "invalid-"

// notConfiguration is the rule of a file that is no configuration.
const notConfiguration = "not-a-configuration"

// RuleOf returns the name of the rule that a problem breaks. That of an error follows from its
// setting, as invalid-capacity.
func RuleOf(p Problem) string {
	switch {
	case p.Rule != "":
		return p.Rule
	case p.Key == "":
		return notConfiguration
	}
	return invalid + strings.ToLower(p.Key[strings.LastIndexByte(p.Key, '.')+1:])
}

// RuleText describes a rule.
func RuleText(rule string) string {
	if setting, ok := strings.CutPrefix(rule, invalid); ok {
		return "the ResourceManager refuses the file, or its refresh, because of " + setting
	}
	return ruleTexts[rule]
}

// RuleNames lists the rules of warnings, and of files that are no configuration, by name.
func RuleNames() []string { return slices.Sorted(maps.Keys(ruleTexts)) }

// rules.txt describes the rules of warnings, and of files that are no configuration: one RULE: TEXT a
// line.
//
//go:embed rules.txt
var rulesText string

var ruleTexts = lines(rulesText)

// lines reads a text of NAME: TEXT.
func lines(text string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		name, about, _ := strings.Cut(strings.TrimSpace(line), ": ")
		m[name] = about
	}
	return m
}
