package rm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"schedtune/trace"
	"schedtune/trace/sparklog"
)

// sparkAPI is the REST interface of Spark's history server.
const sparkAPI = "/api/v1/applications"

// archiveType is what the history server gives event logs as (OneApplicationResource.getEventLogs);
// a request that accepts only JSON is refused with 406.
const archiveType = "application/octet-stream"

// sparkListed is one application of the history server's list.
type sparkListed struct {
	ID       string                 `json:"id"`
	Name     string                 `json:"name"`
	Attempts []sparklog.RESTAttempt `json:"attempts"`
}

// spark reads the event logs of Spark applications through the history server,
// which gives each as an archive. What is kept is what sparklog.App holds,
// written as an event log: jobs, stages, tasks, executors, and of the settings
// only those that matter, for a log may hold secrets. Where the server does not
// give a log, its other answers take its place; what it does not give at all is missing
// and ends nothing.
func (p *puller) spark(ctx context.Context) error {
	c := p.opt.Spark
	if c == nil {
		return nil
	}
	p.sum.SparkHistory = c.Address()
	return p.lacks(ctx, c, "event logs of Spark applications", p.sparkApps(ctx, c))
}

func (p *puller) sparkApps(ctx context.Context, c *Client) error {
	day := func(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000GMT") }
	q := url.Values{"minDate": {day(p.opt.Since)}, "maxDate": {day(p.opt.Until)}}
	data, err := c.Get(ctx, sparkAPI, q)
	if err != nil {
		return elsewhere(err, "a history server of Spark, whose port is 18080 unless set otherwise")
	}
	var apps []sparkListed
	if err := c.decode(sparkAPI, data, &apps); err != nil {
		return err
	}
	start := func(a sparkListed) (first int64) {
		for i, x := range a.Attempts {
			if i == 0 || x.Start < first {
				first = x.Start
			}
		}
		return first
	}
	slices.SortStableFunc(apps, func(a, b sparkListed) int {
		return cmp.Or(cmp.Compare(start(a), start(b)), cmp.Compare(a.ID, b.ID))
	})
	if n := p.opt.MaxJobs; n > 0 && len(apps) > n {
		p.note("%d older Spark applications were left out", len(apps)-n)
		apps = apps[len(apps)-n:]
	}
	p.total += len(apps)
	for i := range apps {
		if !plainID(apps[i].ID) {
			return fmt.Errorf("%s%s: an application without a proper id: must be letters, digits, - and _", c.Address(),
				sparkAPI)
		}
	}
	return p.each(ctx, c, entriesOf{kind: "the event log", n: len(apps), id: func(i int) string { return apps[i].ID },
		have: func(i int) bool { return p.haveSpark(&apps[i]) },
		read: func(i int) error { return p.sparkApp(ctx, c, &apps[i]) }})
}

// sparkApp writes the attempts of one application, each a file of its own.
func (p *puller) sparkApp(ctx context.Context, c *Client, a *sparkListed) error {
	if p.haveSpark(a) {
		p.sum.Files = append(p.sum.Files, a.file())
		p.sum.SparkApps++
		return nil
	}
	archive, err := c.download(ctx, sparkAPI+"/"+a.ID+"/logs")
	switch statusOf(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusNotAcceptable:
		return p.sparkAnswers(ctx, c, a, err)
	}
	if err != nil {
		return err
	}
	defer func() {
		archive.Close()
		os.Remove(archive.Name())
	}()
	t, err := trace.Open(archive.Name(), trace.Options{})
	if errors.Is(err, trace.ErrEmpty) {
		p.note("the event log of %s holds no event", a.ID)
		return nil
	}
	if err != nil {
		var e *trace.Error
		if errors.As(err, &e) {
			e.File = "" // a temporary one
		}
		return fmt.Errorf("%s%s/%s/logs: %w", c.Address(), sparkAPI, a.ID, err)
	}
	return p.keepSpark(a, t.Jobs[len(t.Jobs)-1].Spark)
}

// haveSpark reports whether an earlier pull brought the log of an application that has ended.
func (p *puller) haveSpark(a *sparkListed) bool { return a.ended() && p.out.Have(a.file()) }

// keepSpark writes the event log of an application's last attempt.
func (p *puller) keepSpark(a *sparkListed, app *sparklog.App) error {
	if app == nil {
		return fmt.Errorf("the answer for %s is no event log", a.ID)
	}
	packed, err := packLog(app)
	if err != nil {
		return err
	}
	p.sum.SparkApps++
	return p.write(a.file(), packed)
}

// ended reports whether no attempt of the application is under way: its log grows no more.
func (a *sparkListed) ended() bool {
	return !slices.ContainsFunc(a.Attempts, func(x sparklog.RESTAttempt) bool { return x.End <= 0 })
}

// file is the name of an application's log in the folder.
func (a *sparkListed) file() string { return DirTrace + "/" + a.ID + ".zst" }

func packLog(app *sparklog.App) ([]byte, error) {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(app.Write(z), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// mostLog bounds one archive on disk.
const mostLog = 64 << 30

// download writes an answer of any kind to a temporary file. Time is bounded
// between two pieces of it, not as a whole: logs can be large.
func (c *Client) download(ctx context.Context, at string) (*os.File, error) {
	return retried(ctx, c, func() (*os.File, error) { return c.downloadOnce(ctx, at) })
}

func (c *Client) downloadOnce(ctx context.Context, at string) (f *os.File, err error) {
	if err := c.pace(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(c.opt.Timeout, func() { cancel(context.DeadlineExceeded) })
	defer idle.Stop()
	u := *c.base
	u.Path += at
	shown := u.String()
	resp, err := c.ask(ctx, http.MethodGet, &u, archiveType, nil)
	if err != nil {
		return nil, c.stalled(ctx, shown, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		_, err := c.read(ctx, shown, resp)
		return nil, err
	}
	if f, err = os.CreateTemp("", "tune-pull-*.zip"); err != nil {
		return nil, &permanent{err}
	}
	n, err := io.Copy(f, io.LimitReader(&watched{resp.Body, idle, c.opt.Timeout}, mostLog+1))
	if err == nil && n > mostLog {
		err = &permanent{fmt.Errorf("%s: the answer is larger than %d bytes", shown, int64(mostLog))}
	} else if err != nil {
		err = c.stalled(ctx, shown, fmt.Errorf("the answer breaks off after %d bytes: %w", n, err))
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// stalled is explain, for a request that was cut off since nothing came.
func (c *Client) stalled(ctx context.Context, shown string, err error) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return fmt.Errorf("%s: nothing came for %s", shown, c.opt.Timeout)
	}
	return c.explain(shown, err)
}

// watched winds the clock again with every piece that comes.
type watched struct {
	r     io.Reader
	clock *time.Timer
	span  time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.clock.Reset(w.span)
	}
	return n, err
}
