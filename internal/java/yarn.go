package java

// Hash codes of YARN's ids, as Hadoop 3.4.1 computes them.

// ClusterTimestamp stands for the start time of the ResourceManager in
// milliseconds, which is part of its ids and so of their hash codes. The judge
// in the conformance folder sets the same.
const ClusterTimestamp = 1_500_000_000_000

// HashAttempt is ApplicationAttemptId.hashCode of the first attempt of an
// application; number is the application's, counted from 1.
func HashAttempt(number int64) uint32 { return HashAttemptOf(ClusterTimestamp, number) }

// HashAttemptOf is HashAttempt for a ResourceManager that started at another time, in
// milliseconds since 1970.
func HashAttemptOf(timestamp, number int64) uint32 {
	stamp := timestamp ^ timestamp>>32
	app := uint32(6521)
	app = 371237*app + uint32(stamp&(1<<32-1))
	app = 371237*app + uint32(number)
	h := uint32(5501)
	h = 347671*h + app
	return 347671*h + 1
}

// HashContainer is ContainerId.hashCode of a container of an attempt with this hash
// code.
func HashContainer(id int64, attempt uint32) uint32 { return 31*uint32(id^id>>32) + attempt }

// HashNode is NodeId.hashCode.
func HashNode(host string, port int) uint32 {
	h := uint32(8501)
	h = 493217*h + HashString(host)
	return 493217*h + uint32(port)
}

// HashRequestKey is SchedulerRequestKey.hashCode.
func HashRequestKey(priority int32, alloc int64) uint32 {
	h := uint32(9511) // Priority.hashCode
	h = 517861*h + uint32(priority)
	h = 31*h + uint32(alloc^int64(uint64(alloc)>>32))
	return 31 * h
}
