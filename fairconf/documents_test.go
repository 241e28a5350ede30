package fairconf

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"schedtune/yarnconf"
)

// TestJavaNumbers: what Integer.parseInt, Long.parseLong and Float.parseFloat of Java
// take and refuse.
func TestJavaNumbers(t *testing.T) {
	for s, want := range map[string]string{
		"2147483647": "2147483647 true", "-2147483648": "-2147483648 true", "+5": "5 true", "007": "7 true",
		"2147483648": "false", "": "false", "+": "false", "1_000": "false", "0x10": "false", " 1": "false", "--1": "false",
	} {
		got := "false"
		if n, err := integer(s); err == nil {
			got = fmt.Sprint(n, true)
		}
		if got != want {
			t.Errorf("integer %q: %s, want %s", s, got, want)
		}
	}
	if _, err := seconds("9223372036854775807"); err != nil {
		t.Errorf("seconds of 2^63-1: got %v, want no error", err)
	}
	if _, err := seconds("9223372036854775808"); err == nil {
		t.Error("seconds takes 2^63")
	}
	for f, want := range map[float64]int64{2.9: 2, -2.9: -2, 1e10: math.MaxInt32, -1e10: math.MinInt32, math.NaN(): 0} {
		if got := truncate32(f); got != want {
			t.Errorf("truncate32(%g) = %d, want %d", f, got, want)
		}
	}
}

