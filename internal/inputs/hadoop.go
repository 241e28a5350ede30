package inputs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"schedtune/yarnconf"
)

// pulled is the file of a pulled cluster's folder that tells its version.
const pulled = "summary.json"

// version finds the version of Hadoop whose rules count.
func (in *Files) version(c *Case) (yarnconf.Version, error) {
	v, note, err := VersionOf(in.Hadoop, in.Config)
	if note != "" {
		c.Notes = append(c.Notes, note)
	}
	return v, err
}

// VersionOf finds the version of Hadoop whose rules count for a queue file: as
// asked for with --hadoop, else that of the cluster whose folder the file was pulled
// into, else the default. The note says where it comes from, if not from the flag.
func VersionOf(asked, config string) (v yarnconf.Version, note string, err error) {
	if asked != "" {
		v, err := yarnconf.ParseVersion(asked)
		if err != nil {
			return v, "", fmt.Errorf("--hadoop: %w", err)
		}
		return v, "", nil
	}
	said := pulledVersion(config)
	if said == "" {
		return yarnconf.Hadoop34, "", nil
	}
	v, err = yarnconf.ParseVersion(said)
	switch {
	case err != nil:
		note = fmt.Sprintf("the cluster runs Hadoop %s, whose rules are not known: those of %v count", said, v)
	case v != yarnconf.Hadoop34:
		note = fmt.Sprintf("the rules of Hadoop %v count, as the cluster runs %s", v, said)
	}
	return v, note, nil
}

// pulledVersion is what a pull has written of the cluster's version beside its
// queue file; empty where there is none.
func pulledVersion(config string) string {
	if config == "" {
		return ""
	}
	version, _ := pulledFrom(filepath.Dir(config))
	return version
}

// isPulled tells a folder of tune pull.
func isPulled(dir string) bool {
	_, ok := pulledFrom(dir)
	return ok
}

// pulledFrom is the version of the cluster that a folder was pulled from; false for
// other folders.
func pulledFrom(dir string) (version string, ok bool) {
	data, err := os.ReadFile(filepath.Join(dir, pulled))
	if err != nil {
		return "", false
	}
	var sum struct {
		Schema string `json:"schema"`
		Hadoop string `json:"hadoop"`
	}
	if json.Unmarshal(data, &sum) != nil || sum.Schema != "schedtune/pull/v1" {
		return "", false
	}
	return sum.Hadoop, true
}
