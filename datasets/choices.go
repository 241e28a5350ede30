package datasets

import "strings"

// Choice is something that a paper leaves open, or says otherwise than its tables,
// and what was chosen. The constants stand in assumptions.go.
type Choice struct {
	Key string // short name
	// Paper and Sections are where it matters; no sections: everywhere.
	Paper    string
	Sections []string
	Value    string // what was chosen
	// Ground is what the paper says about it, in other words, and Source where.
	Ground, Source string
	// Seen tells that the choice was made, or kept, after looking at rows of these
	// sections: they are no independent evidence for it.
	Seen bool
}

// Seen lists the keys of the choices that a section depends on and that were made
// after looking at outcomes.
func Seen(paper, section string) []string {
	var out []string
	for _, c := range choices {
		if c.Seen && c.Paper == paper && c.matters(section) {
			out = append(out, c.Key)
		}
	}
	return out
}

func (c *Choice) matters(section string) bool {
	if len(c.Sections) == 0 {
		return true
	}
	for _, s := range c.Sections {
		if s == section || strings.HasSuffix(s, "*") && strings.HasPrefix(section, strings.TrimSuffix(s, "*")) {
			return true
		}
	}
	return false
}

// Choices lists what was chosen for a paper.
func Choices(paper string) []Choice {
	var out []Choice
	for _, c := range choices {
		if c.Paper == paper {
			out = append(out, c)
		}
	}
	return out
}

