package rm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"schedtune/yarnconf"
)

// ErrFileStore says that the cluster keeps its scheduler configuration in a
// file: it can neither be read nor changed over the network.
var ErrFileStore = errors.New("the scheduler configuration is kept in a file " +
	"(yarn.scheduler.configuration.store.class=file)")

// LiveConfig is the scheduler configuration in force.
type LiveConfig struct {
	Props   yarnconf.Map
	Version int64 // counts changes; 0 where the store has no version
}

// ReadConfig reads the configuration from a mutable store. ErrFileStore: there
// is none.
func ReadConfig(ctx context.Context, c *Client) (*LiveConfig, error) {
	path := cluster + "/scheduler-conf"
	data, err := c.Get(ctx, path, nil)
	if err != nil {
		return nil, fileStore(err)
	}
	var doc struct {
		Property []struct{ Name, Value string } `json:"property"`
	}
	if err := c.decode(path, data, &doc); err != nil {
		return nil, err
	}
	if len(doc.Property) == 0 {
		return nil, fmt.Errorf("%s%s: no property in the answer; use a Capacity Scheduler with a mutable store", c.Address(),
			path)
	}
	live := &LiveConfig{Props: yarnconf.Map{}}
	for _, kv := range doc.Property {
		live.Props[kv.Name] = kv.Value
	}
	live.Version, err = readVersion(ctx, c)
	return live, err
}

// fileStore recognises the ResourceManager's refusal.
func fileStore(err error) error {
	var s *StatusError
	if errors.As(err, &s) && s.Status == http.StatusBadRequest && (strings.Contains(s.Text, "mutable") ||
		strings.Contains(s.Text, "MutableConfScheduler")) {
		return ErrFileStore
	}
	return err
}

func readVersion(ctx context.Context, c *Client) (int64, error) {
	path := cluster + "/scheduler-conf/version"
	data, err := c.Get(ctx, path, nil)
	if err != nil {
		if s := statusOf(err); s != 0 && s < http.StatusInternalServerError {
			return 0, nil // older stores have no version
		}
		return 0, err
	}
	return versionOf(path, data, c)
}

// versionOf reads the version's answer: {"versionID":"1"} up to Hadoop 3.4, and
// {"configversion":{"versionID":1}} of 3.5.
func versionOf(path string, data []byte, c *Client) (int64, error) {
	type version struct {
		ID json.RawMessage `json:"versionID"`
	}
	var doc struct {
		version
		Inner *version `json:"configversion"`
	}
	if err := c.decode(path, data, &doc); err != nil {
		return 0, err
	}
	id := doc.ID
	if doc.Inner != nil {
		id = doc.Inner.ID
	}
	if id == nil {
		return 0, nil
	}
	v, err := strconv.ParseInt(strings.Trim(string(id), `"`), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s%s: version %s: must be a whole number", c.Address(), path, id)
	}
	return v, nil
}
