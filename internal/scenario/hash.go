package scenario

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// Fingerprint identifies what a run depends on besides settings, seed and
// window: code version, queue file, cluster, workload, calibration.
func (c *Case) Fingerprint() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", text.Release)
	h.Write(c.Doc.Bytes())
	if v := c.Doc.Hadoop(); v != yarnconf.Hadoop34 {
		fmt.Fprintf(h, "Hadoop %v\n", v)
	}
	for _, key := range c.Doc.Keys() { // properties of other files count too
		v, _ := c.Doc.Get(key)
		fmt.Fprintf(h, "%q=%q\n", key, v)
	}
	fmt.Fprintf(h, "%+v\n", *c.Cluster)
	_ = json.NewEncoder(h).Encode(c.Calibration) // a hash takes every write
	hashWorkload(h, c.Work)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// hashWorkload writes all that a run reads of a workload.
func hashWorkload(h io.Writer, w *simcore.Workload) {
	fmt.Fprintf(h, "%q %q %q\n", w.Queues, w.Users, w.Classes)
	for i := range w.Jobs {
		j := w.Jobs[i]
		var parts []any // behind pointers, which differ from process to process
		for v, k := reflect.ValueOf(&j).Elem(), 0; k < v.NumField(); k++ {
			if f := v.Field(k); f.Kind() == reflect.Pointer && !f.IsNil() {
				parts = append(parts, f.Interface())
				f.SetZero()
			}
		}
		fmt.Fprintf(h, "%+v\n", j)
		for _, p := range parts {
			_ = json.NewEncoder(h).Encode(p) // a hash takes every write
		}
	}
	for i := range w.Dists {
		fmt.Fprintf(h, "%+v\n", w.Dists[i])
	}
	t := &w.Tasks
	for _, s := range []any{t.Duration, t.Shuffle, t.Input, t.Output, t.HostAt, t.Hosts} {
		// Slices of fixed-size integers: Write can't fail on them.
		_ = binary.Write(h, binary.LittleEndian, s)
	}
}
