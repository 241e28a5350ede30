package replay

import (
	"cmp"
	"slices"

	"schedtune/simcore"
)

// A master's call and its decision on reduces are two instants: the ResourceManager
// notes the call, the master's log the decision, which follows the answer. A map that
// ends between them counts for the decision, and one that has ended may not have been
// counted yet. The simulated master calls and decides at once; so that it counts what
// the recorded one counted, such maps end at the call, or just behind it, and their
// processes live on for as long as they did.

// countSlack bounds how far an end is moved.
const countSlack = resolution

// countedEnds are the ends of a job's maps as its master counted them, where that is
// not when they were recorded to end. The last map's end stays: nothing is decided
// any more, and reduces wait for it.
func (j *Job) countedEnds(asks []step) map[*Container]simcore.Time {
	var maps []*Container
	for _, c := range j.Containers {
		if c.Kind == "MAP" && c.Status == succeeded && c.Finished != simcore.Never {
			maps = append(maps, c)
		}
	}
	slices.SortStableFunc(maps, func(a, b *Container) int { return cmp.Compare(a.Finished, b.Finished) })
	if len(maps) == 0 || j.Reduces == 0 || j.mapsAgain() { // the count may go down
		return nil
	}
	out := map[*Container]simcore.Time{}
	for i := range asks {
		s := &asks[i]
		if s.decided == 0 {
			continue
		}
		until := min(max(s.decided, s.at), s.at+countSlack)
		for rank, c := range maps[:len(maps)-1] {
			early := c.Finished > s.at && c.Finished <= until
			late := c.Finished <= s.at && c.Finished > s.at-countSlack
			switch {
			case early && (s.counted < 0 || int32(rank) < s.counted):
				out[c] = s.at
			case late && s.counted >= 0 && int32(rank) >= s.counted:
				out[c] = s.at + simcore.Microsecond
			}
		}
	}
	return out
}
