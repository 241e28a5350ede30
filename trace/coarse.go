package trace

import "math"

// derivedNote is the note on applications that coarse derived tasks of.
const derivedNote = "equal containers derived from the memory and core seconds that were charged over the time of the " +
	"application, one vcore each"

// coarse derives containers for an application of which only the charges are known:
// memory-seconds, vcore-seconds and its life. The application master holds one container
// of the common size from launch to finish. What is left of the charge says how many more
// were held: as many as it takes for none to last longer than the application, which then
// all last equally long. allocated is how many it had in all, 0 where that is not known.
func coarse(j *Job, allocated int, n *notes) {
	if j.VCoreSeconds < 0 || j.MemorySeconds < 0 || !j.Finish.Known() {
		return
	}
	if j.VCoreSeconds == 0 && j.MemorySeconds == 0 { // refused, or ended before it had a container
		return
	}
	const ( // s, usual from the launch of a master to the work, and from its end to the master's own
		lead, alone = 5.0, 1.5
	)
	life := float64(max(0, j.Finish-j.Launch.Or(j.Submit))) / 1000
	size := Size{MiB: 1024, VCores: 1}
	if j.VCoreSeconds > 0 {
		size.MiB = chargedSize(j, allocated, life)
	}
	work := life - min(lead, life/2)
	rest := float64(j.MemorySeconds)/float64(size.MiB) - life
	took, count := 0.0, 0.0
	if rest < 1 || work <= 0 { // its master was its only container
		work = life - min(alone, life/2)
	} else {
		count = min(math.Ceil(rest/work-0.02), 1<<24)
		took = min(rest/count, work)
	}
	j.Maps, j.Reduces = int(count), 0
	j.MapTime, j.MasterTime = Millis(took*1000), Millis((work-took)*1000)
	j.MapSize, j.AMSize = size, size
	n.add(Assumed, derivedNote)
}

// chargedSize is the memory of a container by the charges. The ResourceManager rounds the
// charge of each container down to whole seconds, memory and cores each, so the size is at
// most the ratio of the two, and less by up to a second for each container: the largest
// multiple of a usual minimum allocation between these.
func chargedSize(j *Job, allocated int, life float64) int64 {
	const shortest = 10 // s, of most containers where their number is not known
	most := float64(j.MemorySeconds) / float64(j.VCoreSeconds)
	count := float64(allocated)
	if allocated <= 0 {
		count = max(float64(j.VCoreSeconds)/shortest, math.Ceil(float64(j.VCoreSeconds)/max(life, 1))+1)
	}
	least := float64(j.MemorySeconds) / (float64(j.VCoreSeconds) + count)
	for _, step := range []float64{1024, 512, 256, 128} {
		if size := math.Floor(most/step) * step; size >= least && size > 0 {
			return int64(size)
		}
	}
	return max(1, int64(most))
}
