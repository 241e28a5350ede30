package trace

import (
	"cmp"
	"crypto/md5" //nolint:gosec // Oozie's
	"math/big"
	"regexp"
	"slices"
	"strings"

	"schedtune/trace/internal/history"
)

// Chains: jobs that are submitted when earlier ones of their workflow have ended, as the stages
// of a query of Hive, the actions of Oozie and the tasks of Airflow are. What tells them is an
// id that the jobs of one run of a workflow share.

// mostAhead bounds the jobs that one is said to wait for: the last to end.
const mostAhead = 16

// runTag returns the first of an application's tags that is of one run of a workflow: it holds
// a time, a counter or a hash. Others are of many runs ("etl") or of a user ("userid=hive").
func runTag(tags string) string {
	const digits = 8
	for tag := range strings.SplitSeq(tags, ",") {
		n := 0
		for _, c := range tag {
			if c >= '0' && c <= '9' {
				n++
			}
		}
		if tag = strings.TrimSpace(tag); n >= digits && !strings.HasPrefix(tag, "user") {
			return tag
		}
	}
	return ""
}

// oozieName is the name that Oozie gives to the launcher of an action and to its MapReduce job.
var oozieName = regexp.MustCompile(`^oozie:(?:launcher|action):.*:A=([^:]*):ID=([^:]+)$`)

// adjacency is a stage of a workflow with those that follow it (JobImpl.getWorkflowAdjacencies).
var adjacency = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"="((?:[^"\\]|\\.)*)"`)

// planned takes the job's place in the plan of its workflow (mapreduce.workflow.*) from its history.
func (j *Job) planned(workflow, stage, adjacencies string) {
	plain := func(s string) string { return workflow + "/" + strings.TrimSpace(backslash.ReplaceAllString(s, "$1")) }
	if j.Workflow = workflow; workflow == "" || stage == "" {
		return
	}
	j.Stage = plain(stage)
	for _, m := range adjacency.FindAllStringSubmatch(adjacencies, -1) {
		for next := range strings.SplitSeq(m[2], ",") {
			if plain(m[1]) == j.Stage {
				j.Next = append(j.Next, plain(next))
			}
		}
	}
}

// chain finds the jobs that each job of a workflow waited for: those that had ended when it was
// submitted, but for those that ended before another of these was submitted; or, where their histories tell
// the plan of the workflow, those that come before it there.
func (t *Trace) chain(n *notes) {
	actions := map[string]string{} // workflow by the tag of what an action of Oozie submits (LauncherHelper.getTag)
	for j := range history.Pointers(t.Jobs) {
		if m := oozieName.FindStringSubmatch(j.Name); m != nil {
			j.Workflow = m[2]
			sum := md5.Sum([]byte(m[2] + "@" + m[1]))
			actions["oozie-"+new(big.Int).SetBytes(sum[:]).Text(16)] = m[2]
		}
	}
	type run struct{ user, id string }
	runs, follow, near := map[run][]*Job{}, 0, 0
	for j := range history.Pointers(t.Jobs) {
		if j.Submit.Known() && !j.Standing() {
			r := run{j.User, cmp.Or(actions[j.Workflow], j.Workflow)}
			runs[r] = append(runs[r], j)
		}
	}
	for r, jobs := range runs {
		near += chainOf(jobs, r.id != "")
	}
	for j := range history.Pointers(t.Jobs) {
		if len(j.After) > 0 {
			follow++
		}
	}
	n.follow, n.near = n.follow+follow, n.near+near
	n.set(n.follow, Assumed, "jobs that follow others of their workflow: submitted when these have ended, as long after as "+
		"recorded")
	if !madeIDs[t.Format] {
		n.set(n.near, Missing, "workflows of jobs that were submitted within 2 s after the end of another of their user: they "+
			"come at their recorded times, whenever that one ends")
	}
}

// chainOf links the jobs of one run of a workflow, by ascending submission. Jobs of a user that
// are of none it only counts, where they were submitted soon after the end of another.
func chainOf(jobs []*Job, told bool) (near int) {
	const soon = 2000 // ms, a poll of a client and the next submission
	ended := slices.DeleteFunc(slices.Clone(jobs), func(j *Job) bool { return j.Finish <= j.Submit })
	slices.SortStableFunc(ended, func(a, b *Job) int { return cmp.Compare(a.Finish, b.Finish) })
	k, begun := 0, Millis(Unknown) // of the first k, the last submission
	before := map[string][]*Job{}  // of these, by the stage that follows them
	for _, j := range jobs {
		for ; k < len(ended) && ended[k].Finish <= j.Submit; k++ {
			begun = max(begun, ended[k].Submit)
			for _, stage := range ended[k].Next {
				before[stage] = append(before[stage], ended[k])
			}
		}
		if k == 0 {
			continue
		}
		ahead, since := ended[:k], begun
		if plan := before[j.Stage]; len(plan) > 0 {
			ahead, since = plan, Unknown
		}
		think := j.Submit - ahead[len(ahead)-1].Finish
		if !told {
			if think <= soon && len(j.After) == 0 {
				near++
			}
			continue
		}
		j.After, j.Think = nil, think
		for i := len(ahead) - 1; i >= 0 && ahead[i].Finish > since && len(j.After) < mostAhead; i-- {
			j.After = append(j.After, ahead[i].ID)
		}
	}
	return near
}

// renameAfter gives the jobs that the job follows their new ids.
func (j *Job) renameAfter(to func(string) string) {
	j.After = slices.Clone(j.After)
	for i, id := range j.After {
		j.After[i] = to(id)
	}
}
