package study

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"schedtune/tune"
	"schedtune/yarnconf"
)

// Templates of queues created dynamically. The settings of a parent's template are
// parameters where jobs run in queues that it makes.

// templates adds the settings of the templates below which jobs run.
func (b *spaceBuilder) templates() {
	for i := range b.conf.Queues {
		q := &b.conf.Queues[i]
		if q.Leaf || !b.makes(q.Path) {
			continue
		}
		switch {
		case q.AutoCreateOld:
			b.leafTemplate(q.Path+".leaf-queue-template.", "", "1", number(0.1))
			b.template(q.Path+".leaf-queue-template.", "", yarnconf.Capacity, "", tune.Param{Kind: tune.Linear, Min: 1,
				Max: 100, Step: 1})
		case q.AutoCreate:
			b.leafTemplate(q.Path+".auto-queue-creation-v2.leaf-template.", q.Path+".auto-queue-creation-v2.template.", "-1",
				"1")
		}
	}
}

// makes reports whether jobs run below a parent in queues that the file does not
// list.
func (b *spaceBuilder) makes(parent string) bool {
	for _, q := range b.c.Work.Queues {
		if strings.HasPrefix(q, parent+".") && b.conf.Find(q) < 0 {
			return true
		}
	}
	return false
}

// leafTemplate adds what every leaf has. Values that no template sets are those
// the leaves get then.
func (b *spaceBuilder) leafTemplate(at, behind, factor, share string) {
	global := func(name, otherwise string) string {
		if v := b.c.Doc.Value(yarnconf.Prefix + name); v != "" && behind == "" {
			return v
		}
		return otherwise
	}
	limit := cmp.Or(b.c.Doc.Value(yarnconf.Prefix+yarnconf.MinimumUser), "100")
	b.template(at, behind, yarnconf.MinimumUser, limit, tune.Param{Kind: tune.Users})
	b.template(at, behind, yarnconf.UserFactor, global(yarnconf.UserFactor, factor), userFactor)
	b.template(at, behind, yarnconf.AMShare, global(yarnconf.AMShare, share), amShare)
	b.template(at, behind, yarnconf.OrderingPolicy, "fifo", ordering)
}

// template adds one setting: of the template at a path where it stands there, else
// of the one behind it, else new. Without a value in force there is none.
func (b *spaceBuilder) template(at, behind, name, otherwise string, p tune.Param) {
	path := at + name
	p.Present = strings.TrimSpace(b.c.Doc.Value(yarnconf.Prefix + path))
	if p.Present == "" && behind != "" {
		if v := strings.TrimSpace(b.c.Doc.Value(yarnconf.Prefix + behind + name)); v != "" {
			path, p.Present = behind+name, v
		}
	}
	p.Present = cmp.Or(p.Present, otherwise)
	known := isNumber(p.Present)
	if p.Kind == tune.Category {
		known = slices.Contains(p.Choices, p.Present)
	}
	if known {
		b.add(path, yarnconf.Prefix+path, name, p)
	}
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
