package requests

import (
	"slices"
	"testing"

	"schedtune/simcore/yarn"
)

type testQueue struct {
	up   *testQueue
	down []*testQueue
	most int
	Runs[*testApp]
}

func (q *testQueue) Up() *testQueue                           { return q.up }
func (q *testQueue) Down() (children []*testQueue, leaf bool) { return q.down, len(q.down) == 0 }
func (q *testQueue) MostApps() int                            { return q.most }

type testApp struct {
	id   yarn.AppID
	leaf *testQueue
	user string
}

func (a *testApp) Of() (leaf *testQueue, user string) { return a.leaf, a.user }
func (a *testApp) ID() yarn.AppID                     { return a.id }

// Root lets three applications run, leaf a two of them, and a user two.
func TestParallel(t *testing.T) {
	root := &testQueue{most: 3}
	a, b := &testQueue{up: root, most: 2}, &testQueue{up: root, most: 9}
	root.down = []*testQueue{a, b}
	p, two := Parallel[*testQueue, *testApp]{}, func(string) int { return 2 }
	var apps []*testApp
	var ran []yarn.AppID
	start := func(x *testApp) {
		p.Count(x, 1)
		ran = append(ran, x.id)
	}
	for _, c := range []struct {
		leaf   *testQueue
		user   string
		at     *testQueue // whose limit holds it back
		ofUser bool
	}{{a, "u", nil, false}, {a, "u", nil, false}, {b, "u", b, true}, {a, "v", a, false}, {b, "v", nil, false},
		{b, "w", root, false}} {
		x := &testApp{yarn.AppID(len(apps)), c.leaf, c.user}
		apps = append(apps, x)
		at, ofUser := p.Stop(x, two)
		if at != c.at || ofUser != c.ofUser {
			t.Errorf("application %d: stopped at %p, by the user's limit %v, want %p, %v", x.id, at, ofUser, c.at, c.ofUser)
		}
		if at == nil {
			p.Count(x, 1)
		} else {
			p.Hold(x)
		}
	}
	// The end of the first makes room in a, in root and for its user. Root is the highest, so that the
	// lists of both leaves and of the user are looked through, but it has one place: the oldest takes it.
	p.Count(apps[0], -1)
	p.Freed(apps[0], two, start)
	if !slices.Equal(ran, []yarn.AppID{2}) || root.Running != 3 || len(p.User("u").Held)+len(b.Held) != 1 {
		t.Errorf("ran %v, %d in all, want application 2 alone", ran, root.Running)
	}
	root.most, ran = 9, nil
	p.Raised(root, two, start)
	if !slices.Equal(ran, []yarn.AppID{3, 5}) || len(a.Held)+len(b.Held) != 0 {
		t.Errorf("after the limit was raised: ran %v, want 3 and 5", ran)
	}
}
