package tezlog_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// event is one of a history, from which the tests write every form.
type event struct {
	kind, id, name string // TEZ_DAG_ID, dag_…, DAG_SUBMITTED
	at             int64
	info           map[string]any
}

const (
	app   = "1600000000000_0042"
	epoch = int64(1_600_000_100_000)
)

// sample is a session of Hive with two queries; what must not come out of it has "secret" in
// its name.
func sample() (list []event) {
	add := func(kind, id, name string, at int64, info map[string]any) {
		list = append(list, event{kind, id, name, epoch + at, info})
	}
	add("TEZ_APPLICATION", "tez_application_"+app, "APP_LAUNCHED", 1000, map[string]any{"user": "secret-ann",
		"config": map[string]any{"tez.am.mode.session": "true", "hive.tez.container.size": "2048", "hive.tez.cpu.vcores": "2",
			"tez.am.resource.memory.mb": "1536", "tez.queue.name": "etl", "hive.query.string": "select secret from t",
			"fs.secret.key": "secret-key", "tez.am.container.idle.release-timeout-min.millis": "3000"}})
	attempt := "tez_appattempt_" + app + "_000001"
	add("TEZ_APPLICATION_ATTEMPT", attempt, "AM_LAUNCHED", 1000, map[string]any{"appSubmitTime": epoch})
	add("TEZ_APPLICATION_ATTEMPT", attempt, "AM_STARTED", 2000, nil)
	for n, at := range []int64{5000, 40_000} {
		dag := fmt.Sprintf("%s_%d", app, n+1)
		edge := []string{"SCATTER_GATHER", "BROADCAST"}[n]
		add("TEZ_DAG_ID", "dag_"+dag, "DAG_SUBMITTED", at, map[string]any{"dagName": "select secret from t",
			"queueName": "root.etl", "callerId": fmt.Sprintf("hive_secret_%d", n+1), "callerType": "HIVE_QUERY_ID",
			"dagPlan": map[string]any{"dagName": "select secret from t", "dagInfo": map[string]any{"description": "secret"},
				"vertices": []any{map[string]any{"vertexName": "secret Map",
					"additionalInputs": []any{map[string]any{"name": "secret", "initializer": "HiveSplitGenerator"}}},
					map[string]any{"vertexName": "secret Reducer"}},
				"edges": []any{map[string]any{"inputVertexName": "secret Map", "outputVertexName": "secret Reducer",
					"dataMovementType": edge}}}})
		add("TEZ_DAG_ID", "dag_"+dag, "DAG_INITIALIZED", at+50, map[string]any{"vertexNameIdMapping": map[string]any{
			"secret Map": "vertex_" + dag + "_00", "secret Reducer": "vertex_" + dag + "_01"}})
		add("TEZ_DAG_ID", "dag_"+dag, "DAG_STARTED", at+60, nil)
		for v, tasks := range []int{4, 2} {
			id := fmt.Sprintf("vertex_%s_%02d", dag, v)
			begin := at + 500
			add("TEZ_VERTEX_ID", id, "VERTEX_INITIALIZED", begin, map[string]any{"vertexName": []string{"secret Map",
				"secret Reducer"}[v], "numTasks": tasks, "initTime": epoch + begin,
				"servicePlugin": map[string]any{"taskSchedulerClassName": "org.apache.tez.dag.app.rm.DagAwareYarnTaskScheduler"}})
			add("TEZ_VERTEX_ID", id, "VERTEX_CONFIGURE_DONE", begin, map[string]any{"numTasks": tasks})
			add("TEZ_VERTEX_ID", id, "VERTEX_STARTED", begin+5, map[string]any{"startTime": epoch + begin + 5})
			for i := range tasks {
				task := fmt.Sprintf("%s_%02d_%06d", dag, v, i)
				c := fmt.Sprintf("container_e03_%s_01_%06d", app, 2+i)
				from := at + 2000 + int64(v)*6000
				to := from + 4000 + int64(i)*100
				add("TEZ_TASK_ID", "task_"+task, "TASK_STARTED", begin+10, map[string]any{"scheduledTime": epoch + begin + 10})
				if v == 0 && n == 0 {
					add("TEZ_CONTAINER_ID", "tez_"+c, "CONTAINER_LAUNCHED", at+1000, map[string]any{"containerId": c})
				}
				add("TEZ_TASK_ATTEMPT_ID", "attempt_"+task+"_0", "TASK_ATTEMPT_STARTED", from, map[string]any{"containerId": c,
					"nodeId": fmt.Sprintf("secret-host%d:8041", i%2)})
				add("TEZ_TASK_ATTEMPT_ID", "attempt_"+task+"_0", "TASK_ATTEMPT_FINISHED", to, map[string]any{"status": "SUCCEEDED",
					"creationTime": epoch + begin + 11, "allocationTime": epoch + from - 900, "startTime": epoch + from,
					"endTime": epoch + to, "diagnostics": "secret", "counters": map[string]any{}})
			}
			add("TEZ_VERTEX_ID", id, "VERTEX_FINISHED", at+6400+int64(v)*6000, map[string]any{"status": "SUCCEEDED",
				"endTime": epoch + at + 6400 + int64(v)*6000})
		}
		add("TEZ_DAG_ID", "dag_"+dag, "DAG_FINISHED", at+12_500, map[string]any{"status": "SUCCEEDED",
			"startTime": epoch + at + 60, "endTime": epoch + at + 12_500})
	}
	return list
}

