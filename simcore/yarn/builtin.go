package yarn

// Built-in calibrations, by the names that LoadCalibration takes in place of a
// file.
const (
	CalibrationDefault     = "default"      // see Default
	CalibrationMiniCluster = "mini-cluster" // see MiniCluster
)

// OneMachineNote says what to do where all nodes are one machine.
const OneMachineNote = "all nodes are one machine: --calibration " + CalibrationMiniCluster + " has its launches share two cores"

// MiniCluster is the calibration of Hadoop's mini-cluster: all nodes are one
// machine of two cores, which launches and exits share.
func MiniCluster() *Calibration {
	c := Default()
	c.Source = "built-in: Hadoop 3.4.1 mini-cluster runs, all nodes on two cores"
	c.CPUScope, c.Cores = ScopeCluster, 1.568
	return c
}

// builtIn returns a calibration by name, nil if there is none of that name.
func builtIn(name string) *Calibration {
	switch name {
	case CalibrationDefault:
		return Default()
	case CalibrationMiniCluster:
		return MiniCluster()
	}
	return nil
}

// builtInNames lists them for messages.
const builtInNames = CalibrationDefault + ", " + CalibrationMiniCluster
