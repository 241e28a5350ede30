package rm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// Plan is a change of a running cluster's configuration, checked but not made.
type Plan struct {
	From, To  *yarnconf.Document
	Mutation  yarnconf.Mutation // empty: nothing to do
	Back      yarnconf.Mutation // its reverse
	Live      *LiveConfig       // nil with a file store
	FileStore bool
	Notes     []string
}

// DriftError says that the live configuration is not the one that was tuned.
type DriftError struct {
	Address string
	Diffs   []string // up to a few, one line each
	More    int      // differences not listed
}

// Error lists the differences on one line.
func (e *DriftError) Error() string {
	s := fmt.Sprintf("%s: the live configuration is not the one that was tuned: %s", e.Address,
		strings.Join(e.Diffs, "; "))
	if e.More > 0 {
		s += fmt.Sprintf("; and %d more", e.More)
	}
	return s
}

// add lists a difference, or counts one beyond the first three.
func (e *DriftError) add(what, is, instead string) {
	if len(e.Diffs) == 3 {
		e.More++
		return
	}
	e.Diffs = append(e.Diffs, fmt.Sprintf("%s is %s instead of %s", what, is, instead))
}

// Hint says what to do about it.
func (e *DriftError) Hint() string { return "pull again and tune what is in force now" }

// ErrApplied says that the live configuration already is the one to be applied.
var ErrApplied = errors.New("the live configuration already holds these settings")

