package yarn

import "testing"

// A node's address is stated, or in its name, or its name with the common port.
func TestAddress(t *testing.T) {
	for _, c := range []struct {
		node NodeSpec
		host string
		port int
	}{
		{NodeSpec{Name: "n1"}, "n1", commonPort},
		{NodeSpec{Name: "h:8041"}, "h", 8041},
		{NodeSpec{Name: "h:many"}, "h:many", commonPort},
		{NodeSpec{Name: "h:99999"}, "h:99999", commonPort},
		{NodeSpec{Name: "n1", Host: "h", Port: 5}, "h", 5},
		{NodeSpec{Name: "h:8041", Host: "other"}, "other", 8041},
	} {
		if host, port := c.node.Address(); host != c.host || port != c.port {
			t.Errorf("%+v: %s:%d, want %s:%d", c.node, host, port, c.host, c.port)
		}
	}
}
