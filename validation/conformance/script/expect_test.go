package script

import (
	"fmt"
	"strconv"
	"strings"

	"schedtune/simcore/yarn"
)

// expect tests one figure; memory in MiB. Queue figures take a queue's path,
// application figures an application's name:
//
//	expect used QUEUE N         expect reserved QUEUE N    expect pending QUEUE N
//	expect active QUEUE N       expect waiting QUEUE N     (applications)
//	expect users QUEUE N        users that share the AM limit
//	expect asking QUEUE N       users with outstanding asks
//	expect min QUEUE N          expect max QUEUE N         effective resources
//	expect absolute QUEUE F     expect absolute-max QUEUE F   to five digits
//	expect am QUEUE N           expect am QUEUE USER N     AM limit of all, of one
//	expect limit QUEUE USER N   the user's limit
//	expect wanted QUEUE N       asks as far as users' limits allow
//	expect app APP N            what it uses, without reservations
//	expect live APP N           expect reservations APP N  expect asks APP N (MiB)
//	expect headroom APP N       expect missed APP PRIORITY N
//	expect got WORD…            what the last beat brought: "app_0", "app_0:reserved",
//	                            with a locality "app_0/node"; "nothing"
//	expect rejected             expect accepted            the last submit or refresh
func (p *player) expect(w []string) error {
	switch w[0] {
	case "rejected":
		if p.last == nil {
			return fmt.Errorf("accepted")
		}
		return nil
	case "accepted":
		return p.last
	case "got":
		return p.expectGot(w[1:])
	}
	if len(w) < 3 {
		return fmt.Errorf("want a figure, a name and a number")
	}
	got, err := p.figure(w[0], w[1:len(w)-1])
	if err != nil {
		return err
	}
	want, err := strconv.ParseFloat(w[len(w)-1], 64)
	if err != nil {
		return err
	}
	if d := got - want; d > 5e-6 || d < -5e-6 {
		return fmt.Errorf("is %v", got)
	}
	return nil
}

func (p *player) expectGot(want []string) error {
	var got []string
	for i := range p.events {
		e := &p.events[i]
		s := p.name(e.App)
		if e.Kind == yarn.Reserve {
			s += ":reserved"
		}
		if len(want) > i && strings.Contains(want[i], "/") {
			s += "/" + [...]string{"node", "rack", "any"}[e.Locality]
		}
		got = append(got, s)
	}
	if len(got) == 0 {
		got = []string{"nothing"}
	}
	if g := strings.Join(got, " "); g != strings.Join(want, " ") {
		return fmt.Errorf("got %s", g)
	}
	return nil
}

func (p *player) name(id yarn.AppID) string {
	for n, a := range p.apps {
		if a == id {
			return n
		}
	}
	return "?"
}

func (p *player) figure(what string, of []string) (float64, error) {
	if f, err := p.appFigure(what, of); f >= 0 || err != nil {
		return f, err
	}
	i := p.s.Config().Find(of[0])
	if i < 0 {
		return 0, fmt.Errorf("no queue %s", of[0])
	}
	return p.queueFigure(what, i, of[1:])
}

// appFigure returns -1 where what is not a figure of applications.
func (p *player) appFigure(what string, of []string) (float64, error) {
	switch what {
	case "app", "live", "reservations", "asks", "headroom", "missed":
	default:
		return -1, nil
	}
	id, err := p.app(of[0])
	if err != nil {
		return 0, err
	}
	f := p.s.App(id)
	switch what {
	case "app":
		return float64(f.Used.Memory), nil
	case "live":
		return float64(f.Live), nil
	case "reservations":
		return float64(f.Reservations), nil
	case "asks":
		return float64(f.Pending.Memory), nil
	case "headroom":
		var r yarn.AskResponse
		p.s.Ask(id, nil, nil, &r)
		return float64(r.Headroom.Memory), nil
	}
	if len(of) < 2 {
		return 0, fmt.Errorf("want a priority")
	}
	n, err := strconv.ParseInt(of[1], 10, 32)
	return float64(p.s.Missed(id, int32(n), 0)), err
}

func (p *player) queueFigure(what string, i int, rest []string) (float64, error) {
	f := p.s.Figures(i, 0)
	user := ""
	if len(rest) > 0 {
		user = rest[0]
	}
	switch what {
	case "used":
		return float64(f.Used.Memory), nil
	case "reserved":
		return float64(f.Reserved.Memory), nil
	case "pending":
		return float64(f.Pending.Memory), nil
	case "wanted":
		return float64(p.s.Wanted(i).Memory), nil
	case "active":
		return float64(f.Active), nil
	case "waiting":
		return float64(f.Waiting), nil
	case "asking":
		return float64(f.AskingUsers), nil
	case "users":
		return float64(f.AskingUsers + f.WaitingUsers), nil
	case "min":
		return float64(f.Min.Memory), nil
	case "max":
		return float64(f.Max.Memory), nil
	case "absolute":
		return float64(f.Absolute), nil
	case "absolute-max":
		return float64(f.AbsoluteMaximum), nil
	case "limit":
		return float64(p.s.UserLimits(i, 0, user).Now.Memory), nil
	case "am":
		if user != "" {
			return float64(p.s.UserLimits(i, 0, user).AM.Memory), nil
		}
		return float64(f.AMLimit.Memory), nil
	}
	return 0, fmt.Errorf("unknown figure %s", what)
}
