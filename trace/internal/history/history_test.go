package history

import "testing"

type figures struct {
	A int32
	B uint8
	C bool
	D Millis
}

// A row is read as it was written; figures that a field cannot hold are refused.
func TestRow(t *testing.T) {
	want := figures{-7, 200, true, 1 << 40}
	b, err := Row(want)
	if err != nil || string(b) != "[-7,200,1,1099511627776]" {
		t.Fatalf("got %s, error %v", b, err)
	}
	var got figures
	if err := SetRow(b, &got); err != nil || got != want {
		t.Errorf("got %+v, error %v, want %+v", got, err, want)
	}
	for _, row := range []string{"[1,2,0]", "[1,2,0,3,4]", "[2147483648,2,0,3]", "[1,256,0,3]", "[1,-1,0,3]", "{}",
		"[1.5,2,0,3]"} {
		t.Run(row, func(t *testing.T) {
			if SetRow([]byte(row), &got) == nil {
				t.Errorf("%s: got no error", row)
			}
		})
	}
}