// simple writes SimpleHistoryLoggingService's form.
func simple(list []event) []byte {
	var b bytes.Buffer
	for _, e := range list {
		m := map[string]any{"entity": e.id, "entitytype": e.kind}
		if e.name != "APP_LAUNCHED" {
			ev := map[string]any{"ts": e.at, "eventtype": e.name}
			if e.name == "VERTEX_CONFIGURE_DONE" {
				ev["eventinfo"] = e.info
			}
			m["events"] = []any{ev}
		}
		other := map[string]any{}
		for k, v := range e.info {
			other[k] = v
		}
		if e.name == "TASK_ATTEMPT_STARTED" {
			m["relatedEntities"] = []any{map[string]any{"entity": e.info["containerId"], "entitytype": "containerId"},
				map[string]any{"entity": e.info["nodeId"], "entitytype": "nodeId"}}
			other = map[string]any{}
		}
		if m["otherinfo"] = other; e.name == "VERTEX_CONFIGURE_DONE" {
			delete(m, "otherinfo")
		}
		line, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s\x01\n", line)
	}
	return b.Bytes()
}

// entities merges the events of each entity, as the timeline server answers them.
func entities(list []event, kinds ...string) (out []any) {
	at := map[string]map[string]any{}
	for _, e := range list {
		if len(kinds) > 0 && !slices.Contains(kinds, e.kind) {
			continue
		}
		m := at[e.id]
		if m == nil {
			m = map[string]any{"entity": e.id, "entitytype": e.kind, "events": []any{}, "otherinfo": map[string]any{},
				"relatedentities": map[string]any{"TEZ_DAG_ID": []any{"dag_" + app + "_1"}},
				"primaryfilters":  map[string]any{"user": []any{"secret-ann"}}}
			at[e.id] = m
			out = append(out, m)
		}
		if e.name != "APP_LAUNCHED" {
			m["events"] = append([]any{map[string]any{"timestamp": e.at, "eventtype": e.name}}, m["events"].([]any)...)
		}
		for k, v := range e.info {
			m["otherinfo"].(map[string]any)[k] = v
		}
	}
	return out
}

func ats(list []event) []byte {
	b, err := json.MarshalIndent(map[string]any{"entities": entities(list)}, "", " ")
	if err != nil {
		panic(err)
	}
	return b
}

