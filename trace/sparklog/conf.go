package sparklog

import (
	_ "embed"
	"schedtune/trace/internal/history"
	"slices"
	"strings"
)

// confText lists the properties of an application that decide what its driver and
// executors are, when executors are asked for and given back, and how tasks are placed; a
// star stands for all properties that begin so. Others are not held: they may name paths,
// hosts or secrets.
//
//go:embed conf.txt
var confText string

var (
	kept         = history.Words(confText)
	keptPrefixes = keptFamilies()
)

func keptFamilies() (prefixes []string) {
	for name := range kept {
		if p, ok := strings.CutSuffix(name, "*"); ok {
			prefixes = append(prefixes, p)
		}
	}
	return prefixes
}

// keep reports whether a property matters.
func keep(name string) bool { return kept[name] || startsWithAny(name, keptPrefixes) }

// Manager names the cluster manager an application ran on.
type Manager string

// Cluster managers.
const (
	YARN       Manager = "yarn"
	Standalone Manager = "standalone"
	Kubernetes Manager = "kubernetes"
	Local      Manager = "local"
	Mesos      Manager = "mesos"
	NotSaid    Manager = ""
)

// Manager tells the cluster manager from spark.master, or where the log has no
// settings from the application's id.
func (a *App) Manager() Manager {
	for _, by := range []struct {
		prefix string
		of     string
		is     Manager
	}{
		{"yarn", a.Conf["spark.master"], YARN},
		{"k8s", a.Conf["spark.master"], Kubernetes},
		{"spark:", a.Conf["spark.master"], Standalone},
		{"local", a.Conf["spark.master"], Local},
		{"mesos", a.Conf["spark.master"], Mesos},
		{"application_", a.ID, YARN},
		{"spark-", a.ID, Kubernetes},
		{"app-", a.ID, Standalone},
		{"local-", a.ID, Local},
	} {
		if strings.HasPrefix(by.of, by.prefix) {
			return by.is
		}
	}
	return NotSaid
}

// Dynamic reports whether dynamic allocation was on, without which no executor is of another
// profile than the default one. Spark ignores it beside a local master.
func (a *App) Dynamic() bool {
	on := a.Conf["spark.dynamicAllocation.enabled"] == "true" ||
		slices.ContainsFunc(a.Executors, func(e Executor) bool { return e.Profile != 0 })
	return on && a.Manager() != Local
}
