package yarnconf

import (
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

// ruleTexts describe the rules of warnings, and of files that are no configuration.
var ruleTexts = map[string]string{
	"ambiguous-queue":        "two leaf queues have the same short name, and jobs that use it are refused",
	"beyond-cluster":         "absolute capacities exceed what the cluster has",
	"dynamic-queues":         "no queue can be created below a parent that is to create them",
	"empty-value":            "an empty value counts as not set",
	"endless-assignment":     "a heartbeat may try the same container without end",
	"ignored":                "the scheduler does not read the property at this place",
	"inexact-sum":            "capacities sum to almost 100 and are accepted by tolerance",
	"label-without-capacity": "a queue may use nodes with a label and has no capacity there",
	"leaf-without-capacity":  "dynamic leaf queues beyond their parent's capacity get nothing",
	"missing-file":           "a file that the configuration names does not exist",
	"no-applications":        "the limits admit no application of a queue or user",
	"no-cores":               "cores are not counted, or a queue is guaranteed less than one",
	"no-default":             "no queue takes the applications that name none",
	"no-effect":              "the setting has no effect beside others",
	"no-guarantee":           "a queue has no guaranteed share",
	"no-preemption":          "an empty managed parent stops preemption in the whole cluster",
	"no-resources":           "the setting gives users nothing",
	"not-boolean":            "a switch is neither true nor false and counts as not set",
	notConfiguration:         "the file is not a configuration of the Capacity Scheduler",
	"one-application":        "the limit of application masters lets one application run at a time",
	"open-acl":               "an access list keeps nobody out, because a parent allows everybody",
	"out-of-range":           "the value is outside its range, and another one is used",
	"percentage":             "a percentage is written as a fraction",
	"set-twice":              "a property is set twice",
	"single-user":            "one user cannot fill the queue up to its maximum",
	"unknown-label":          "no node of the cluster has the label",
	"unknown-setting":        "the property is no setting of the Capacity Scheduler",
	"unreachable-rule":       "a placement rule is never reached",
	"unused-nodes":           "no queue may use the nodes of a label",
}
