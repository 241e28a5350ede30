package yarn

import "strings"

// Submissions that a scheduler turns down, by the limit that did: metrics count them by it.

// Refusal is the error of a Submit that a limit of the configuration turns down.
type Refusal struct {
	App   string
	Limit string // the limit and its value, such as "root.prod may have 14 applications at a time"
}

// Error names the application and the limit.
func (r *Refusal) Error() string { return "application " + r.App + ": " + r.Limit }

// limitOf is the limit behind an error of Submit: equal for all applications that
// it turns down.
func limitOf(app string, err error) string {
	if r, ok := err.(*Refusal); ok {
		return r.Limit
	}
	return strings.TrimPrefix(err.Error(), "application "+app+": ")
}
