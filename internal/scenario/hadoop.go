package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// pulled is the file of a pulled cluster's folder that tells its version.
const pulled = "summary.json"

// VersionOf finds the version of Hadoop whose rules count for a queue file: as
// asked for with --hadoop, else that of the cluster whose folder the file was pulled
// into, else the default. The note says where it comes from, if not from the flag.
func VersionOf(asked, config string) (v yarnconf.Version, note string, err error) {
	if asked != "" {
		v, err := yarnconf.ParseVersion(asked)
		if err != nil {
			return v, "", &FlagError{"--hadoop", err}
		}
		return v, "", nil
	}
	said := ""
	if sum := pulledFrom(filepath.Dir(config)); config != "" && sum != nil {
		said = sum.Hadoop
	}
	if said == "" {
		return yarnconf.Hadoop34, "", nil
	}
	v, err = yarnconf.ParseVersion(said)
	switch {
	case err != nil:
		note = fmt.Sprintf("the cluster runs Hadoop %s, whose rules are not known: those of %v are used", said, v)
	case v != yarnconf.Hadoop34:
		note = fmt.Sprintf("the rules of Hadoop %v are used, as the cluster runs %s", v, said)
	}
	return v, note, nil
}

// PullSummary says what a pull brought. It holds no credential.
type PullSummary struct {
	Schema        string    `json:"schema"` // schedtune/pull/v1
	RM            string    `json:"rm"`
	History       string    `json:"history,omitempty"`
	Hadoop        string    `json:"hadoop"`
	Since         int64     `json:"since_ms"`
	Until         int64     `json:"until_ms"`
	Nodes         int       `json:"nodes"`
	Apps          int       `json:"applications"`
	Jobs          int       `json:"jobs"`
	SparkHistory  string    `json:"spark_history,omitempty"`
	SparkApps     int       `json:"spark_applications,omitempty"` // with their event logs
	Store         string    `json:"configuration_store"`          // mutable or file
	ConfigVersion int64     `json:"configuration_version"`        // of a mutable store, else 0
	Files         []string  `json:"files"`
	Missing       []Missing `json:"missing"` // what a history server did not give
	Notes         []string  `json:"notes"`
}

// Missing is something of a history server that a pull was to bring and did not.
type Missing struct {
	Server string `json:"server"` // its address
	What   string `json:"what"`   // in words
	Error  string `json:"error"`  // of the first request that failed, one line
}

// String is the missing thing with its cause.
func (m Missing) String() string { return fmt.Sprintf("missing: %s (%s)", m.What, m.Error) }

// pulledFrom is what the folder of a pull says of itself; nil for other folders.
func pulledFrom(dir string) *PullSummary {
	data, err := os.ReadFile(filepath.Join(dir, pulled))
	if err != nil {
		return nil
	}
	var sum PullSummary
	if json.Unmarshal(data, &sum) != nil || sum.Schema != text.SchemaPull {
		return nil
	}
	return &sum
}

// MissingFrom says what a folder of tune pull lacks since a history server did not give
// it, a line each; empty for complete and for other folders.
func MissingFrom(dir string) []string {
	sum := pulledFrom(dir)
	if sum == nil {
		return nil
	}
	var out []string
	for _, m := range sum.Missing {
		out = append(out, fmt.Sprintf("%s: the pull is incomplete, without %s (%s): its jobs are simulated from what the "+
			"ResourceManager alone tells, or not at all; the same tune pull completes it", dir, m.What, m.Error))
	}
	return out
}

// Incomplete says what the histories given lack of their cluster's, as MissingFrom does.
func (in *Files) Incomplete() []string {
	var out []string
	for _, dir := range in.traceFolders() {
		out = append(out, MissingFrom(dir)...)
	}
	return out
}

// How a cluster keeps its queues: where the ResourceManager takes changes itself, or in
// its capacity-scheduler.xml.
const (
	StoreMutable = "mutable"
	StoreFile    = "file"
)

// store finds how the cluster keeps its queues: as the pull of the queue file found it,
// else as yarn-site.xml says (the names of CapacityScheduler.initScheduler).
func (c *Case) store(in *Files) {
	if in.Config == "" {
		return
	}
	if sum := pulledFrom(filepath.Dir(in.Config)); sum != nil {
		c.Store, c.RM = sum.Store, sum.RM
		return
	}
	switch c.Doc.Value("yarn.scheduler.configuration.store.class") {
	case "memory", "leveldb", "zk", "fs":
		c.Store = StoreMutable
	case "file":
		c.Store = StoreFile
	}
}
