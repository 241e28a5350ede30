package tezlog

import (
	"encoding/json"
	"errors"
	"schedtune/trace/internal/history"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

var errMessage = errors.New("no message of Tez or Hive")

// wire is a message as it is: numbers, and texts or messages as bytes, by field.
type wire struct {
	numbers map[protowire.Number]uint64
	texts   map[protowire.Number][]byte
	pairs   info // the field of repeated pairs of key and value
}

// parts takes a message apart; the field pairs is one of pairs.
func parts(b []byte, pairs ...protowire.Number) (w wire, err error) {
	w = wire{map[protowire.Number]uint64{}, map[protowire.Number][]byte{}, info{}}
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return w, errMessage
		}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			w.numbers[field], n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			w.texts[field], n = protowire.ConsumeBytes(b)
			for _, p := range pairs {
				if p == field && n >= 0 {
					pair, err := parts(w.texts[field])
					if err != nil {
						return w, err
					}
					w.pairs[string(pair.texts[1])] = json.RawMessage(pair.texts[2])
				}
			}
		default:
			n = protowire.ConsumeFieldValue(field, kind, b)
		}
		if n < 0 {
			return w, errMessage
		}
		b = b[n:]
	}
	return w, nil
}

// message takes in a HistoryEventProto of Tez, or a HiveHookEventProto. A ManifestEntryProto
// only says where events lie.
func (r *Reader) message(b []byte) error {
	w, err := parts(b, 10, 50)
	if err != nil {
		return err
	}
	event := string(w.texts[1])
	switch {
	case event == "QUERY_SUBMITTED" || event == "QUERY_COMPLETED":
		r.records++
		r.query(event, &w)
		return nil
	case strings.HasPrefix(event, "dag_") || strings.HasPrefix(string(w.texts[2]), "application_"):
		r.records++
		return nil
	}
	f := fields{other: w.pairs}
	if user := w.texts[3]; len(user) > 0 && f.other["user"] == nil {
		f.other["user"] = json.RawMessage(user)
	}
	id := ""
	for _, x := range []struct{ prefix, id string }{
		{"APP_", string(w.texts[4])}, {"AM_", string(w.texts[5])}, {"CONTAINER_", f.text("containerId")},
		{"DAG_", string(w.texts[6])}, {"VERTEX_", string(w.texts[7])}, {"TASK_ATTEMPT_", string(w.texts[9])},
		{"TASK_", string(w.texts[8])},
	} {
		if strings.HasPrefix(event, x.prefix) {
			id = x.id
			break
		}
	}
	if id == "" {
		return errMessage
	}
	at := int64(Unknown)
	if v := w.numbers[2]; v <= maxMillis {
		at = int64(v)
	}
	r.record(id, event, r.time(at), &f)
	return nil
}

// query is a query of Hive, as its history has it.
type query struct {
	submit Millis
	queue  string // wished for in its settings
	ran    bool   // it ran a DAG of an application that is known
}

// query takes in an event of Hive (HiveHookEventProto).
func (r *Reader) query(event string, w *wire) {
	id := string(w.texts[2])
	q := r.queries[id]
	if q == nil {
		q = &query{submit: Unknown}
		r.queries[id] = q
	}
	if event == "QUERY_SUBMITTED" {
		q.submit = history.Earlier(q.submit, r.time(int64(min(w.numbers[3], maxMillis+1))))
	}
	if s := w.texts[5]; len(s) > 0 {
		q.queue = r.strings.Get(string(s))
	}
}

// arrivals joins the queries of Hive with the DAGs that they ran.
func (r *Reader) arrivals() {
	for _, b := range r.order {
		for _, d := range b.dags {
			if q := r.queries[d.query]; q != nil && d.query != "" {
				d.Arrival, d.Wish, q.ran = q.submit, q.queue, true
			}
		}
	}
	idle := 0
	for _, q := range r.queries {
		if !q.ran {
			idle++
		}
	}
	r.note(idle, Dropped, "Hive queries of which no DAG is in these histories")
}
