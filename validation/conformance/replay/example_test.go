package replay_test

import (
	"fmt"

	"schedtune/validation/conformance/replay"
)

// A recording is played scenario by scenario. Told that its first heartbeat did nothing, the
// same scenario differs there.
func Example() {
	err := replay.ReadFile("../testdata/regression-cached-verdict.jsonl.gz", func(s *replay.Scenario) error {
		d, agreed := replay.Play(s)
		fmt.Println(s.Scenario, agreed, d == nil)
		for i := range s.Steps {
			if s.Steps[i].Do == "beat" {
				s.Steps[i].Out.Events = nil
				break
			}
		}
		d, agreed = replay.Play(s)
		fmt.Println(s.Scenario, agreed, d.Step, d.What)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// regression-cached-verdict 18 true
	// regression-cached-verdict 1 2 event 1:
	//   recorded none
	//   ours     {"kind":"allocate","app":"app1","node":"n1","priority":0,"alloc":-1,"memory":1024,"vcores":1,"locality":"OFF_SWITCH","container":0}
}
