package yarnconf

import (
	"reflect"
	"testing"
)

const twoLeaves = "root.queues=a,b root.a.capacity=40 root.b.capacity=60 "

// read evaluates words of "key=value" after those of two leaves; what was read is left
// out of the result, so that results can be compared.
func read(t *testing.T, text string) *Config {
	t.Helper()
	c, errs := evaluate(props(twoLeaves+text), versionOf(props(twoLeaves+text)), Resource{})
	if len(errs) > 0 {
		t.Fatalf("%s: %v", text, errs[0])
	}
	c.props = nil
	return c
}

// TestEveryProperty: each property of the scheduler, alone, sets the field that stands
// for it and nothing else, by the names and defaults of Hadoop's
// CapacitySchedulerConfiguration.
func TestEveryProperty(t *testing.T) {
	const rm, p = "yarn.resourcemanager.", "yarn.resourcemanager.monitor.capacity.preemption."
	const under = "ordering-policy.priority-utilization.underutilized-preemption."
	all := func(f func(*Queue)) func(*Config) {
		return func(c *Config) {
			for i := range c.Queues {
				f(&c.Queues[i])
			}
		}
	}
	leaves := func(f func(*Queue)) func(*Config) {
		return all(func(q *Queue) {
			if q.Leaf {
				f(q)
			}
		})
	}
	a := func(f func(*Queue)) func(*Config) { return func(c *Config) { f(&c.Queues[1]) } }
	for text, set := range map[string]func(*Config){
		"yarn.scheduler.minimum-allocation-mb=8192": func(c *Config) {
			c.MinAllocation.Memory = 8192
		},
		"yarn.scheduler.minimum-allocation-vcores=4": func(c *Config) {
			c.MinAllocation.VCores = 4
		},
		"yarn.cluster.max-application-priority=7": func(c *Config) { c.MaxAppPriority = 7 },
		"maximum-applications=0x10":               func(c *Config) { c.MaxSystemApps = 16 },
		"global-queue-max-application=5": func(c *Config) {
			c.GlobalQueueMaxApps = 5
		},
		"node-locality-delay=-1": func(c *Config) {
			c.NodeLocalityDelay = -1
		},
		"rack-locality-additional-delay=3": func(c *Config) { c.RackExtraDelay = 3 },
		"rack-locality-full-reset=false":   func(c *Config) { c.RackFullReset = false },
		"per-node-heartbeat.multiple-assignments-enabled=FALSE": func(c *Config) {
			c.MultipleAssign = false
		},
		"per-node-heartbeat.multiple-assignments-enabled=no": func(*Config) {}, // neither true nor false
		"per-node-heartbeat.maximum-container-assignments=9": func(c *Config) { c.MaxAssign = 9 },
		"per-node-heartbeat.maximum-offswitch-assignments=4": func(c *Config) { c.MaxOffSwitch = 4 },
		"per-node-heartbeat.maximum-offswitch-assignments=0": func(*Config) {}, // at least 1
		"reservations-continue-look-all-nodes=false": func(c *Config) {
			c.ContinueLooking = false
		},
		"lazy-preemption-enabled=true": func(c *Config) { c.LazyPreemption = true },
		"user.max-parallel-apps=6":     func(c *Config) { c.UserMaxParallel = 6 },
		"user.ann.max-parallel-apps=2": func(c *Config) {
			c.userParallel["ann"] = 2
		},
		"multi-node-placement-enabled=true":                    func(c *Config) { c.MultiNode = true },
		"skip-allocate-on-nodes-with-reserved-containers=true": func(c *Config) { c.SkipReserved = true },
		"schedule-asynchronously.enable=true":                  func(c *Config) { c.Asynchronous = true },
		"schedule-asynchronously.scheduling-interval-ms=8":     func(c *Config) { c.Async.Interval = 8 },
		"schedule-asynchronously.maximum-threads=3":            func(c *Config) { c.Async.Threads = 3 },
		"schedule-asynchronously.maximum-threads=0":            func(*Config) {}, // at least 1
		"schedule-asynchronously.maximum-pending-backlogs=5":   func(c *Config) { c.Async.MaxBacklog = 5 },
		rm + "nodemanagers.heartbeat-interval-ms=300":          func(c *Config) { c.Async.SkipAfter = 600 },
		"yarn.scheduler.skip.node.multiplier=5": func(c *Config) {
			c.Async.SkipAfter = 5000
		},
		"yarn.node-labels.am.default-node-label-expression=x": func(c *Config) { c.MasterLabel = "x" },
		rm + "node-labels.am.default-node-label-expression=y": func(c *Config) { c.MasterLabel = "y" },
		rm + "node-labels.am.allow-non-exclusive-allocation=true": func(c *Config) {
			c.SharedForMasters = true
		},
		"yarn.node-labels.exclusive-enforced-partitions=x": func(*Config) {}, // without labels
		p + "observe_only=true": func(c *Config) {
			c.Preemption.ObserveOnly = true
		},
		p + "max_wait_before_kill=1": func(c *Config) {
			c.Preemption.MaxWaitBeforeKill = 1
		},
		p + "monitoring_interval=2": func(c *Config) {
			c.Preemption.MonitoringInterval = 2
		},
		p + "total_preemption_per_round=0.3": func(c *Config) {
			c.Preemption.TotalPerRound = 0.3
		},
		p + "max_ignored_over_capacity=0.4": func(c *Config) {
			c.Preemption.MaxIgnoredOver = 0.4
		},
		p + "natural_termination_factor=0.5": func(c *Config) {
			c.Preemption.NaturalTermination = 0.5
		},
		p + "conservative-drf=true": func(c *Config) {
			c.Preemption.ConservativeDRF = true
		},
		p + "select_based_on_reserved_containers=true": func(c *Config) {
			c.Preemption.ByReserved = true
		},
		p + "additional_res_balance_based_on_reserved_containers=true": func(c *Config) {
			c.Preemption.AdditionalByReserved = true
		},
		p + "preemption-to-balance-queue-after-satisfied.enabled=true": func(c *Config) {
			c.Preemption.BalanceAfterSatisfied = true
		},
		p + "preemption-to-balance-queue-after-satisfied.max-wait-before-kill=6": func(c *Config) {
			c.Preemption.BalanceWaitBeforeKill = 6
		},
		under + "enabled=true": func(c *Config) {
			c.Preemption.ByPriority = true
		},
		under + "reserved-container-delay-ms=7": func(c *Config) {
			c.Preemption.ByPriorityDelay = 7
		},
		under + "allow-move-reservation=true": func(c *Config) {
			c.Preemption.ByPriorityMove = true
		},
		p + "intra-queue-preemption.minimum-threshold=0.6": func(c *Config) {
			c.Preemption.IntraMinThreshold = 0.6
		},
		p + "intra-queue-preemption.max-allowable-limit=0.7": func(c *Config) {
			c.Preemption.IntraMaxLimit = 0.7
		},
		p + "intra-queue-preemption.preemption-order-policy=PRIORITY_FIRST": func(c *Config) {
			c.Preemption.IntraPriorityFirst = true
		},
		p + "intra-queue-preemption.conservative-drf=false": func(c *Config) {
			c.Preemption.IntraConservativeDRF = false
		},
		rm + "scheduler.monitor.enable=true": func(c *Config) {
			c.Preemption.Enabled = true
			all(func(q *Queue) { q.PreemptionDisabled = false })(c) // within queues it needs a switch of its own
		},
		p + "intra-queue-preemption.enabled=true": func(c *Config) {
			c.Preemption.Intra = true
			all(func(q *Queue) { q.intraDisabledInHierarchy = false })(c)
		},
		rm + "scheduler.monitor.enable=true " + rm + "scheduler.monitor.policies=x": func(*Config) {},
		"resource-calculator=" + calculators + "DominantResourceCalculator": func(c *Config) {
			c.Calculator.Dominant = true
		},
		"resource-calculator=" + calculators + "DefaultResourceCalculator": func(*Config) {},
		"max-parallel-apps=4":                 all(func(q *Queue) { q.MaxParallelApps = 4 }),
		"root.a.max-parallel-apps=4":          a(func(q *Queue) { q.MaxParallelApps = 4 }),
		"root.a.priority=3":                   a(func(q *Queue) { q.Priority = 3 }),
		"root.a.maximum-capacity=50":          a(func(q *Queue) { q.MaxCapacity, q.MaxVector = 0.5, uniform(50, Percent) }),
		"root.a.maximum-capacity=-1":          a(func(q *Queue) {}), // as if it were not set
		"root.a.allow-zero-capacity-sum=true": a(func(q *Queue) { q.AllowZeroSum = true }),
		"root.a.state=stopped":                a(func(q *Queue) { q.State, q.StateSet = Stopped, true }),
		"root.a.state=RUNNING":                a(func(q *Queue) { q.StateSet = true }),
		"root.state=STOPPED": func(c *Config) {
			all(func(q *Queue) { q.State = Stopped })(c)
			c.Queues[0].StateSet = true
		},
		"root.a.maximum-allocation-mb=8192": a(func(q *Queue) {}),
		"root.a.maximum-allocation-mb=100": a(func(q *Queue) {
			q.MaxAllocation.Memory = 100
		}),
		"root.a.maximum-allocation-vcores=2": a(func(q *Queue) {
			q.MaxAllocation.VCores = 2
		}),
		"root.a.maximum-allocation=memory-mb=9,vcores=3": a(func(q *Queue) {
			q.MaxAllocation = Resource{9, 3}
		}),
		"root.a.maximum-allocation=memory=2Gi": a(func(q *Queue) {
			q.MaxAllocation.Memory = 2048
		}),
		"root.maximum-allocation-mb=77": all(func(q *Queue) {
			q.MaxAllocation.Memory = 77
		}),
		"minimum-user-limit-percent=30": leaves(func(q *Queue) {
			q.UserLimit = 30
		}),
		"root.a.minimum-user-limit-percent=30": a(func(q *Queue) { q.UserLimit = 30 }),
		"user-limit-factor=2": leaves(func(q *Queue) {
			q.UserLimitFactor = 2
		}),
		"root.a.user-limit-factor=-1": a(func(q *Queue) {
			q.UserLimitFactor = -1
		}),
		"maximum-am-resource-percent=0.5": leaves(func(q *Queue) {
			q.AMPercent = 0.5
		}),
		"root.a.maximum-am-resource-percent=1": a(func(q *Queue) { q.AMPercent = 1 }),
		"root.a.maximum-applications=0": a(func(q *Queue) {
			q.MaxApplications = 0
		}),
		"root.a.default-application-priority=2": a(func(q *Queue) {
			q.DefaultPriority = 2
		}),
		"root.a.ordering-policy=fair": a(func(q *Queue) { q.AppOrder = Fair }),
		"root.a.ordering-policy=" + policyClass + "FifoOrderingPolicyForPendingApps": a(func(q *Queue) {
			q.AppOrder = FIFOPending
		}),
		"root.a.ordering-policy=fifo-with-partitions root.a.ordering-policy.exclusive-enforced-partitions=y,x,": a(
			func(q *Queue) {
				q.AppOrder, q.ExclusivePartitions = FIFOPartitions, []string{"y", "x"}
			}),
		"root.a.ordering-policy.fair.enable-size-based-weight=True": a(func(q *Queue) { q.SizeBasedWeight = true }),
		"root.ordering-policy=priority-utilization": func(c *Config) {
			c.Queues[0].Order = PriorityUtilization
		},
		"root.a.user-settings.ann.b.weight=0.5": a(func(q *Queue) { q.UserWeights["ann.b"] = 0.5 }),
		"root.user-settings.ann.weight=1":       all(func(q *Queue) { q.UserWeights["ann"] = 1 }),
		"root.a.maximum-application-lifetime=100": a(func(q *Queue) {
			q.MaxLifetime, q.DefaultLifetime = 100, 100
		}),
		"root.a.maximum-application-lifetime=100 root.a.default-application-lifetime=40": a(func(q *Queue) {
			q.MaxLifetime, q.DefaultLifetime, q.defaultLifetimeSet = 100, 40, true
		}),
		"root.maximum-application-lifetime=9": func(c *Config) {
			all(func(q *Queue) { q.MaxLifetime = 9 })(c)
			leaves(func(q *Queue) { q.DefaultLifetime = 9 })(c)
		},
		"root.a.accessible-node-labels=y,x,y":    a(func(q *Queue) { q.AccessibleLabels = []string{"x", "y"} }),
		"root.a.accessible-node-labels=y,*":      a(func(q *Queue) {}),
		"root.a.default-node-label-expression=x": a(func(q *Queue) { q.LabelExpression = "x" }),
		"root.default-node-label-expression=x":   all(func(q *Queue) { q.LabelExpression = "x" }),
	} {
		want := read(t, "")
		set(want)
		if got := read(t, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %+v\nwant %+v", text, got, want)
		}
	}
	c := read(t, "yarn.node-labels.enabled=true yarn.node-labels.exclusive-enforced-partitions=x,,y")
	if !reflect.DeepEqual(c.EnforcedPartitions, []string{"x", "y"}) || c.EnforcedLabel("", "x") != "" ||
		c.EnforcedLabel("y", "") != "y" || c.EnforcedLabel("z", "w") != "w" {
		t.Errorf("enforced partitions %v", c.EnforcedPartitions)
	}
	if c := read(t, "user.max-parallel-apps=6 user.ann.max-parallel-apps=2"); c.UserParallel("ann") != 2 ||
		c.UserParallel("bob") != 6 {
		t.Errorf("parallel applications of users: %d, %d", c.UserParallel("ann"), c.UserParallel("bob"))
	}
}
