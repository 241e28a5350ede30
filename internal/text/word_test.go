package text_test

import (
	"fmt"
	"testing"

	"schedtune/fairconf"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/yarnconf"
)

// Values that no constant has are written, not a panic.
func TestValuesWithoutWords(t *testing.T) {
	for want, v := range map[string]fmt.Stringer{
		"Mode(9)": yarnconf.Mode(9), "State(9)": yarnconf.State(9), "AppOrder(9)": yarnconf.AppOrder(9),
		"QueueOrder(9)": yarnconf.QueueOrder(9),
		"Version(9)":    yarnconf.Version(9), "RefreshKind(9)": yarnconf.RefreshKind(9), "Policy(9)": fairconf.Policy(9),
		"Locality(9)": simcore.Locality(9), "Model(9)": simcore.Model(9), "ChangeKind(9)": simcore.ChangeKind(9),
		"ScalingRule(9)": simcore.ScalingRule(9),
		"EventKind(99)":  mr1.EventKind(99), "STOPPED": yarnconf.Stopped, "task-copied": mr1.TaskCopied,
	} {
		t.Run(want, func(t *testing.T) {
			if got := v.String(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
