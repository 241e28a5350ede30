package schedtune

import (
	"os/exec"
	"strings"
	"testing"
)

// golearnTree are modules that only golearn needs, most of them years old. They
// reach classify/batch and with it the command fit; the command tune, which most
// people install, is built without them.
var golearnTree = []string{
	"github.com/sjwhitworth/golearn", "github.com/rocketlaunchr/dataframe-go", "github.com/olekukonko/tablewriter",
	"github.com/guptarohit/asciigraph", "github.com/mattn/go-runewidth", "golang.org/x/exp",
}

func TestTuneIsBuiltWithoutGolearn(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./cmd/tune").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range strings.Fields(string(out)) {
		seen[m] = true
	}
	if !seen["github.com/spf13/cobra"] {
		t.Fatal("the list of modules is not that of the command")
	}
	for _, m := range golearnTree {
		if seen[m] {
			t.Errorf("cmd/tune is built with %s", m)
		}
	}
}
