package diagnose

import (
	"schedtune/simcore/yarn"
)

// The ResourceManager's answers, as far as they tell why an application waits.

// size is a resource as the web services write it.
type size struct {
	Memory int64 `json:"memory"`
	VCores int64 `json:"vCores"`
}

func (s size) resource() yarn.Resource { return yarn.Resource{Memory: s.Memory, VCores: s.VCores} }

// usage is what a queue or a user has of a partition.
type usage struct {
	Partition   string `json:"partitionName"`
	Used        size   `json:"used"`
	Reserved    size   `json:"reserved"`
	Pending     size   `json:"pending"`
	AMUsed      size   `json:"amUsed"`
	AMLimit     size   `json:"amLimit"`
	UserAMLimit size   `json:"userAmLimit"`
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
			Partition string  `json:"partitionName"`
			AMPercent float64 `json:"maxAMLimitPercentage"`
			Min       size    `json:"effectiveMinResource"`
			Max       size    `json:"effectiveMaxResource"`
		} `json:"queueCapacitiesByPartition"`
	} `json:"capacities"`
	AMLimit     size `json:"AMResourceLimit"`
	AMUsed      size `json:"usedAMResource"`
	UserAMLimit size `json:"userAMResourceLimit"`
	Used        size `json:"resourcesUsed"`
	Users       struct {
		User []user `json:"user"`
	} `json:"users"`
	Queues struct {
		Queue []queue `json:"queue"`
	} `json:"queues"`
}

type user struct {
	Name      string `json:"username"`
	Used      size   `json:"resourcesUsed"`
	AMUsed    size   `json:"AMResourceUsed"`
	Limit     size   `json:"userResourceLimit"`
	Active    int    `json:"numActiveApplications"`
	Pending   int    `json:"numPendingApplications"`
	Resources usages `json:"resources"`
}

type app struct {
	ID          string `json:"id"`
	User        string `json:"user"`
	Queue       string `json:"queue"`
	State       string `json:"state"`
	Priority    int32  `json:"priority"`
	Containers  int    `json:"runningContainers"`
	Allocated   int64  `json:"allocatedMB"`
	VCores      int64  `json:"allocatedVCores"`
	Reserved    int64  `json:"reservedMB"`
	AMLabel     string `json:"amNodeLabelExpression"`
	Label       string `json:"appNodeLabelExpression"`
	Diagnostics string `json:"diagnostics"`
	Asks        []ask  `json:"resourceRequests"`
}

// ended reports whether the application is over.
func (a *app) ended() bool {
	return a.State == "FINISHED" || a.State == "FAILED" || a.State == "KILLED"
}

type ask struct {
	Priority   int32  `json:"priority"`
	Where      string `json:"resourceName"`
	Capability size   `json:"capability"`
	Count      int32  `json:"numContainers"`
	Relax      *bool  `json:"relaxLocality"`
	Label      string `json:"nodeLabelExpression"`
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