// Prepare checks a change against the running cluster without changing
// anything: both files load, they have the same queues, the live configuration
// is the first of them, and the ResourceManager's own validation accepts the
// change. With ErrApplied it returns the plan too, for Effective.
func Prepare(ctx context.Context, c *Client, from, to *yarnconf.Document) (*Plan, error) {
	if ps := to.Validate(); len(ps) > 0 {
		return nil, ps[0]
	}
	p := &Plan{From: from, To: to}
	var err error
	if p.Mutation, err = yarnconf.NewMutation(from, to); err != nil {
		return nil, err
	}
	if p.Back, err = yarnconf.NewMutation(to, from); err != nil {
		return nil, err
	}
	if p.Mutation.Empty() {
		return p, nil
	}
	p.Live, err = ReadConfig(ctx, c)
	if errors.Is(err, ErrFileStore) {
		p.FileStore = true
		return p, p.sameEffective(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	if err := drift(c.Address(), from, to, p.Live.Props); err != nil {
		return p, err
	}
	return p, p.validate(ctx, c)
}

// drift compares the scheduler's own settings; yarn-site.xml is no business of
// the store's.
func drift(address string, from, to yarnconf.Props, live yarnconf.Map) error {
	diffs := yarnconf.SchedulerChanges(from, live)
	if len(diffs) == 0 {
		return nil
	}
	if len(yarnconf.SchedulerChanges(to, live)) == 0 {
		return ErrApplied
	}
	e := &DriftError{Address: address}
	for _, ch := range diffs {
		was, ok := from.Get(ch.Key)
		e.add(strings.TrimPrefix(ch.Key, yarnconf.Prefix), orUnset(strings.TrimSpace(ch.Value), !ch.Unset),
			orUnset(strings.TrimSpace(was), ok))
	}
	return e
}

// orUnset is a setting's value, or that it has none.
func orUnset(v string, set bool) string {
	if !set {
		return "not set"
	}
	return v
}

// sameEffective replaces the comparison of settings where they are not
// shown: the queues' effective values must be those of the file.
func (p *Plan) sameEffective(ctx context.Context, c *Client) error {
	data, err := c.Get(ctx, cluster+"/scheduler", nil)
	if err != nil {
		return err
	}
	queues, err := ParseScheduler(data)
	if err != nil {
		return fmt.Errorf("%s%s/scheduler: %w", c.Address(), cluster, err)
	}
	total := yarnconf.Resource{Memory: queues[0].EffectiveMax.Memory, VCores: queues[0].EffectiveMax.VCores}
	cmp, err := Compare(p.From, total, queues)
	if err != nil {
		return err
	}
	e := &DriftError{Address: c.Address()}
	for _, d := range cmp.Diffs {
		if d.What != figureAMLimit { // that depends on yarn-site.xml, which is not at hand
			e.add(d.Queue+" "+d.What, d.Theirs, d.Ours)
		}
	}
	if len(e.Diffs) == 0 {
		return nil
	}
	return e
}

// validate lets the ResourceManager try the change.
func (p *Plan) validate(ctx context.Context, c *Client) error {
	body, err := p.Mutation.JSON()
	if err != nil {
		return err
	}
	_, err = c.once(ctx, http.MethodPost, cluster+"/scheduler-conf/validate", nil, body)
	if s := statusOf(err); s == http.StatusNotFound || s == http.StatusMethodNotAllowed {
		p.Notes = append(p.Notes, "this ResourceManager has no validation: it will refuse a bad change only when it is sent")
		return nil
	}
	return err
}

// Record is what was done, kept so that it can be taken back.
type Record struct {
	Schema        string          `json:"schema"` // schedtune/applied/v1
	What          string          `json:"what"`   // apply or rollback
	RM            string          `json:"rm"`
	At            string          `json:"at"` // RFC 3339, by the clock of the machine that asked
	VersionBefore int64           `json:"version_before"`
	VersionAfter  int64           `json:"version_after"`
	Sent          json.RawMessage `json:"sent"` // the mutation
	Back          json.RawMessage `json:"back"` // its reverse
	Changes       int             `json:"changes"`
	ReadBack      bool            `json:"read_back"` // the live configuration holds every change
	// Effective says whether the queues have the values that were applied; null: not known.
	Effective *bool    `json:"effective"`
	Warnings  []string `json:"warnings"`
	// Status is Intended until it is known what came of the request.
	Status string `json:"status"`
}

// Status of a record.
const (
	Intended = "intended" // about to be sent, or sent and no answer came
	Made     = "made"
	NotMade  = "not made"
	Unclear  = "unclear" // neither the old nor the new configuration is in force, or it can't be read
)

// SendOptions are how a change is made.
type SendOptions struct {
	// Keep, if set, is given the record before the change is sent, and again when
	// it is known what came of it. If it fails the first time, nothing is sent.
	Keep func(*Record) error
	// WithoutVersion sends where the store tells no version, so that a change by
	// somebody else at the same time is not noticed.
	WithoutVersion bool
}

// ErrNoVersion is a store that tells no version.
var ErrNoVersion = errors.New("the configuration's version can't be read, so that a change by somebody else at the " +
	"same time would go unnoticed; nothing was sent")

// unchanged returns the version if it is the one Prepare saw, before and after
// the settings are read once more, and these are the old ones.
func (p *Plan) unchanged(ctx context.Context, c *Client, o SendOptions) (int64, error) {
	before, err := readVersion(ctx, c)
	if err != nil {
		return 0, err
	}
	if before == 0 && !o.WithoutVersion {
		return 0, fmt.Errorf("%s: %w", c.Address(), ErrNoVersion)
	}
	now, err := ReadConfig(ctx, c) // settings, then the version
	if err != nil {
		return 0, err
	}
	for _, v := range []int64{before, now.Version} {
		if v != p.Live.Version {
			return 0, fmt.Errorf("%s: version conflict: the configuration went from version %d to %d since it was read; "+
				"nothing was sent", c.Address(), p.Live.Version, v)
		}
	}
	return before, drift(c.Address(), p.From, p.To, now.Props)
}

// Send makes the change and reads it back. Errors: somebody else changed the
// configuration since Prepare, or its version can't be read (nothing is sent);
// the ResourceManager refuses, or the outcome is not the one asked for; the error
// says which configuration is in force then. The record comes back whenever the
// change was made or may have been.
func (p *Plan) Send(ctx context.Context, c *Client, o SendOptions) (*Record, error) {
	if p.Live == nil || p.Mutation.Empty() {
		return nil, errors.New("nothing to send")
	}
	v, err := p.unchanged(ctx, c, o)
	if err != nil {
		return nil, err
	}
	r := &Record{Schema: text.SchemaApplied, RM: c.Address(), VersionBefore: v, Changes: len(p.Mutation.Changes()),
		Warnings: []string{}}
	body, err := p.Mutation.JSON()
	if err != nil {
		return nil, err
	}
	back, err := p.Back.JSON()
	if err != nil {
		return nil, err
	}
	r.Sent, r.Back, r.Status = body, back, Intended
	keep := o.Keep
	if keep == nil {
		keep = func(*Record) error { return nil }
	}
	if err := keep(r); err != nil {
		return nil, fmt.Errorf("the record of the change can't be written: %w; nothing was sent", err)
	}
	if _, err := c.once(ctx, http.MethodPut, cluster+"/scheduler-conf", nil, body); err != nil {
		err = p.afterFailure(ctx, c, r, err)
		err = errors.Join(err, keep(r))
		if r.Status == NotMade {
			return nil, err
		}
		return r, err
	}
	r.Status = Made
	err = p.readBack(ctx, c, r)
	return r, errors.Join(err, keep(r))
}

// afterFailure finds out what is in force after a change that did not succeed,
// or whose answer never came.
func (p *Plan) afterFailure(ctx context.Context, c *Client, r *Record, cause error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w; whether the change was made is not known: read the configuration back before trying again",
			cause)
	}
	now, err := ReadConfig(ctx, c)
	switch {
	case err != nil:
		// Intended: read it back later.
		return fmt.Errorf("%w; whether the change was made is not known, for reading it back fails too: %w", cause, err)
	case len(yarnconf.SchedulerChanges(p.From, now.Props)) == 0:
		r.Status = NotMade
		return fmt.Errorf("%w; the configuration is unchanged", cause)
	case len(yarnconf.SchedulerChanges(p.To, now.Props)) == 0:
		r.Status, r.VersionAfter, r.ReadBack = Made, now.Version, true
		return fmt.Errorf("%w; yet the change was made", cause)
	}
	r.Status = Unclear
	return fmt.Errorf("%w; the configuration in force is neither the old nor the new one", cause)
}

