package text

import "runtime/debug"

// Number is the released version.
const Release = "0.1.0"

// Version returns the released version with the source revision and whether files were
// modified, as the build recorded them; go run and -buildvcs=false record none.
func Version() string {
	rev, dirty := revision()
	if rev == "" {
		return Release + " (revision unknown)"
	}
	if len(rev) > 12 {
		rev = rev[:12]
	}
	if dirty {
		rev += "+modified"
	}
	return Release + " (" + rev + ")"
}

func revision() (rev string, dirty bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	return rev, dirty
}

// Schemas of all JSON documents that tune and fit print or write. A name in use stays; an
// incompatible document gets a new version and a line in CHANGELOG.md.
const (
	SchemaApply            = "schedtune/apply/v1"              // tune apply
	SchemaApplied          = "schedtune/applied/v1"            // record of a change of tune apply or rollback
	SchemaCalibration      = "schedtune/calibration/v1"        // calibration files
	SchemaCheck            = "schedtune/check/v2"              // tune check
	SchemaCollect          = "schedtune/collect/v1"            // tune collect
	SchemaCompare          = "schedtune/compare/v1"            // tune compare
	SchemaDoctor           = "schedtune/doctor/v1"             // tune doctor
	SchemaError            = "schedtune/error/v1"              // any command that fails
	SchemaExplain          = "schedtune/explain/v1"            // tune explain
	SchemaFitAllocation    = "schedtune/fit-allocation/v1"     // fit allocation
	SchemaFitClasses       = "schedtune/fit-classes/v1"        // fit classes
	SchemaFitClassesModel  = "schedtune/fit-classes-model/v1"  // fit classes, its saved model
	SchemaFitContention    = "schedtune/fit-contention/v1"     // fit contention
	SchemaFitDurations     = "schedtune/fit-durations/v1"      // fit durations
	SchemaFitMismatch      = "schedtune/fit-mismatch/v1"       // fit mismatch
	SchemaFitOverload      = "schedtune/fit-overload/v1"       // fit overload
	SchemaFitOverloadModel = "schedtune/fit-overload-model/v1" // fit overload, its saved model
	SchemaFitRelease       = "schedtune/fit-release/v1"        // fit release
	SchemaFitReleaseModel  = "schedtune/fit-release-model/v1"  // fit release, its saved model
	SchemaFolder           = "schedtune/folder/v1"             // record of a folder that is being written
	SchemaFromPull         = "schedtune/from-pull/v1"          // tune simulate --from-pull
	SchemaGate             = "schedtune/gate/v1"               // tune compare --against
	SchemaImport           = "schedtune/import/v1"             // tune import
	SchemaProgress         = "schedtune/progress/v1"           // lines of --progress json
	SchemaPull             = "schedtune/pull/v1"               // summary of a folder of tune pull
	SchemaRollback         = "schedtune/rollback/v1"           // tune rollback
	SchemaSimulate         = "schedtune/simulate/v1"           // tune simulate
	SchemaSize             = "schedtune/size/v1"               // tune size
	SchemaTerms            = "schedtune/terms/v1"              // tune explain --against
	SchemaTimetable        = "schedtune/timetable/v1"          // tune timetable
	SchemaTrace            = "schedtune/trace/v1"              // native traces
	SchemaTraceInfo        = "schedtune/trace-info/v2"         // tune trace info
	SchemaTrials           = "schedtune/trials/v1"             // log of a study
	SchemaTune             = "schedtune/tune/v3"               // tune
	SchemaTuneScheduler    = "schedtune/tune-scheduler/v2"     // tune --scheduler
	SchemaUsage            = "schedtune/usage/v1"              // tune trace usage
	SchemaVerify           = "schedtune/verify/v1"             // tune verify
	SchemaVersion          = "schedtune/version/v1"            // tune version
	SchemaWatch            = "schedtune/watch/v1"              // tune watch
	SchemaWhy              = "schedtune/why/v1"                // tune why
)