// TestText: the value of an element is its first child where that is text, as the
// original asks for the first node alone; CDATA is text, and comments are not there.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"2": "2", "<![CDATA[2]]>": "2", "1<!-- c -->0": "10", "2<x/>7": "2", "<x/>2": "missing value", " 2 ": "2",
	} {
		a, err := Parse("f", []byte("<allocations><userMaxAppsDefault>"+text+"</userMaxAppsDefault></allocations>"))
		got := ""
		if err != nil {
			got = err.(*Error).Reason
		} else {
			got = fmt.Sprint(a.UserMaxAppsDefault)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestDocuments: size, depth, encodings and what may stand around the outermost element.
func TestDocuments(t *testing.T) {
	deep := func(n int) string {
		return "<allocations>" + strings.Repeat("<queue name='q'>", n-1) + strings.Repeat("</queue>", n-1) + "</allocations>"
	}
	for _, c := range []struct{ name, text, want string }{
		{"100 levels", deep(100), ""},
		{"101 levels", deep(101), "f:1: queue: elements nested more than 100 deep"},
		{"16 MiB", "<allocations/>" + strings.Repeat(" ", maxFile-14), ""},
		{"more than 16 MiB", strings.Repeat(" ", maxFile+1), "f: larger than 16 MiB"},
		{"Latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?><allocations><!-- \xfc --></allocations>", ""},
		{"ASCII", "<?xml version='1.0' encoding='US-ASCII'?><allocations/>", ""},
		{"Latin-1 name", "<?xml version='1.0' encoding='ISO-8859-1'?><allocations><queue " +
			"name='\xfc'><weight>x</weight></queue></allocations>", "f:1: queue root.?: weight: "},
		{"another encoding", "<?xml version='1.0' encoding='UTF-16'?><allocations/>", "f:1: XML: "},
		{"a byte order mark", "\xef\xbb\xbf<allocations/>", ""},
		{"a mark and a declaration", "\xef\xbb\xbf<?xml version='1.0'?>\n<allocations>\n<b x=''/>", "f:3: XML: "},
		{"UTF-16", "\xff\xfe<\x00a\x00", "f:1: the file is UTF-16: must be UTF-8, US-ASCII, ISO-8859-1; iconv"},
		{"text before", "x<allocations/>", "f:1: text outside the outermost element"},
		{"text behind", "<allocations/>\n\nx", "f:1: text outside the outermost element"},
		{"comment behind", "<allocations/>\n<!-- x -->\n", ""},
		{"second element", "<allocations/>\n<b/>", "f:2: b: a second outermost element"},
		{"open", "<allocations>\n<queue name='a'>\n", "f:3: XML: "},
		{"no file", "", "f:1: XML: the file has no element"},
	} {
		_, err := Parse("f", []byte(c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	a := parsed(t, "<queue name='a' x:name='b' xmlns:x='y'/>")
	if len(a.Leaves) != 1 || a.Leaves[0] != "root.a" {
		t.Errorf("queues %v: an attribute of another name space counts", a.Leaves)
	}
	if _, err := Load("no such file"); err == nil || !strings.HasPrefix(err.Error(), "no such file: ") {
		t.Errorf("a missing file: %v", err)
	}
}

// TestNames: trimmed blanks, periods of users, paths.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{"\u00a0a\u2003": "a", " ": "", "a b": "a b", "\u200ba": "\u200ba"} {
		if got := TrimName(in); got != want {
			t.Errorf("TrimName(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]bool{"a": true, "a.b": true, ".a": false, "a.": false, " a": false, "a ": false} {
		if got := ValidName(in); got != want {
			t.Errorf("ValidName(%q) = %v", in, got)
		}
	}
	for in, want := range map[string]string{"root": "root", "root.a": "root.a", "rootx": "root.rootx", "a": "root.a"} {
		if got := FullPath(in); got != want {
			t.Errorf("FullPath(%q) = %q, want %q", in, got, want)
		}
	}
	if got := UserQueue(" a.b.c "); got != "a_dot_b_dot_c" {
		t.Errorf("UserQueue: %q", got)
	}
	e := Equal([]string{"a", "root.b", "a"})
	if strings.Join(e.Leaves, " ") != "root.a root.b" || e.Of("root.a").Weight != 1 || len(e.Placement) != 2 ||
		e.Placement[1].Queue != "root.default" {
		t.Errorf("equal weights: %+v", e)
	}
}

// TestPolicies: fifo holds no child queue, fair none of drf, drf any.
func TestPolicies(t *testing.T) {
	for p, want := range map[Policy]string{Fair: "fair FIFO", FIFO: "", DRF: "fair FIFO DRF"} {
		var got []string
		for _, c := range []Policy{Fair, FIFO, DRF} {
			if p.AllowsChild(c) {
				got = append(got, c.String())
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s holds %q, want %q", p, s, want)
		}
	}
}

// TestTogether: what one element says does not hang on the others of the file, whatever
// their order; one that is wrong has the whole file refused.
func TestTogether(t *testing.T) {
	parts := []string{
		"<queue name='a'><weight>2</weight><minResources>1 mb, 2 vcores</minResources><maxResources>3 mb, 4 " +
			"vcores</maxResources><maxChildResources>5 mb, 6 vcores</maxChildResources>" +
			"<maxContainerAllocation>7 mb, 8 " +
			"vcores</maxContainerAllocation><maxRunningApps>9</maxRunningApps><maxAMShare>0.1</maxAMShare><schedulingPolicy>drf</schedulingPolicy>" +
			"<minSharePreemptionTimeout>11</minSharePreemptionTimeout><fairSharePreemptionTimeout>12</fairSharePreemptionTimeout><fairSharePreemptionThreshold>0.2</fairSharePreemptionThreshold>" +
			"<allowPreemptionFrom>false</allowPreemptionFrom></queue>",
		"<user name='u'><maxRunningApps>13</maxRunningApps></user>",
		"<user name='v'><maxRunningApps>14</maxRunningApps></user>",
		"<queuePlacementPolicy><rule name='default' queue='a'/></queuePlacementPolicy>",
		"<userMaxAppsDefault>15</userMaxAppsDefault>", "<queueMaxAppsDefault>16</queueMaxAppsDefault>",
		"<queueMaxAMShareDefault>0.3</queueMaxAMShareDefault>",
		"<queueMaxResourcesDefault>17 mb, 18 vcores</queueMaxResourcesDefault>",
		"<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>",
		"<defaultMinSharePreemptionTimeout>19</defaultMinSharePreemptionTimeout>",
		"<defaultFairSharePreemptionTimeout>20</defaultFairSharePreemptionTimeout>",
		"<defaultFairSharePreemptionThreshold>0.4</defaultFairSharePreemptionThreshold>",
	}
	want := "2 1 2 3 4 5 6 7 8 9 0.1 DRF 11000 12000 0.2 false 13 14 15 16 0.3 17 18 DRF 19000 20000 0.4 root.a"
	for turn := range parts {
		file := filepath.Join(t.TempDir(), "fair-scheduler.xml")
		text := "<allocations>" + strings.Join(parts[turn:], "") + strings.Join(parts[:turn], "") + "</allocations>"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		var child Limit
		if m := a.Of("root.a").MaxChild; m != nil {
			child = *m
		}
		most, child0, def := a.Of("root.a").Max.Amount, child.Amount, a.Of("root.x").Max.Amount
		got := fmt.Sprintln(a.Of("root.a").Weight, a.Of("root.a").Min.Memory, a.Of("root.a").Min.VCores, most.Memory, most.VCores,
			child0.Memory, child0.VCores,
			a.Of("root.a").MaxContainer.Memory, a.Of("root.a").MaxContainer.VCores, a.Of("root.a").MaxApps, a.Of("root.a").MaxAMShare,
			a.Of("root.a").Policy, a.Of("root.a").MinTimeout, a.Of("root.a").FairTimeout,
			a.Of("root.a").FairThreshold, !a.Of("root.a").Fixed, a.UserApps("u"), a.UserApps("v"), a.UserApps("w"),
			a.Of("root.x").MaxApps, a.Of("root.x").MaxAMShare, def.Memory, def.VCores,
			a.Of("root.x").Policy, a.Of("root").MinTimeout, a.Of("root").FairTimeout, a.Of("root").FairThreshold, a.Placement[0].Queue)
		if got != want+"\n" {
			t.Errorf("from part %d: %s, want %s", turn, got, want)
		}
		bad := strings.NewReplacer("<weight>2", "<weight>-1", "<maxRunningApps>9", "<maxRunningApps>1.5",
			"name='default' queue", "name='no' queue", ">drf</schedulingPolicy", "></schedulingPolicy",
			">19<", ">x<", ">20<", ">x<", ">0.4<", ">x<", ">0.3<", ">x<", ">0.2<", ">x<", ">0.1<", ">x<", ">11<", ">x<", ">12<",
			">x<", ">13<", ">x<", ">false<", "><")
		for _, p := range parts {
			broken := strings.Replace(text, p, bad.Replace(p), 1)
			if _, err := Parse("f", []byte(broken)); (err == nil) != (broken == text) {
				t.Errorf("%s: error %v", broken, err)
			}
		}
	}
}

// TestQueueRefusals: every value of a queue that can't be read is refused by its name.
func TestQueueRefusals(t *testing.T) {
	for _, tag := range []string{"weight", "minResources", "maxResources", "maxChildResources", "maxContainerAllocation",
		"maxRunningApps", "maxAMShare", "schedulingPolicy", "schedulingMode",
		"minSharePreemptionTimeout", "fairSharePreemptionTimeout", "fairSharePreemptionThreshold"} {
		for _, text := range []string{"", "x", "1,2,3"} {
			_, err := Parse("f",
				[]byte("<allocations><queue name='p'><queue name='a'>\n<"+tag+">"+text+"</"+tag+"></queue></queue></allocations>"))
			if err == nil || !strings.HasPrefix(err.Error(), "f:2: queue root.p.a: "+tag+": ") {
				t.Errorf("%s of %q: error %v", tag, text, err)
			}
		}
	}
	for _, tag := range []string{"allowPreemptionFrom", "aclSubmitApps", "aclListReservations"} {
		if _, err := Parse("f", []byte("<allocations><queue name='a'><"+tag+"/></queue></allocations>")); err == nil ||
			!strings.Contains(err.Error(), tag+": missing value") {
			t.Errorf("%s without text: error %v", tag, err)
		}
	}
}

// No properties at all are the defaults.
func TestReadSiteOfNothing(t *testing.T) {
	s, errs := ReadSite(nil)
	if empty, _ := ReadSite(yarnconf.Map(nil)); len(errs) > 0 || !reflect.DeepEqual(s, empty) {
		t.Errorf("%+v, %v", s, errs)
	}
}

// defaultSite is what holds where no property is set.
func defaultSite() *Site {
	s, _ := ReadSite(nil)
	return s
}
