package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedtune/internal/diagnose"
	"schedtune/internal/rm"
	"schedtune/validation/rmtest"
	"schedtune/yarnconf"
)

// TestRealWhy asks a real ResourceManager why an application waits, makes the change
// that is named on it, and sees the application start; then it pulls what runs, and
// simulates on from there.
func TestRealWhy(t *testing.T) {
	manager := rmtest.StartRM(t, "memory")
	var apps []string
	for range 20 { // 512 MiB each; the AMs of prod may have 6,144 MiB
		a := manager.Tell(t, "submit alice prod")
		id, ok := strings.CutPrefix(a, "SUBMITTED ")
		if !ok {
			t.Fatal(a)
		}
		apps = append(apps, id)
	}
	var why diagnose.PendingDocument
	first := apps[12]
	within(t, func() bool {
		out, _ := must(t, 0, "why", first, "--rm", manager.URL, "--json")
		why = diagnose.PendingDocument{}
		if err := json.Unmarshal([]byte(out), &why); err != nil {
			t.Fatal(err)
		}
		return len(why.Causes) > 0 && why.Causes[0].Used == 6144
	})
	c := why.Causes[0]
	if c.Kind != "am-limit-queue" || !c.Binding || c.Limit != 6144 || c.Asked != 512 || len(why.Changes) != 1 {
		t.Fatalf("%+v", why)
	}
	client, err := rm.New(rm.Options{Base: manager.URL, Auth: mustAuth(t)})
	if err != nil {
		t.Fatal(err)
	}
	change(t, client, why.Changes[0])
	within(t, func() bool {
		out, err := client.Get(context.Background(), "/ws/v1/cluster/apps/"+first, nil)
		return err == nil && strings.Contains(string(out), `"runningContainers":1,`)
	})
	dir := filepath.Join(t.TempDir(), "pulled")
	out, _ := must(t, 0, "pull", "--rm", manager.URL, "--out", dir, "--json", "--quiet")
	if strings.Contains(out, "not known") || !strings.Contains(out, rm.FileNowContainers) {
		t.Errorf("%s", out)
	}
	out, _ = must(t, 0, "simulate", "--from-pull", dir, "--replications", "5", "--json")
	var from fromPullJSON
	if err := json.Unmarshal([]byte(out), &from); err != nil || from.Running != 13 || from.Waiting != 7 ||
		len(from.Starts) != 7 || from.Starts[0].Median == nil {
		t.Errorf("%v %s", err, out)
	}
	out, _ = must(t, 0, "why", apps[19], "--pull", dir, "--json")
	why = diagnose.PendingDocument{}
	if err := json.Unmarshal([]byte(out), &why); err != nil || why.Causes[0].Kind != "am-limit-queue" || why.Next == nil {
		t.Errorf("%v %s", err, out)
	}
}

func mustAuth(t *testing.T) *rm.Auth {
	t.Helper()
	a, err := rm.ParseAuth("simple:root")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// within waits for something that a heartbeat brings.
func within(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("not within a minute")
}

// change makes a named change on the ResourceManager, after its own validation.
func change(t *testing.T, c *rm.Client, s diagnose.Step) {
	t.Helper()
	ctx := context.Background()
	now, err := rm.ReadConfig(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	var changes []yarnconf.Change
	for _, k := range now.Props.Keys() {
		changes = append(changes, yarnconf.Change{Key: k, Value: now.Props[k]})
	}
	from, err := yarnconf.Parse("now", yarnconf.Fragment("", changes))
	if err != nil {
		t.Fatal(err)
	}
	to, err := from.Edit([]yarnconf.Change{{Key: s.Key, Value: fmt.Sprint(s.Value)}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := rm.Prepare(ctx, c, from, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Send(ctx, c, rm.SendOptions{}); err != nil {
		t.Fatal(err)
	}
}
