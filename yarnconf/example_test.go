package yarnconf_test

import (
	"fmt"
	"os"
	"path/filepath"

	"schedtune/yarnconf"
)

const queueFile = `<configuration>
  <!-- two queues -->
  <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,adhoc</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>60</value></property>
  <property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>40</value></property>
</configuration>
`

// An edit changes what it must and nothing else; its diff is the way there, and
// with the arguments swapped the rollback.
func ExampleDocument_EditValid() {
	d, err := yarnconf.Parse("capacity-scheduler.xml", []byte(queueFile))
	if err != nil {
		fmt.Println(err)
		return
	}
	tuned, err := d.EditValid([]yarnconf.Change{
		{Key: yarnconf.Key("root.prod", yarnconf.Capacity), Value: "70"},
		{Key: yarnconf.Key("root.adhoc", yarnconf.Capacity), Value: "30"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(yarnconf.Diff("present", "tuned", d.Bytes(), tuned.Bytes()))
	// Output:
	// --- present
	// +++ tuned
	// @@ -1,6 +1,6 @@
	//  <configuration>
	//    <!-- two queues -->
	//    <property><name>yarn.scheduler.capacity.root.queues</name><value>prod,adhoc</value></property>
	// -  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>60</value></property>
	// +  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>70</value></property>
	// -  <property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>40</value></property>
	// +  <property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>30</value></property>
	//  </configuration>
}

// All mistakes of a file are listed, each with its line and what is allowed.
func ExampleCheck() {
	d, err := yarnconf.Parse("capacity-scheduler.xml", []byte(queueFile))
	if err != nil {
		fmt.Println(err)
		return
	}
	bad, err := d.Edit([]yarnconf.Change{
		{Key: yarnconf.Key("root.prod", yarnconf.MaximumCapacity), Value: "50"},
		{Key: yarnconf.Key("root.adhoc", "user-limit-faktor"), Value: "2"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range yarnconf.Check(bad).Problems {
		fmt.Println(p)
	}
	// Output:
	// capacity-scheduler.xml:5: root.prod.maximum-capacity: 50 is below capacity 60: must be between 60 and 100
	// capacity-scheduler.xml:3: warning: root.queues: applications that name no queue are refused: YARN's clients submit them to a queue default, which does not exist (add a queue default, or yarn.scheduler.capacity.queue-mappings)
	// capacity-scheduler.xml:6: warning: root.adhoc.user-limit-factor: not set, and 1 keeps a single user at 40 % of an idle cluster, though the queue may grow to 100 % (2.5 lets one user fill the queue up to its maximum, -1 lifts the limit)
	// capacity-scheduler.xml:7: warning: root.adhoc.user-limit-faktor: is no setting of the Capacity Scheduler and is ignored (write root.adhoc.user-limit-factor)
}

// A value is changed, the file written, and taken back from the same request that would
// change a running ResourceManager.
func ExampleDocument_Edit() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "capacity-scheduler.xml")
	if err := os.WriteFile(path, []byte(queueFile), 0o644); err != nil {
		panic(err)
	}
	present, err := yarnconf.Load(path)
	if err != nil {
		panic(err)
	}
	edited, err := present.Edit([]yarnconf.Change{{Key: yarnconf.Key("root.prod", yarnconf.UserFactor), Value: "2"}})
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, edited.Bytes(), 0o644); err != nil {
		panic(err)
	}
	rollback, err := yarnconf.NewMutation(edited, present)
	if err != nil {
		panic(err)
	}
	for _, c := range rollback.Changes() {
		fmt.Println(c.Key, "unset:", c.Unset)
	}
	fmt.Println(len(edited.Bytes())-len(present.Bytes()), "bytes more")
	// Output:
	// yarn.scheduler.capacity.root.prod.user-limit-factor unset: true
	// 104 bytes more
}

// What the settings come to on a cluster of 100 GiB.
func ExampleEvaluate() {
	d, err := yarnconf.Parse("capacity-scheduler.xml", []byte(queueFile))
	if err != nil {
		panic(err)
	}
	conf, err := yarnconf.Evaluate(d)
	if err != nil {
		panic(err)
	}
	for i, e := range conf.Effective(yarnconf.Resource{Memory: 100 << 10, VCores: 50}) {
		q := conf.Queues[i]
		fmt.Printf("%-10s %3.0f %%, %6d MiB guaranteed\n", q.Path, 100*e.Absolute, e.Min.Memory)
	}
	bad, err := d.Edit([]yarnconf.Change{{Key: yarnconf.Key("root.prod", yarnconf.Capacity), Value: "70"}})
	if err != nil {
		panic(err)
	}
	_, err = yarnconf.Evaluate(bad)
	fmt.Println(err)
	// Output:
	// root       100 %, 102400 MiB guaranteed
	// root.prod   60 %,  61440 MiB guaranteed
	// root.adhoc  40 %,  40960 MiB guaranteed
	// yarn.scheduler.capacity.root.prod.capacity=70: capacities of prod, adhoc below root sum to 110 %: must be 100 or 0, within 0.05
}
