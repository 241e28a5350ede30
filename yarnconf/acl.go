package yarnconf

import (
	"slices"
	"strings"
)

// permissions are the lists of who may use a queue; root's default is everybody, that of other queues nobody.
var permissions = []string{"acl_submit_applications", "acl_administer_queue"}

// MaySubmit reports whether the permissions of queue i or of one above it let a user submit applications, or
// administer the queue. They count only with yarn.acl.enable.
func (c *Config) MaySubmit(i int, user string, groups []string) bool {
	r := Reader{p: c.layers()}
	if !r.Boolean("yarn.acl.enable", false) {
		return true
	}
	for ; i >= 0; i = c.Queues[i].Parent {
		for _, name := range permissions {
			v, set := r.p.Get(Key(c.Queues[i].Path, name))
			if strings.TrimSpace(v) == "*" || !set && c.Queues[i].Parent < 0 {
				return true
			}
			users, of, _ := strings.Cut(v, " ") // "user,user group,group"
			if slices.Contains(splitNames(users), user) || slices.ContainsFunc(splitNames(of), func(g string) bool {
				return slices.Contains(groups, g)
			}) {
				return true
			}
		}
	}
	return false
}
