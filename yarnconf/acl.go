package yarnconf

import (
	"slices"
	"strings"
)

// permissions are the lists of who may use a queue; root's default is everybody, that of other queues nobody.
var permissions = []string{SubmitACL, "acl_administer_queue"}

// SubmitACL is the setting of a queue that lists who may submit applications to it.
const SubmitACL = "acl_submit_applications"

// MaySubmit reports whether the permissions of queue i or of one above it let a user submit applications, or
// administer the queue, and else the groups whose members they let in. They count only with yarn.acl.enable.
func (c *Config) MaySubmit(i int, user string, groups []string) (may bool, members []string) {
	r := Reader{p: c.layers()}
	if !r.Boolean("yarn.acl.enable", false) {
		return true, nil
	}
	for ; i >= 0; i = c.Queues[i].Parent {
		for _, name := range permissions {
			v, set := r.p.Get(Key(c.Queues[i].Path, name))
			if strings.TrimSpace(v) == "*" || !set && c.Queues[i].Parent < 0 {
				return true, nil
			}
			users, of, _ := strings.Cut(v, " ") // "user,user group,group"
			members = append(members, splitNames(of)...)
			if slices.Contains(splitNames(users), user) || slices.ContainsFunc(groups, func(g string) bool {
				return slices.Contains(members, g)
			}) {
				return true, nil
			}
		}
	}
	return false, members
}

// Permitting returns what a list of users and groups, a property, is, and what it is with one user more.
func (c *Config) Permitting(key, user string) (present, value string) {
	present, _ = c.layers().Get(key)
	users, groups, _ := strings.Cut(present, " ")
	if users != "" {
		user = users + "," + user
	}
	return present, strings.TrimRight(user+" "+groups, " ")
}
