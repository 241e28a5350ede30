package yarnconf_test

import (
	"fmt"

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
	levels, err := d.Levels()
	if err != nil {
		fmt.Println(err)
		return
	}
	changes, err := d.ShareChanges(levels[0], []float64{0.7, 0.3}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	tuned, err := d.EditValid(changes)
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
	// -  <property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>40</value></property>
	// +  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>70</value></property>
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
	for _, p := range yarnconf.Check(bad).Problems[:2] {
		fmt.Println(p)
	}
	// Output:
	// capacity-scheduler.xml:5: root.prod.maximum-capacity: 50 is below capacity 60; allowed: 60 to 100
	// capacity-scheduler.xml:6: warning: root.adhoc.user-limit-factor: 1 keeps a lone user at 40 % of an idle cluster, though the queue may grow to 100 % (2.5 lets one user fill the queue up to its maximum, -1 lifts the limit)
}
