package tune

// Risk is how improbable harm must be before a configuration is recommended. The zero value
// stands for the defaults.
type Risk struct {
	Worse float64 // probability, at most, that a similar period gets worse by more than WorseBy
	Queue float64 // probability, at most, that a protected metric gets worse by more than QueueBy
}

// WorseBy and QueueBy are the changes for the worse, as parts of the current value, that a Risk
// is about: of the objective, and of the metric of a protected queue.
const (
	WorseBy = 0.02
	QueueBy = 0.10
)

// Reason is why a configuration is not recommended.
type Reason string

// Reasons, the first that holds. The empty reason is that of what is recommended.
const (
	ReasonNothingFound Reason = "nothing-found"  // nothing tried was better than the current configuration
	ReasonUnconfirmed  Reason = "not-confirmed"  // the study was interrupted, or its budget pays for no confirmation
	ReasonFails        Reason = "fails"          // a run of it has no result
	ReasonLosesWork    Reason = "loses-work"     // it loses work that the current configuration does
	ReasonBreaksLimit  Reason = "breaks-limit"   // it breaks a limit
	ReasonUnknownError Reason = "unknown-error"  // the simulator's error about the change is not known
	ReasonGainUnsure   Reason = "gain-not-sure"  // the confidence interval of the mean gain holds zero
	ReasonWorseRisk    Reason = "risk-of-worse"  // a similar period may get worse (Risk.Worse)
	ReasonQueueRisk    Reason = "risk-for-queue" // a protected queue may get worse (Risk.Queue)
)

// Decision says whether the best configuration found is recommended, and what that rests on.
// Probabilities are nil where nothing tells of them.
type Decision struct {
	Recommended bool     `json:"recommended"`
	Reason      Reason   `json:"reason,omitempty"`
	Better      *float64 `json:"probability_better"` // that a similar period is better in the first objective
	Worse       *float64 `json:"probability_worse"`  // that it is worse by more than WorseBy
	// Mean is the confidence interval of the mean gain, the simulator's error included.
	Mean *Interval `json:"mean_gain"`
	// Protected are the metrics of relative limits, such as those of protected queues.
	Protected []Protected `json:"protected"`
	Workloads int         `json:"workloads"` // similar workloads behind the probabilities
	Periods   float64     `json:"periods"`   // recorded periods that these were drawn from
}

// Protected is what a metric that a limit protects is to expect.
type Protected struct {
	Metric string   `json:"metric"`
	Worse  *float64 `json:"probability_worse"` // that it gets worse by more than QueueBy
}