var choices = []Choice{
	{"order of submission", "coshh", nil, "the smaller half of the jobs first, each half uniform over half an hour",
		"completion times rise after job 50, where the load grows and larger jobs begin", "section 5.3", true},
	{"fair by lack", "coshh", nil, "users below their minimum share in the order of the slots they lack (Set.ByLack)",
		"Fair serves most small jobs after it has satisfied the minimum shares of the larger ones", "section 5.3", true},
	{"jobs and storages", "coshh", nil, "as printed: a map per block, table 4's task-seconds, storages of 40 Kbit/s; a hundredth of the work and 40 MB/s were used before and meet more rows", "of seventeen readings this one contradicts the fewest of ten sentences of the text, and of the six about the set-up alone too ([coshh-readings.md](coshh-readings.md)); the rows met had no part in it", "tables 3, 4 and 10, sections 2.1, 5.2 to 6.2", false},
	{"unit of fairness", "coshh", []string{"table 6", "table 7", "table 8", "table 9", "figure 26"}, "slots as shares of the cluster's; whole slots were used before", "a user's slots beyond her minimum share, compared with the average of her weight; the published sums over eight to ten users, 0.4 to 6.6, would be less than a slot each", "section 5.1, tables 6 to 9", true},
	{"scheduling time", "coshh", []string{"figure 7", "figure 8", "figure 11", "figure 12", "figure 15", "figure 16", "figure 19", "figure 20", "figure 23", "figure 24", "figure 28"}, "operations, each of the same cost: jobs looked at, distances of the classification by resource, coefficients of the linear programs' tableaus by pivot; heartbeats of nodes with a free slot that are not simulated are charged, while a task waits, with the mean of finding out that nothing is ready; time measured on the machine, by which rows changed with its load, was judged before", "sorting and searching users, classification and linear programs make the overhead; the scheduler is called in each heartbeat", "sections 2, 5.1 to 5.3, 6.1 and 6.2.2", true},
	{"bandwidth", "coshh", []string{"table 12", "figure 25", "figure 26", "figure 27", "figure 28"}, "2 Gbit/s between the real nodes, 100 Mbit/s between the simulated", "so it is given", "sections 5.2 and 7", false},
	{"spread of tasks over nodes", "coshh", nil, "no load manager in simulations, Hadoop's on the real cluster", "Fair sharing as in its report, in a simulator; Hadoop 0.20 on the cluster", "sections 5.3 and 7", false},
	{"charge", "coshh", nil, "the master is busy for 0.3 s with each linear program, of which 100 jobs need 15 to 18; nothing was charged before", "COSHH adds 5 s over 100 jobs, most of it classification and linear programs; with few jobs its overhead outweighs what it gains", "sections 5.3 and 6.2.1", false},
	{"arrivals", "coshh", nil, "100 jobs in an hour", "arrival rates follow the trace and the number of jobs; they are not given", "section 5.2", false},
	{"processors of table 10", "coshh", []string{"figure 17", "figure 18", "figure 19", "figure 20"}, "500 GHz, as printed; 500 MHz was used before", "six types of resources of their own, with two slots each", "section 6.2.2, table 10", false},
	{"most tasks", "coshh", nil, "at most 1500 maps and 1500 reduces a job", "none; for the sake of time", "", false},
	{"spread of tasks", "coshh", nil, "equal tasks differ by 20 %", "none", "", true},
	{"tasks per heartbeat", "coshh", []string{"table 12", "figure 25", "figure 26", "figure 27", "figure 28"}, "Fair assigns one task per heartbeat, the default of Hadoop 0.20", "Hadoop 0.20 is installed on the cluster", "section 7", false},

	{"heartbeat", "coupling", nil, "3 s; 300 ms, with which figure 16 comes out, was used before", "the Fair and Capacity Schedulers of Hadoop 0.21, whose least interval is 3 s", "references 3 and 4", false},
	{"spread of tasks over nodes", "coupling", nil, "Fair gives a node its share of the runnable tasks only (the load manager of Hadoop's Fair Scheduler)", "compared with Hadoop's Fair Scheduler", "section III", false},
	{"cost of Grep", "coupling", nil, "0.44 s/MB, with which they do; 0.40, with which they take 74 minutes, was used before", "ten jobs of 427 maps on 32 slots take 80 minutes", "figure 5", true},
	{"cost of WordCount", "coupling", nil, "0.65 s/MB", "its maps take 48.5 s on average", "section II.B", false},
	{"shuffle of Grep and WordCount", "coupling", nil, "0.3 of the input", "none; they are map-heavy and hand little on", "section I.C", false},
	{"sizes of figure 1's jobs", "coupling", []string{"figure 1"}, "427 maps and 14 reduces, 45 maps (RandomInput30) and 6 reduces; 100 maps, of which no file is, were used before", "job 1 takes all 14 slots; job 2 is done with its maps in 2.8 minutes, of the files on the nodes the one of 45 maps; those of 23 and 148 would make maps of 100 and 16 s", "sections I.A and III", false},
	{"spread of tasks", "coupling", nil, "equal tasks differ by 32 %; 20 % was used before", "4270 maps take from 10 to 100 s", "figure 8", false},
	{"tasks per heartbeat", "coupling", nil, "a map and a reduce, the default of Hadoop 0.21 (HADOOP-4788); maps for all free slots were used before", "Fair is that of Hadoop 0.21, and both schedulers are configured identically", "reference 3, section III", false},
	{"wait of delay scheduling", "coupling", nil, "grows with time from the job's last launch on; growth by the time to the next heartbeat after each heartbeat at which the job was skipped (algorithm 2 of reference 12, and Hadoop 0.21) was used before", "a timer per job keeps increasing until a local launch sets it back; equation 2 lets it run out after 15 s without one", "section II.B", true},
	{"peeking", "coupling", nil, "a job draws once per heartbeat and skips the heartbeat if it is turned down; a draw per free slot was used before", "a job skips the heartbeat with a probability, a sequence of Bernoulli trials by heartbeat", "section II.B", false},
	{"merging", "coupling", nil, "reduces merge on their disks, runs of 100 MB ten at a time (Hadoop's defaults), while they copy and what is left afterwards; all of it afterwards was used before", "what arrives at a reduce is merged in several iterations as maps go on", "section II.A", false},
	{"sizes of inputs", "coupling", nil, "the printed sizes of the files over the maps of tables II to IV; 64 MB a map was used before", "WikiInput 28 GB, RandomPair1 to 3 15, 29 and 4.3 GB, …", "section III", false},
	{"input of QuasiMonteCarlo", "coupling", nil, "a file of a few bytes for every map; 64 MB were used before", "none; Hadoop's example writes one such file for every map", "", false},
	{"list of nodes near the map output", "coupling", nil, "nodes that run a reduce of the job are left out of L, and equal costs keep one random order until the reduce is launched; before, L held them and all orders were drawn anew whenever a task of any job began or ended", "several reduces of a job on one node are to be avoided; ties are broken at random", "section II.A.2", true},
	{"reading of map output", "coupling", nil, "copying reduces read from the disks of the nodes that hold map output", "fetching slows down what shares the disks of the nodes that ran the maps", "section II.A", true},

	{"processors shared", "learning", []string{"figure 8", "figure 9"}, "two tasks compute at a time on a node, four processors over a load of 1.7 to 2.0 a task; more share them; times that depend on nothing were used before", "a load average of one per processor is full use; only figure 11's tasks were made to take 60 s", "sections V.B and V.C", false},
	{"length of tasks", "learning", nil, "60 s in figures 10 and 11, 27 s in figures 8 and 9", "each task was made to take 60 s (figure 11); WordCount over 70 GB converges to 36 minutes (figure 8)", "section V.C", true},
	{"smoothing", "learning", []string{"figure 8", "figure 9", "figure 10", "figure 11"}, "0.001 of an observation is added to every count; 1 was used before, and 0.01 and none run", "a simple histogram counts the probabilities, without smoothing: the least that still decides between two classes in neither of which a level has been seen; without any no node is given a second task", "section V.A", true},
	{"speculation", "learning", nil, "on", "speculative execution is enabled", "figure 5", false},
	{"Grep", "learning", []string{"figure 9"}, "as WordCount, without hints", "TextWriter, WordCount and Grep, the first making the others' input", "section V.C", false},
	{"number of maps", "learning", []string{"figure 9", "figure 10", "figure 11"}, "1600", "ten runs of 10 GB in blocks of 64 MB", "section V.C", true},
	{"loads of the jobs", "learning", nil, "four processors over figure 11's tasks", "none; the whole of figure 11 is calibration", "figure 11", false},
	{"noise of the load", "learning", nil, "10 %; URLGet 33 %, CPUActivity 5 %", "the server delays by 1.5 s with a deviation of 0.5 s; CPUActivity is more predictable", "sections V.B and V.C", false},

	{"cores, disk and costs", "omo", []string{"figure*", "table 6", "table 7"}, "a node computes for 2 containers at a time; 100 MB/s; a map 1.8, a reduce 0.2 times the reference", "eight processors, four containers and a flash disk, but four maps at a time are only 17.8 % faster than two, for a map phase of more than 1000 s; set on that and on two more figures", "section V.B, figures 9 and 10, table 6", true},
	{"spread of tasks over nodes", "omo", nil, "a node takes its share of the runnable tasks only (the load manager of Hadoop's Fair Scheduler)", "built on Hadoop's Fair Scheduler", "sections IV.C and V.A", false},
	{"weight of the release rate", "omo", nil, "0.3", "none; the window of 10 s is given", "section V.C", false},
	{"output of the jobs", "omo", nil, "TeraSort's is its shuffle, others' a tenth of it", "none", "", false},
	{"tasks per heartbeat", "omo", nil, "one of either kind, the default of the Fair Scheduler of Hadoop 0.20; maps for all free slots were used before", "built on the Fair Scheduler of Hadoop 0.20.2", "sections IV.C and V.A", false},
	{"heartbeat", "omo", nil, "3 s; 300 ms to 400 ms were used before", "built on Hadoop 0.20.2, whose least interval is 3 s", "section V.A", false},
	{"merging", "omo", nil, "reduces merge on their disks, runs of 100 MB ten at a time (Hadoop's defaults), while they copy and what is left afterwards; none, which meets two rows more, was used before", "built on Hadoop 0.20.2, and compared with YARN, documented as of 2.7; both merge so", "section V.A, references 5 and 6", true},
	{"lazy start before batch finish", "omo", []string{"figure*", "table 6", "table 7"}, "a job that batch finish would serve first gets all releases in the gap, not its fair share", "the gap is from the end of the job's maps; a job that begins its reduces is a new candidate of batch finish", "sections IV.C and IV.E", true},
	{"aligned lazy start", "omo", nil, "the reduces start when the gap is nearest to zero", "the last shuffle should end right after the last map; the printed minimum never waits", "section IV.C", false},

	{"disk and reduce", "thesis", []string{"table 6*", "question*", "agreement"}, "185 MiB/s and 48 s for a reduce", "none; set on experiments 1 to 8", "tables 6.2, 6.3, 6.5", true},
	{"slowstart", "thesis", []string{"table 6*", "question*", "agreement"}, "5 %; 60 % was used before", "a job's reduces start after 5 % of its maps by default", "section 5.2.1", false},
	{"queue order", "thesis", []string{"table 6*", "question*", "agreement"}, "fewest running tasks over capacity first; the other order is shown under agreement", "queues are sorted by running tasks over capacity", "sections 2.1.3 and 3.3.2", false},
	{"variation", "thesis", []string{"table 6.4", "table 6.10", "table 6.11", "table 6.15", "table 6.19"}, "of a job's execution time over the runs, mean over the jobs of a type; all jobs of all runs together were used before", "variability for the same experiment across different runs; below 0.1 for long jobs", "section 6.1.3", true},
	{"end of TeraSort", "thesis", []string{"table 5.2", "table 5.3"}, "Sort follows 350 s after TeraSort's start", "Sort is submitted when the user's TeraSort is finished", "section 4.3.2", true},
	{"spread of tasks", "thesis", []string{"table 5*"}, "equal tasks differ by 20 %", "the runs on the cluster vary, by stragglers and contention", "sections 5.2 and 5.2.3", true},
	{"costs of the benchmarks", "thesis", []string{"table 5*"}, "those of OMO's, but for the reduces of the sorts", "none", "", false},
	{"work of reduces", "thesis", []string{"table 5*"}, "those of the sorts need no processor time, and merge on their disks, runs of 100 MB ten at a time (Hadoop's defaults), while they copy and what is left afterwards; all of it afterwards was used before", "two reduces on a node share disk and network in equal parts and take twice as long; the processor is no bottleneck; Hadoop 0.20.203 is installed", "sections 4.1.1, 4.1.2, 4.2.1, 5.1.1 and 5.2.2", false},
}
