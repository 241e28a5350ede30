package simcore

import "math"

// SlowstartMaps returns how many maps of a job must have finished before its reduces are
// asked: ceil(share * maps), share from 0 to 1. The product is taken in 32-bit floats, as
// by the JobTracker of Hadoop 1 (JobInProgress) and by the MapReduce master of Hadoop 2
// and 3 (RMContainerAllocator): 7 maps of 100 for a share of 0.07, where 64 bits give
// 7.000000000000001 and so 8.
func SlowstartMaps(share float64, maps int32) int32 {
	return int32(math.Ceil(float64(float32(share) * float32(maps))))
}
