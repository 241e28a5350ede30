package rm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
)

// listed is one entry of an answer that lists applications or jobs.
type listed struct {
	id    string
	start int64
	raw   json.RawMessage
}

// listing is an answer that lists things: the path, the names of the object and of the
// list in it, and the field with an entry's start.
type listing struct{ path, outer, inner, start string }

var listOfApps = listing{cluster + "/apps", "apps", "app", "startedTime"}

// list reads all entries that started in [since, until]. A window whose answer
// is full is cut in half, so that no entry is missed whatever order the server
// lists them in.
func (p *puller) list(ctx context.Context, c *Client, l listing, extra url.Values) ([]listed, error) {
	found := map[string]listed{}
	var walk func(from, to int64) error
	walk = func(from, to int64) error {
		q := url.Values{"startedTimeBegin": {strconv.FormatInt(from, 10)}, "startedTimeEnd": {strconv.FormatInt(to, 10)},
			"limit": {strconv.Itoa(p.opt.Page)}}
		maps.Copy(q, extra)
		entries, err := p.page(ctx, c, l, q)
		if err != nil {
			return err
		}
		if len(entries) >= p.opt.Page && to > from {
			mid := from + (to-from)/2
			if err := walk(from, mid); err != nil {
				return err
			}
			return walk(mid+1, to)
		}
		if len(entries) >= p.opt.Page {
			p.note("more than %d entries started in the same millisecond; some are missing", p.opt.Page)
		}
		for _, e := range entries {
			found[e.id] = e
		}
		return nil
	}
	if err := walk(max(p.opt.Since, 0), p.opt.Until); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(found), func(a, b listed) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.id, b.id))
	}), nil
}

// page reads the entries of one query.
func (p *puller) page(ctx context.Context, c *Client, l listing, q url.Values) ([]listed, error) {
	_, body, err := p.fetch(ctx, c, l.path, q, l.outer)
	if err != nil {
		return nil, err
	}
	raws, err := entries(body, l.inner)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", c.Address(), l.path, err)
	}
	out := make([]listed, 0, len(raws))
	for _, r := range raws {
		var m map[string]json.RawMessage
		if err := c.decode(l.path, r, &m); err != nil {
			return nil, err
		}
		e := listed{raw: r}
		if json.Unmarshal(m["id"], &e.id) != nil || !plainID(e.id) {
			return nil, fmt.Errorf("%s%s: an entry without a proper id: must be application_… or job_…", c.Address(), l.path)
		}
		if m[l.start] != nil {
			if err := json.Unmarshal(m[l.start], &e.start); err != nil {
				return nil, fmt.Errorf("%s%s: %s of %s is no number", c.Address(), l.path, l.start, e.id)
			}
		}
		out = append(out, e)
	}
	return out, nil
}

var plain = regexp.MustCompile(`^[\w-]{1,200}$`)

// plainID guards file names and paths that are built from a server's words.
func plainID(id string) bool { return plain.MatchString(id) }
