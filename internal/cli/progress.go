package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"schedtune/internal/text"
)

// Progress shows how far a long command is: a bar on a terminal, a plain line
// every few seconds elsewhere, nothing with --quiet. Safe for concurrent use.
type Progress struct {
	mu    sync.Mutex
	env   *Env
	bar   *progressbar.ProgressBar
	total int64
	done  int64
	what  string
	text  string
	every time.Duration
	last  time.Time
	off   bool
	room  int // columns for the text beside a bar
}

// NewProgress starts a progress display. total is the number of steps, -1 if
// unknown; what names a step in the plural ("runs", "files"), or is "% of …" where total
// is 100.
func (e *Env) NewProgress(total int64, what string) *Progress {
	p := &Progress{env: e, total: total, what: what, every: 5 * time.Second, last: time.Now(), off: e.Quiet &&
		!e.lines() || e.Stderr == nil}
	if e.lines() {
		p.every = time.Second
	} else if !p.off && terminal(e.Stderr) {
		p.bar, p.room = newBar(e.Stderr, total, what)
	}
	return p
}

// lines reports whether progress is JSON lines.
func (e *Env) lines() bool { return e.progress == "json" }

// A bar wider than its terminal leaves lines behind, so parts of it are shown from some
// width on, most needed first; each takes so many columns at most.
const (
	percentRoom          = 14 // 100% |███|
	countFrom, countRoom = 60, 14
	timesFrom, timesRoom = 80, 16 // [10m30s:10m30s]
	speedFrom, speedRoom = 100, 14
	barEvery             = 100 * time.Millisecond
)

// newBar is a bar for a terminal, and the columns it leaves for a text.
func newBar(w io.Writer, total int64, what string) (bar *progressbar.ProgressBar, room int) {
	width := columnsOf(w)
	options := []progressbar.Option{progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(text.Begin(what, width-percentRoom)),
		progressbar.OptionThrottle(barEvery), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(width >= timesFrom), progressbar.OptionSetElapsedTime(width >= timesFrom)}
	room = width - percentRoom
	if width >= countFrom {
		options, room = append(options, progressbar.OptionShowCount()), room-countRoom
	}
	if width >= timesFrom {
		room -= timesRoom
	}
	if width >= speedFrom {
		options, room = append(options, progressbar.OptionShowIts(), progressbar.OptionSetItsString(what)), room-speedRoom
	}
	return progressbar.NewOptions64(total, options...), room
}

// Set moves to done steps with a short text (best so far, gain).
func (p *Progress) Set(done int64, txt string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.text = done, txt
	switch {
	case p.off:
	case p.bar != nil:
		p.bar.Describe(text.Begin(txt, p.room))
		_ = p.bar.Set64(done) // a display that fails must not stop the work
	case time.Since(p.last) >= p.every:
		p.last = time.Now()
		p.line()
	}
}

// SetTotal changes the number of steps, once it is known better.
func (p *Progress) SetTotal(total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if total == p.total {
		return
	}
	p.total = total
	if p.bar != nil {
		p.bar.ChangeMax64(total)
	}
}

// Finish removes the bar.
func (p *Progress) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish()
	}
	if p.env.lines() && !p.off && p.done > 0 {
		p.line()
	}
	p.off = true
}

// ProgressLine is a line of --progress json.
type ProgressLine struct {
	Schema string `json:"schema"`
	Done   int64  `json:"done"`
	Total  *int64 `json:"total"` // null: not known
	Unit   string `json:"unit"`  // what is counted, such as runs
	Text   string `json:"text"`
}

func (p *Progress) line() {
	if p.env.lines() {
		doc := ProgressLine{Schema: text.SchemaProgress, Done: p.done, Unit: p.what, Text: p.text}
		if p.total >= 0 {
			doc.Total = &p.total
		}
		_ = json.NewEncoder(p.env.Stderr).Encode(doc) // a display that fails must not stop the work
		return
	}
	of := ""
	if p.total >= p.done && !strings.HasPrefix(p.what, "%") { // some studies need a few more than was said
		of = fmt.Sprintf(" of %d", p.total)
	}
	sep := ""
	if p.text != "" {
		sep = ", "
	}
	fmt.Fprintf(p.env.Stderr, "%s: %d%s %s%s%s\n", p.env.Name, p.done, of, p.what, sep, p.text)
}
