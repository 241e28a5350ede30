package sched

import "schedtune/simcore"

func newCOSHH(o Options, p Values) (simcore.Scheduler, error) { return newFIFO(o, p) }
