package rm

import (
	"strings"
	"testing"
)

// FuzzScheduler: whatever a server answers, reading it ends with queues or one
// line of error.
func FuzzScheduler(f *testing.F) {
	f.Add([]byte(
		`{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queueName":"root","queues":{"queue":[{"queueName":"a","capacity":60.000004,"minEffectiveCapacity":{"memory":1,"vCores":1}}]}}}}`))
	f.Add([]byte(`{"scheduler":{"schedulerInfo":{"type":"fifoScheduler"}}}`))
	f.Add([]byte(
		`{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queues":null,"capacities":{"queueCapacitiesByPartition":[{}]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		queues, err := ParseScheduler(data)
		if err == nil && len(queues) == 0 {
			t.Error("neither queues nor an error")
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error of several lines: %q", err)
		}
	})
}
