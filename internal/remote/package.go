package remote

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"schedtune/internal/accuracy"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// maxPackage bounds what a worker unpacks.
const maxPackage = 1 << 30

// parcel is a study's package as it travels: all a run depends on, and the
// request, so that plan and collect need no other flags.
type parcel struct {
	Name        string // of the queue file
	Config      []byte
	Site        []byte // properties of files around the queue file, as a file
	Cluster     simcore.Cluster
	Work        simcore.Workload
	Calibration []byte // JSON
	Objectives  []string
	Constraints []string
	Params      []string
	Windows     int
	Workloads   int
	TimeLimit   time.Duration
	Options     wireOptions
	Print       string // the study's fingerprint, to compare
	Notes       []string
	Warnings    []string
	Inputs      scenario.Files
	Hadoop      yarnconf.Version
	Present     *accuracy.Report // how well the recorded period is reproduced
}

// wireOptions are the search's options that matter to its course.
type wireOptions struct {
	Sampler  string
	Seed     uint64
	Budget   int
	Patience int
	Risk     tune.Risk
}

// Pack serialises a prepared study.
func Pack(s *study.Study) ([]byte, error) {
	if s.Request.Options.TimeBudget > 0 {
		return nil, fmt.Errorf("--budget: a duration depends on the machine; workers need a number of runs")
	}
	cal, err := s.Case.Calibration.Bytes()
	if err != nil {
		return nil, err
	}
	o := s.Request.Options
	site, err := around(s.Case.Doc)
	if err != nil {
		return nil, err
	}
	p := parcel{Name: s.Case.Doc.Name(), Config: s.Case.Doc.Bytes(), Site: site, Cluster: *s.Case.Cluster,
		Work: *s.Case.Work, Calibration: cal,
		Objectives: s.Request.Objectives, Constraints: s.Request.Constraints, Params: s.Request.Params,
		Windows: s.Request.Windows, Workloads: s.Request.Workloads, TimeLimit: s.Request.TimeLimit,
		Options: wireOptions{o.Method, o.Seed, o.Budget, o.Patience, o.Risk},
		Print:   s.Problem.Name, Notes: s.Case.Notes, Warnings: s.Case.Warnings, Inputs: s.Request.Inputs,
		Hadoop: s.Case.Doc.Hadoop(), Present: s.Request.Present}
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	if err := gob.NewEncoder(z).Encode(p); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// around collects the properties that hold for a queue file but are in other
// files (yarn-site.xml, included files).
func around(doc *yarnconf.Document) ([]byte, error) {
	alone, err := yarnconf.Parse(doc.Name(), doc.Bytes())
	if err != nil {
		return nil, err
	}
	var rest []yarnconf.Change
	for _, key := range doc.Keys() {
		v, _ := doc.Get(key)
		if own, ok := alone.Get(key); !ok || own != v {
			rest = append(rest, yarnconf.Change{Key: key, Value: v})
		}
	}
	return yarnconf.Fragment("", rest), nil
}

// Unpack prepares the study of a package. It refuses one that comes out
// different here than where it was packed.
func Unpack(ctx context.Context, data []byte, workers int) (*study.Study, error) {
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderMaxMemory(maxPackage))
	if err != nil {
		return nil, fmt.Errorf("study package: %w", err)
	}
	defer z.Close()
	var p parcel
	if err := gob.NewDecoder(io.LimitReader(z, maxPackage)).Decode(&p); err != nil {
		return nil, fmt.Errorf("study package: %w", err)
	}
	doc, err := yarnconf.Parse(p.Name, p.Config)
	if err != nil {
		return nil, err
	}
	site, err := yarnconf.Parse("properties around "+p.Name, p.Site)
	if err != nil {
		return nil, err
	}
	doc = doc.WithSite(site).ForHadoop(p.Hadoop)
	cal, err := yarn.ParseCalibration(p.Calibration)
	if err != nil {
		return nil, err
	}
	if r := p.Present; r != nil { // empty lists do not travel
		r.Queues, r.PerJob = append([]accuracy.Queue{}, r.Queues...), append([]accuracy.Job{}, r.PerJob...)
	}
	c := &scenario.Case{Doc: doc, Props: doc, Cluster: &p.Cluster, Work: &p.Work, Calibration: cal, Notes: p.Notes,
		Warnings: p.Warnings}
	s, err := study.PrepareCase(ctx, c, study.Request{
		Inputs: p.Inputs, Objectives: p.Objectives, Constraints: p.Constraints, Params: p.Params, Windows: p.Windows,
		Workloads: p.Workloads, TimeLimit: p.TimeLimit, Workers: workers, Present: p.Present,
		Options: tune.Options{Method: p.Options.Sampler, Seed: p.Options.Seed, Budget: p.Options.Budget,
			Patience: p.Options.Patience, Risk: p.Options.Risk},
	})
	if err != nil {
		return nil, err
	}
	if s.Problem.Name != p.Print {
		return nil, fmt.Errorf("study package: has the hash %s here and had %s when packed: another program version, "+
			"or a queue file with includes", clip(s.Problem.Name), clip(p.Print))
	}
	return s, nil
}
