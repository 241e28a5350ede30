package simcore

// ResourceConfig sets the resource model.
type ResourceConfig struct{}

// Exec runs attempts in the resource model.
type Exec struct{}

func (x *Exec) Running(int32) bool                  { return false }
func (x *Exec) Progress(int32, Time) float64        { return 0 }
func (x *Exec) OutputLost(JobID, int32)             {}
func (x *Exec) load(_ NodeID, l NodeLoad) NodeLoad  { return l }
func (s *Sim) resetExec()                           { s.exec = nil }
func (s *Sim) startExec(i int32, t Task, from Time) {}
func (s *Sim) stopExec(i int32)                     {}
func (s *Sim) execute()                             {}
