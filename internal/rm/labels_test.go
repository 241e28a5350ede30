package rm

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/validation/rmtest"
)

// A cluster with node labels says which of them are exclusive in an answer of its
// own, whose form differs between releases; one that says nothing is noted.
func TestPullLabels(t *testing.T) {
	for name, answer := range map[string]string{
		"list":    `{"nodeLabelInfo":[{"name":"gpu","exclusivity":"false","partitionInfo":{}},{"name":"ssd","exclusivity":true}]}`,
		"rooted":  `{"nodeLabelsInfo":{"nodeLabelInfo":[{"name":"gpu","exclusivity":false},{"name":"ssd","exclusivity":true}]}}`,
		"one":     `{"nodeLabelInfo":{"name":"gpu","exclusivity":false}}`,
		"nothing": "",
	} {
		f := rmtest.New(3)
		f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
			switch r.URL.Path {
			case "/ws/v1/cluster/nodes":
				fmt.Fprint(w,
					`{"nodes":{"node":[{"rack":"/r","state":"RUNNING","id":"h1:1","nodeHostName":"h1","nodeLabels":["gpu"],"totalResource":{"memory":4096,"vCores":4}},{"rack":"/r","state":"RUNNING","id":"h2:1","nodeHostName":"h2","totalResource":{"memory":4096,"vCores":4}}]}}`)
			case "/ws/v1/cluster/get-node-labels":
				if answer == "" {
					http.Error(w, "no such service", http.StatusNotFound)
				}
				fmt.Fprint(w, answer)
			default:
				return false
			}
			return true
		}
		s := f.Serve(t)
		dir := folder(t.TempDir())
		c := quick(t, s.URL, nil)
		sum, err := Pull(context.Background(), c, c, dir, window())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cl, err := scenario.LoadCluster(filepath.Join(string(dir), FileNodes))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ls := cl.Cluster.Labels
		if len(ls) == 0 || ls[0].Name != "gpu" || ls[0].Exclusive != (answer == "") || cl.Cluster.Nodes[0].Label != "gpu" ||
			cl.Cluster.Nodes[1].Label != "" {
			t.Errorf("%s: %+v", name, ls)
		}
		if noted := strings.Contains(strings.Join(sum.Notes, "\n"), "does not say which node labels are exclusive"); noted !=
			(answer == "") {
			t.Errorf("%s: notes %q", name, sum.Notes)
		}
	}
}
