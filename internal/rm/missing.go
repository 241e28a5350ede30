package rm

import (
	"context"
	"fmt"
	"strings"
)

// Incomplete is the error of a pull that brought all but something of a history server.
// The folder is complete otherwise: its summary is written and names what is missing.
type Incomplete struct{ Missing []Missing }

// Error names each missing thing with its cause, on one line.
func (e *Incomplete) Error() string {
	var all []string
	for _, m := range e.Missing {
		all = append(all, m.String())
	}
	return strings.Join(all, "; ")
}

// lacks puts down what a history server did not give, and passes on what ends the pull
// as a whole: an interruption, or a folder that can't be written.
func (p *puller) lacks(ctx context.Context, c *Client, what string, err error) error {
	if err == nil || ctx.Err() != nil || p.unwritten != nil {
		return err
	}
	p.sum.Missing = append(p.sum.Missing, Missing{Server: c.Address(), What: what, Error: err.Error()})
	return nil
}

// givesUp is after how many entries in a row that can't be read no further one is asked
// for: each costs the pauses between several tries, and the server is likely gone.
const givesUp = 3

// entriesOf are those of a history server's list: n of them, each read on its own.
type entriesOf struct {
	kind string // what an entry brings, in words
	n    int
	id   func(i int) string
	have func(i int) bool // an earlier pull wrote it
	read func(i int) error
}

// each reads the entries of a history server's list. One that can't be read is missing,
// and the others are read.
func (p *puller) each(ctx context.Context, c *Client, l entriesOf) error {
	var first error
	var failed, row, at int
	for i := range l.n {
		gone := row >= givesUp
		if gone && !l.have(i) {
			failed++
			p.step(l.id(i))
			continue
		}
		err := l.read(i)
		switch {
		case err == nil:
			if !gone {
				row = 0
			}
		case ctx.Err() != nil || p.unwritten != nil:
			return err
		default:
			failed, row = failed+1, row+1
			if first == nil {
				first, at = err, i
			}
		}
		p.step(l.id(i))
	}
	if first == nil {
		return nil
	}
	what := l.kind + " of " + l.id(at)
	if failed > 1 {
		what = fmt.Sprintf("%s and %d more", what, failed-1)
	}
	return p.lacks(ctx, c, what, first)
}