func (p *Plan) readBack(ctx context.Context, c *Client, r *Record) error {
	now, err := ReadConfig(ctx, c)
	if err != nil {
		return fmt.Errorf("the change was sent and accepted, but reading it back fails: %w", err)
	}
	r.VersionAfter = now.Version
	if r.VersionBefore > 0 && now.Version != r.VersionBefore+1 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("version conflict: version went from %d to %d, so somebody else "+
			"changed the configuration at the same time", r.VersionBefore, now.Version))
	}
	if d := yarnconf.SchedulerChanges(p.To, now.Props); len(d) > 0 {
		return fmt.Errorf("%s: the change was accepted, but %s is %s in the live configuration and not what was sent",
			c.Address(),
			strings.TrimPrefix(d[0].Key, yarnconf.Prefix), orUnset(d[0].Value, !d[0].Unset))
	}
	r.ReadBack = true
	var warning string
	if r.Effective, warning = p.Effective(ctx, c); warning != "" {
		r.Warnings = append(r.Warnings, warning)
	}
	return nil
}

// Effective reports whether the queues have the values of the configuration to be applied, nil if
// that is not known, with a warning unless they have.
func (p *Plan) Effective(ctx context.Context, c *Client) (*bool, string) {
	err := (&Plan{From: p.To}).sameEffective(ctx, c)
	var differs *DriftError
	same := err == nil
	switch {
	case errors.As(err, &differs):
		return &same, "effective values differ from what was applied: " + strings.Join(differs.Diffs, "; ")
	case err != nil:
		return nil, "effective values are not known: " + err.Error()
	}
	return &same, ""
}
