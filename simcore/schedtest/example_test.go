package schedtest_test

import (
	"fmt"
	"strings"

	"schedtune/simcore/schedtest"
)

// Two maps of 5 s on one slot take 10 s and a heartbeat or two; that they end within
// 8 s is expected in vain.
func ExampleScript_Run() {
	script, err := schedtest.ParseScript(strings.NewReader(`
nodes 1 maps 1 reduces 1
heartbeat 0.5
job a maps 2 5
expect a starts within 0 1
expect a ends within 10 12
expect makespan within 0 8
`))
	if err != nil {
		panic(err)
	}
	missed, err := script.Run(&schedtest.FIFO{}, nil)
	fmt.Println(strings.Join(missed, "\n"), err)
	// Output: line 7: expect makespan within 0 8: got 10.480004, want 0 to 8 <nil>
}
