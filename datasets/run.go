package datasets

import (
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// How the papers' experiments run. The zero configuration (recorded task times)
// is the default set's.

// machineRun is every experiment on real machines: resources shared, the disks
// that hold map output serving the copying reduces; HDFS with three replicas, a
// second to launch a task.
func machineRun() mr1.Config {
	return mr1.Config{
		DurationConfig: simcore.DurationConfig{Model: simcore.Resources},
		Replication:    replicas, TrackOutput: true, Launch: simcore.Second,
		Resource: simcore.ResourceConfig{ShuffleReads: true},
	}
}

// hadoop20Run is machineRun with the heartbeats and the merging of Hadoop 0.20 and 0.21, on
// which OMO was built (section V-A) and whose Fair and Capacity Schedulers Coupling cites
// (references 3 and 4). Reduces merge copied data on their disks in several iterations
// while maps run (Coupling, section II.A).
func hadoop20Run() mr1.Config {
	c := machineRun()
	c.Heartbeat = hadoop20Heartbeat * simcore.Second
	c.Resource.SpillBuffer, c.Resource.MergeFactor = hadoopSortBuffer, hadoopSortFactor
	return c
}

// coshhRun is MRSim's: no launch latency; heartbeats of three seconds, which
// are short against hours. The stall guard is set aside, as tasks may take
// days.
func coshhRun() mr1.Config {
	return mr1.Config{
		DurationConfig: simcore.DurationConfig{Model: simcore.Resources},
		Replication:    replicas, Heartbeat: 3 * simcore.Second, Stall: 1e6 * simcore.Hour,
	}
}

// learningRun has figure 5's heartbeat of five seconds and speculative execution,
// and task times drawn around a mean.
func learningRun() mr1.Config {
	return mr1.Config{
		DurationConfig: simcore.DurationConfig{Model: simcore.Sampled},
		Heartbeat:      5 * simcore.Second, Launch: simcore.Second,
		Speculation: mr1.Speculation{On: true},
	}
}

// sharedLearningRun is learningRun with tasks that share their node's processors and
// disk: a load of one per processor is full use (section V-B), so that beyond it tasks
// wait. Only figure 11 says that its tasks took 60 s whatever else ran.
func sharedLearningRun() mr1.Config {
	c := learningRun()
	c.Model = simcore.Resources
	return c
}

// thesis5Run is the thesis's real cluster: heartbeats of 300 ms, resources
// shared; the disks that hold map output serve the copying reduces, which merge on
// theirs with Hadoop's defaults, while they copy and afterwards.
func thesis5Run() mr1.Config {
	c := hadoop20Run()
	c.Heartbeat, c.TrackOutput = 300*simcore.Millisecond, false
	return c
}

// thesisRun is MRPERF's: a task's end is a message of its own, while free slots
// are announced every 300 ms.
func thesisRun() mr1.Config {
	return mr1.Config{
		DurationConfig: simcore.DurationConfig{Model: simcore.Resources},
		Heartbeat:      300 * simcore.Millisecond, Prompt: true,
		Launch: simcore.Seconds(thesisJVM / thesisHz), Replication: replicas,
		Resource: simcore.ResourceConfig{ShuffleReads: true, WriteCost: thesisWriteCost, SpillBuffer: thesisSpill},
	}
}
