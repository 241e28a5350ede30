package forecast

import (
	"fmt"
	"strings"

	"schedtune/yarnconf"
)

// tree writes a queue file of two to six leaves, now and then below a parent.
func tree(u func() float64) (*yarnconf.Document, []string) {
	f := fileDraw{u: u}
	f.set("maximum-am-resource-percent", f.one("0.1", "0.2", "0.5"))
	if u() < 0.3 {
		f.level("root", 2, true)
		f.level("root.p0", 2, false)
		f.level("root.p1", 2, false)
	} else {
		f.level("root", 2+int(4*u()), false)
	}
	doc, err := yarnconf.Parse("drawn.xml", yarnconf.Fragment("", f.settings))
	if err != nil {
		panic(err) // the text is our own
	}
	return doc, f.leaves
}

// fileDraw writes a queue file by draws from u, which is even over [0, 1).
type fileDraw struct {
	u        func() float64
	leaves   []string
	settings []yarnconf.Change
}

func (f *fileDraw) set(key, value string) {
	f.settings = append(f.settings, yarnconf.Change{Key: yarnconf.Prefix + key, Value: value})
}

// one draws one of the values.
func (f *fileDraw) one(values ...string) string { return values[int(f.u()*float64(len(values)))] }

// level writes n queues below path, parents or leaves: shares of 5 % at least, and what
// goes with them.
func (f *fileDraw) level(path string, n int, parent bool) {
	var names []string
	left := 100
	for i := range n {
		name := fmt.Sprintf("q%d", len(f.leaves)+i)
		if parent {
			name = fmt.Sprintf("p%d", i)
		}
		share := left
		if i < n-1 {
			share = max(5, int(float64(left-5*(n-1-i))*f.u()))
		}
		left -= share
		names = append(names, name)
		f.set(path+"."+name+".capacity", fmt.Sprint(share))
		f.set(path+"."+name+".maximum-capacity", fmt.Sprint(min(100, share+int(float64(101-share)*f.u()))))
		if !parent {
			f.set(path+"."+name+".user-limit-factor", f.one("1", "1", "2", "4"))
			f.set(path+"."+name+".minimum-user-limit-percent", f.one("100", "50", "25"))
		}
	}
	f.set(path+".queues", strings.Join(names, ","))
	if !parent {
		for _, name := range names {
			f.leaves = append(f.leaves, path+"."+name)
		}
	}
}
