package simulate

import (
	"testing"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// What is blocked counts for the time since the instant before. Free memory is shared by all
// that ask for it, and serves no more than the other limits leave; of a limit on masters at least
// one master is short.
func TestAccountAdds(t *testing.T) {
	blocked := func(l capacity.Limit, user string, amount, free, room int64) sample {
		return sample{capacity.Blocked{Limit: l, At: "root.a", Queue: "root.a", User: user,
			Amount: yarn.Resource{Memory: amount, VCores: 1}, Free: yarn.Resource{Memory: free}, Room: room, Most: 4000},
			float64(amount)}
	}
	a := Account{sums: map[BlockedBy]*Blocked{}}
	a.add([]sample{blocked(capacity.QueueMaximum, "u", 3000, 1000, 1e6), blocked(capacity.QueueMaximum, "u", 1000, 1000, 100),
		blocked(capacity.MastersOfQueue, "u", 1000, 1000, 1e6)}, 10)
	a.add([]sample{blocked(capacity.QueueMaximum, "v", 500, 1000, 1e6)}, 4)
	master := BlockedBy{Limit: capacity.MastersOfQueue, At: "root.a", Queue: "root.a", User: "u"}
	u, v := master, master
	u.Limit, v.Limit, v.User = capacity.QueueMaximum, capacity.QueueMaximum, "v"
	want := []Blocked{
		{BlockedBy: master, Memory: 10000, VCores: 10, Idle: 2000, Short: 10000, Most: 40000},
		{BlockedBy: u, Memory: 40000, VCores: 20, Idle: 6000 + 1000, Short: 6000 + 1000, Most: 40000},
		{BlockedBy: v, Memory: 2000, VCores: 4, Idle: 2000, Short: 2000, Most: 16000},
	}
	got := a.List()
	if len(got) != len(want) || a.Total() != 52000 {
		t.Fatalf("got %+v of %v, want %+v of 52000", got, a.Total(), want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}
