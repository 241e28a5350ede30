package requests

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Rows are a map from places to rows, of which those that ask for nothing any more
// are gone; each says how late it came among them.
func TestRowsAreAMapByPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k Rows
		model, came := map[yarn.Place]Row{}, uint32(0)
		put := func(r Row) {
			old, there := model[r.Place]
			if r.Turn = old.Turn; !there {
				came++
				r.Turn = came
			}
			r.Present = true
			model[r.Place] = r
		}
		lower := func(p yarn.Place) {
			if r, ok := model[p]; ok {
				if r.Count--; r.Count == 0 {
					delete(model, p)
				} else {
					model[p] = r
				}
			}
		}
		place := rapid.Custom(func(t *rapid.T) yarn.Place {
			if p := rapid.IntRange(0, 11).Draw(t, "place"); p > 5 {
				return yarn.Place(p-5)<<24 + yarn.Place(rapid.IntRange(0, 20).Draw(t, "more")) // of a table that has to grow
			} else {
				return yarn.Place(p)
			}
		})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				r := Row{Place: place.Draw(t, "at"), Count: int32(rapid.IntRange(1, 3).Draw(t, "count")),
					Size: yarnconf.Resource{Memory: 1}}
				k.Put(r)
				put(r)
			},
			"take": func(t *rapid.T) {
				if model[yarn.AnyPlace].Count == 0 {
					t.Skip("nothing asked for")
				}
				loc, node, rack := uint8(rapid.IntRange(0, 2).Draw(t, "locality")), yarn.Place(1), yarn.Place(2)
				from := k.From(loc, node, rack)
				last := k.Take(&from)
				for _, p := range []yarn.Place{node, rack, yarn.AnyPlace}[loc:] {
					lower(p)
				}
				if _, more := model[yarn.AnyPlace]; last == more {
					t.Fatalf("the last: %v, more are asked for: %v", last, more)
				}
			},
			"back": func(t *rapid.T) {
				p := place.Draw(t, "at")
				r := k.Again(p, Kept{Strict: true})
				if r.Place != p || r.Count != model[p].Count+1 || !r.Strict {
					t.Fatalf("one more than %+v: %+v", model[p], r)
				}
				k.Put(r)
				put(r)
			},
			"many": func(t *rapid.T) {
				for p := range yarn.Place(rapid.IntRange(1, 60).Draw(t, "rows")) {
					r := Row{Place: 7 * (p + 1), Count: 1}
					k.Put(r)
					put(r)
				}
			},
			"again": func(*rapid.T) {
				k = Rows{}
				clear(model)
				came = 0
			},
			"forget": func(*rapid.T) {
				k.Forget()
				clear(model)
			},
			"": func(t *rapid.T) {
				if k.Unique != len(model) || k.Outstanding() != model[yarn.AnyPlace].Count {
					t.Fatalf("%d rows, %d containers; want %+v", k.Unique, k.Outstanding(), model)
				}
				for _, p := range slices.AppendSeq([]yarn.Place{1, 2, 3, 4, 5, 6, 1<<24 + 1}, maps.Keys(model)) {
					if p == yarn.AnyPlace {
						continue
					}
					want, there := model[p]
					if got := k.At(p); (got != nil) != there || there && *got != want || got.Asks() != want.Count {
						t.Fatalf("place %d: %+v, want %+v of %v", p, got, want, slices.Sorted(maps.Keys(model)))
					}
				}
				for i, r := range k.From(NodeLocal, 1, 2) {
					if want := model[yarn.Place(i+1)]; i < 2 && r.Kept() != (Kept{want.Size, want.Strict}) {
						t.Fatalf("kept of place %d: %+v, want %+v", i+1, r.Kept(), want)
					}
				}
				for loc := range uint8(3) {
					from := k.From(loc, 1, 2)
					if near := from[:loc]; slices.ContainsFunc(near, func(r *Row) bool { return r != nil }) ||
						from[OffSwitch] != &k.Any {
						t.Fatalf("rows of locality %d: %v", loc, from)
					}
				}
			},
		})
	})
}

// Of several rows for one key and place the last counts.
func TestOverruled(t *testing.T) {
	asks := []yarn.Ask{{Where: 1}, {Where: 2}, {Where: 1, Priority: 1}, {Where: 1}, {Where: 2, AllocID: 1}}
	for i, want := range []bool{true, false, false, false, false} {
		if got := Overruled(asks, i); got != want {
			t.Errorf("row %d: %v", i, got)
		}
	}
}
