package yarnconf

import (
	"fmt"
	"strings"
	"testing"
)

// wide is a file with n leaves below ten parents, five settings each.
func wide(n int) []byte {
	var changes []Change
	set := func(k, v string) { changes = append(changes, Change{Key: Prefix + k, Value: v}) }
	var tops []string
	for p := 0; p < 10; p++ {
		top := fmt.Sprintf("p%d", p)
		tops = append(tops, top)
		set("root."+top+".capacity", "10")
		var leaves []string
		for i := 0; i < n/10; i++ {
			leaf := fmt.Sprintf("q%d-%d", p, i)
			leaves = append(leaves, leaf)
			path := "root." + top + "." + leaf + "."
			set(path+"capacity", "1w")
			set(path+"maximum-capacity", "100")
			set(path+"user-limit-factor", "-1")
			set(path+"ordering-policy", "fair")
			set(path+"maximum-applications", "100")
		}
		set("root."+top+".queues", strings.Join(leaves, ","))
	}
	set("root.queues", strings.Join(tops, ","))
	return Fragment("", changes)
}

func BenchmarkDocument(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		data := wide(n)
		d, err := Parse("f", data)
		if err != nil {
			b.Fatal(err)
		}
		run := func(name string, f func() error) {
			b.Run(fmt.Sprintf("%s/queues=%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(data)))
				for i := 0; i < b.N; i++ {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("parse", func() error { _, err := Parse("f", data); return err })
		run("edit", func() error {
			_, err := d.Edit([]Change{{Key: Key("root.p3.q3-1", "capacity"), Value: "2w"}})
			return err
		})
		run("check", func() error {
			if r := Check(d); r.Count(Error) > 0 {
				return r.Problems[0]
			}
			return nil
		})
	}
}
