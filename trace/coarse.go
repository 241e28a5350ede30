package trace

// derivedNote is the note on applications that coarse derived tasks of.
const derivedNote = "equal tasks derived from the memory and core seconds that were charged, one vcore each"

// coarse derives tasks for an application of which only the charges are known:
// memory-seconds, vcore-seconds and its life. The application master holds one
// container of the common size from launch to finish; what is left of the
// charge is spread over equal tasks. containers is their number, or below 1 if
// that is not known either: then a task takes 30 s, Hadoop's own rule of thumb
// for a map that is worth its launch.
func coarse(j *Job, containers int, n *notes) {
	const usual = 30 // seconds
	if j.VCoreSeconds < 0 || j.MemorySeconds < 0 || !j.Finish.Known() {
		return
	}
	if j.VCoreSeconds == 0 && j.MemorySeconds == 0 { // refused, or ended before it had a container
		return
	}
	size := Size{MiB: 1024, VCores: 1}
	if j.VCoreSeconds > 0 {
		size.MiB = max(1, (j.MemorySeconds+j.VCoreSeconds/2)/j.VCoreSeconds)
	}
	start := j.Launch
	if !start.Known() {
		start = j.Submit
	}
	life := max(0, j.Finish-start) / 1000
	rest := max(0, j.MemorySeconds/size.MiB-int64(life))
	if containers < 1 {
		containers = int(min(1<<24, (rest+usual-1)/usual))
	}
	if containers < 1 {
		containers = 1
	}
	j.Maps, j.Reduces = containers, 0
	j.MapTime = Millis(rest * 1000 / int64(containers))
	j.MapSize, j.AMSize = size, size
	n.add(Assumed, derivedNote)
}
