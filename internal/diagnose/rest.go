package diagnose

import (
	"cmp"

	"schedtune/internal/rm"
	"schedtune/simcore/yarn"
)

// The ResourceManager's answers, as far as they tell why an application waits.

// usage is what a queue or a user has of a partition.
type usage struct {
	Partition   string      `json:"partitionName"`
	Used        rm.Resource `json:"used"`
	Reserved    rm.Resource `json:"reserved"`
	Pending     rm.Resource `json:"pending"`
	AMUsed      rm.Resource `json:"amUsed"`
	AMLimit     rm.Resource `json:"amLimit"`
	UserAMLimit rm.Resource `json:"userAmLimit"`
}

type usages struct {
	By []usage `json:"resourceUsagesByPartition"`
}

func (u *usages) of(partition string) usage {
	for _, x := range u.By {
		if x.Partition == partition {
			return x
		}
	}
	return usage{}
}

// of is what the queue has of a partition. Older versions write what is without label elsewhere.
func (q *queue) of(partition string) usage {
	u := q.Resources.of(partition)
	if partition == "" {
		u.Used, u.UserAMLimit = cmp.Or(u.Used, q.Used), cmp.Or(u.UserAMLimit, q.UserAMLimit)
		if u.AMLimit.Memory == 0 {
			u.AMUsed, u.AMLimit = q.AMUsed, q.AMLimit
		}
	}
	return u
}

// sizes are what the queue is guaranteed of a partition and what it may use at most.
func (q *queue) sizes(partition string) (least, most yarn.Resource) {
	for _, c := range q.Capacities.By {
		if c.Partition == partition {
			least, most = yarn.Resource(c.Min), yarn.Resource(c.Max)
		}
	}
	return least, most
}

// of is what the user has of a partition, likewise.
func (u *user) of(partition string) usage {
	x := u.Resources.of(partition)
	if partition == "" {
		x.Used, x.AMUsed = cmp.Or(x.Used, u.Used), cmp.Or(x.AMUsed, u.AMUsed)
	}
	return x
}

type queue struct {
	Path       string `json:"queuePath"`
	Name       string `json:"queueName"`
	State      string `json:"state"`
	Active     int    `json:"numActiveApplications"`
	Pending    int    `json:"numPendingApplications"`
	Parallel   int64  `json:"maxParallelApps"`
	Resources  usages `json:"resources"`
	Capacities struct {
		By []struct {
			Partition string      `json:"partitionName"`
			AMPercent float64     `json:"maxAMLimitPercentage"`
			Min       rm.Resource `json:"effectiveMinResource"`
			Max       rm.Resource `json:"effectiveMaxResource"`
		} `json:"queueCapacitiesByPartition"`
	} `json:"capacities"`
	AMLimit     rm.Resource `json:"AMResourceLimit"`
	AMUsed      rm.Resource `json:"usedAMResource"`
	UserAMLimit rm.Resource `json:"userAMResourceLimit"`
	Used        rm.Resource `json:"resourcesUsed"`
	Users       struct {
		User []user `json:"user"`
	} `json:"users"`
	Queues struct {
		Queue []queue `json:"queue"`
	} `json:"queues"`
}

type user struct {
	Name      string      `json:"username"`
	Used      rm.Resource `json:"resourcesUsed"`
	AMUsed    rm.Resource `json:"AMResourceUsed"`
	Limit     rm.Resource `json:"userResourceLimit"`
	Active    int         `json:"numActiveApplications"`
	Pending   int         `json:"numPendingApplications"`
	Resources usages      `json:"resources"`
}

// app is an application.
type app rm.App

// ended reports whether the application is over.
func (a *app) ended() bool {
	return a.State == "FINISHED" || a.State == "FAILED" || a.State == "KILLED"
}

// ask is the first request for any node; nil where there is none.
func (a *app) ask() *rm.Ask {
	for i := range a.Asks {
		if x := &a.Asks[i]; x.Where == "*" && x.Count > 0 {
			return x
		}
	}
	return nil
}

type node struct {
	ID     string   `json:"id"`
	Rack   string   `json:"rack"`
	State  string   `json:"state"`
	Used   int64    `json:"usedMemoryMB"`
	Free   int64    `json:"availMemoryMB"`
	UsedV  int64    `json:"usedVirtualCores"`
	FreeV  int64    `json:"availableVirtualCores"`
	Labels []string `json:"nodeLabels"`
}