// archive writes that of Tez's UI, of the DAG of a number.
func archive(list []event, n int) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	var mine []event
	for _, e := range list {
		for _, p := range []string{"dag_", "vertex_", "task_", "attempt_"} {
			if rest, ok := strings.CutPrefix(e.id, fmt.Sprintf("%s%s_%d", p, app, n)); ok && (rest == "" || rest[0] == '_') {
				mine = append(mine, e)
			}
		}
	}
	for _, f := range []struct {
		name, member string
		list         []any
	}{{"dag.json", "dag", entities(mine, "TEZ_DAG_ID")},
		{"vertices_part_0.json", "vertices", entities(mine, "TEZ_VERTEX_ID")},
		{"tasks_part_0.json", "tasks", entities(mine, "TEZ_TASK_ID")}, {"tasks_part_1.json", "tasks", []any{}},
		{"task_attempts_part_0.json", "task_attempts", entities(mine, "TEZ_TASK_ATTEMPT_ID")}} {
		w, err := z.Create(f.name)
		if err != nil {
			panic(err)
		}
		var v any = f.list
		if f.member == "dag" {
			v = f.list[0]
		}
		if err := json.NewEncoder(w).Encode(map[string]any{f.member: v}); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// message is a protobuf message of texts, numbers and pairs by field.
func message(texts map[protowire.Number]string, numbers map[protowire.Number]int64, pairs protowire.Number,
	data map[string]any) (b []byte) {
	for f := protowire.Number(1); f < 60; f++ {
		if v, ok := numbers[f]; ok {
			b = protowire.AppendVarint(protowire.AppendTag(b, f, protowire.VarintType), uint64(v))
		}
		if v := texts[f]; v != "" {
			b = protowire.AppendString(protowire.AppendTag(b, f, protowire.BytesType), v)
		}
	}
	for k, v := range data {
		s, ok := v.(string)
		if !ok {
			j, err := json.Marshal(v)
			if err != nil {
				panic(err)
			}
			s = string(j)
		}
		pair := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), k)
		pair = protowire.AppendString(protowire.AppendTag(pair, 2, protowire.BytesType), s)
		b = protowire.AppendBytes(protowire.AppendTag(b, pairs, protowire.BytesType), pair)
	}
	return b
}

// fieldOf is the field of HistoryEventProto that has the id of an entity.
var fieldOf = map[string]protowire.Number{"TEZ_APPLICATION": 4, "TEZ_APPLICATION_ATTEMPT": 5, "TEZ_DAG_ID": 6,
	"TEZ_VERTEX_ID": 7, "TEZ_TASK_ID": 8, "TEZ_TASK_ATTEMPT_ID": 9}

func history(list []event) (messages [][]byte) {
	for _, e := range list {
		texts := map[protowire.Number]string{1: e.name, 4: "application_" + app}
		if f := fieldOf[e.kind]; f != 0 {
			texts[f] = strings.TrimPrefix(e.id, "tez_")
		}
		messages = append(messages, message(texts, map[protowire.Number]int64{2: e.at}, 10, e.info))
	}
	return messages
}

// queries are Hive's, submitted some time before their DAGs.
func queries() (messages [][]byte) {
	for n, at := range []int64{3000, 16_000, 50_000} {
		id := map[protowire.Number]string{1: "QUERY_SUBMITTED", 2: fmt.Sprintf("hive_secret_%d", n+1), 4: "TEZ", 5: "etl",
			7: "secret-ann"}
		messages = append(messages, message(id, map[protowire.Number]int64{3: epoch + at}, 50,
			map[string]any{"QUERY": "select secret from t", "CONF": "{}"}))
	}
	return messages
}

// sequence writes a SequenceFile of messages, packed or not.
func sequence(messages [][]byte, packed bool) []byte {
	b := []byte("SEQ\x06")
	text := func(s string) { b = append(append(b, byte(len(s))), s...) }
	text("org.apache.hadoop.io.NullWritable")
	text("org.apache.tez.dag.history.logging.proto.ProtoMessageWritable")
	if b = append(b, 0, 0); packed {
		b[len(b)-2] = 1
		text("org.apache.hadoop.io.compress.DefaultCodec")
	}
	b = binary.BigEndian.AppendUint32(b, 0)
	sync := []byte("0123456789abcdef")
	b = append(b, sync...)
	for i, m := range messages {
		v := append(protowire.AppendVarint(nil, uint64(len(m))), m...)
		if packed {
			var z bytes.Buffer
			w := zlib.NewWriter(&z)
			if _, err := w.Write(v); err != nil || w.Close() != nil {
				panic("zlib")
			}
			v = z.Bytes()
		}
		if i%7 == 3 {
			b = append(append(b, 0xff, 0xff, 0xff, 0xff), sync...)
		}
		b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
		b = append(binary.BigEndian.AppendUint32(b, 0), v...)
	}
	return b
}
