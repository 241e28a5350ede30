package forecast

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
	"schedtune/yarnconf"
)

// Scenarios for a harness that records runs of a real YARN: a folder with
// scenario.json (nodes, jobs, properties) and conf/capacity-scheduler.xml.

// Scenario is what the harness is asked.
type Scenario struct {
	Run      string                `json:"run"`
	Note     string                `json:"note"`
	Nodes    []replay.ScenarioNode `json:"nodes"`
	Jobs     []replay.ScenarioJob  `json:"jobs"`
	Settings map[string]string     `json:"settings"` // properties of the cluster and of every job
}

// loadScenario reads a folder's scenario.json.
func loadScenario(dir string) (*Scenario, error) {
	var s Scenario
	if err := runlog.JSON(dir, "scenario.json", &s); err != nil {
		return nil, err
	}
	if len(s.Nodes) == 0 || len(s.Jobs) == 0 {
		return nil, fmt.Errorf("%s: %d nodes and %d jobs in scenario.json: needs one of each", dir, len(s.Nodes), len(s.Jobs))
	}
	return &s, nil
}

// write makes the folder that the harness reads.
func (s *Scenario) write(dir string, queues []byte) error {
	if err := os.MkdirAll(filepath.Join(dir, "conf"), 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "scenario.json"), append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "conf", "capacity-scheduler.xml"), queues, 0o644)
}

// purposeScenario keys the draws.
const purposeScenario = 0x7363656e

// drawn is a scenario with its queue file.
type drawn struct {
	scenario *Scenario
	queues   *yarnconf.Document
}

// drawScenario draws two or three queues, five users and seven to nine jobs of
// about two minutes on four nodes of a GiB.
func drawScenario(k rng.Key, name string, settings map[string]string) (*drawn, error) {
	d := rng.NewStream(k)
	u := func() float64 { return float64(d.Uint64()>>11) / (1 << 53) }
	one := func(v ...float64) float64 { return v[int(u()*float64(len(v)))] }
	s := &Scenario{Run: name, Note: "drawn", Settings: settings}
	for i := range 4 {
		s.Nodes = append(s.Nodes, replay.ScenarioNode{Name: fmt.Sprintf("n%d", i+1), MiB: 1024, VCores: 8})
	}
	queues := []string{"prod", "adhoc", "etl"}[:2+int(2*u())]
	doc, err := drawQueues(queues, u, one)
	if err != nil {
		return nil, err
	}
	slowstart, reduce := one(0.05, 0.05, 0.3, 0.8, 1), int64(one(256, 256, 512))
	users := []string{"alice", "bob", "carol", "dave", "erin"}
	at := 0.0
	for i := range 7 + int(3*u()) {
		user := int(u() * float64(len(users)))
		s.Jobs = append(s.Jobs, replay.ScenarioJob{Name: fmt.Sprintf("j%d", i+1), Kind: "sleep",
			Queue: queues[user%len(queues)], User: users[user],
			Submit: math.Round(at), Maps: int32(one(2, 4, 8, 8, 12, 16)), Reduces: int32(one(1, 2, 4)),
			MapTime: 1000 * math.Round(6+10*u()), RedTime: 1000 * math.Round(4+6*u()), Slowstart: slowstart, MapMiB: 256,
			ReduceMiB: reduce, AMMiB: 256})
		at += 1000 * math.Min(20, -7*math.Log(1-u()))
	}
	return &drawn{s, doc}, nil
}

func drawQueues(queues []string, u func() float64, one func(...float64) float64) (*yarnconf.Document, error) {
	f := fileDraw{u: u}
	set := f.set
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	set("maximum-applications", "1000")
	set("maximum-am-resource-percent", number(one(0.1, 0.2, 0.5)))
	set("resource-calculator", "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator")
	set("schedule-asynchronously.enable", "false")
	set("node-locality-delay", "-1")
	set("per-node-heartbeat.maximum-offswitch-assignments", number(one(1, 1, 2, 4)))
	set("root.queues", strings.Join(queues, ","))
	left := 100.0
	for i, q := range queues {
		share := left
		if n := len(queues) - 1 - i; n > 0 {
			share = 5 * math.Round((15+(left-15-15*float64(n))*u())/5)
		}
		left -= share
		set("root."+q+".capacity", number(share))
		set("root."+q+".maximum-capacity", number(math.Min(100, share+one(0, 20, 40, 100))))
		set("root."+q+".user-limit-factor", number(one(0.5, 1, 1, 2)))
		set("root."+q+".minimum-user-limit-percent", number(one(100, 50, 25)))
		if u() < 0.3 {
			set("root."+q+".ordering-policy", "fair")
		}
	}
	return yarnconf.Parse("drawn.xml", yarnconf.Fragment("", f.settings))
}

// planned is the scenario as a case whose latencies are those of one machine.
func (d *drawn) planned() (*scenario.Case, error) {
	site, err := siteOf(d.scenario.Settings)
	if err != nil {
		return nil, err
	}
	cal, err := yarn.LoadCalibration(yarn.CalibrationMiniCluster)
	if err != nil {
		return nil, err
	}
	c := &scenario.Case{Doc: d.queues.WithSite(site), Cluster: &simcore.Cluster{Racks: []string{"/default-rack"}},
		Calibration: cal}
	c.Props = c.Doc
	for _, n := range d.scenario.Nodes {
		c.Cluster.Nodes = append(c.Cluster.Nodes, simcore.Node{Name: n.Name, Capacity: simcore.Vec{n.MiB, n.VCores}})
	}
	w := &simcore.Workload{Name: d.scenario.Run}
	var queues, users fileio.Index
	for i := range d.scenario.Jobs {
		s := &d.scenario.Jobs[i]
		w.Jobs = append(w.Jobs, replay.PlannedJob(w, s, queues.ID(&w.Queues, "root."+s.Queue), users.ID(&w.Users, s.User)))
	}
	c.Work = w
	return c, nil
}

// siteOf is the yarn-site.xml of a scenario's properties.
func siteOf(settings map[string]string) (*yarnconf.Document, error) {
	var site []yarnconf.Change
	for _, key := range []string{"yarn.scheduler.minimum-allocation-mb", "yarn.scheduler.maximum-allocation-mb"} {
		if v := settings[key]; v != "" {
			site = append(site, yarnconf.Change{Key: key, Value: v})
		}
	}
	return yarnconf.Parse("settings", yarnconf.Fragment("", site))
}
