package fairconf_test

import (
	"fmt"

	"schedtune/fairconf"
)

func ExampleParse() {
	alloc, err := fairconf.Parse("fair-scheduler.xml", []byte(`<allocations>
<queue name="prod"><weight>3</weight></queue>
<queue name="dev"/>
</allocations>`))
	fmt.Println(alloc.Configured("root.prod"), alloc.Configured("root.test"), err)
	_, err = fairconf.Parse("fair-scheduler.xml",
		[]byte("<allocations>\n<queue name='a'><weight>heavy</weight></queue></allocations>"))
	fmt.Println(err)
	// Output:
	// true false <nil>
	// fair-scheduler.xml:2: queue root.a: weight: "heavy": must be a number
}
