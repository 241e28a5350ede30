package fileio

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// Long lines that are not used are not held; long ones that are used are held
// up to a bound.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 3*firstBuffer)
	unused := func(head []byte) bool { return bytes.HasPrefix(head, []byte("-")) }
	l := NewLines(strings.NewReader("a\n-"+long+"\nb"+long+"\n-"+long+"\nlast"), unused)
	held := -1
	for {
		if _, _, err := l.Next(); err == io.EOF {
			break
		}
		if l.Number() == 2 {
			held = cap(l.long)
		}
	}
	if held != 0 || l.Number() != 5 {
		t.Errorf("%d bytes are held of a line that is not used, %d lines; want 0, 5", held, l.Number())
	}
	l = NewLines(strings.NewReader("a\nb"+long+"\na\n"), nil)
	l.most = firstBuffer
	var errs []error
	for range 3 {
		_, _, err := l.Next()
		errs = append(errs, err)
	}
	if errs[0] != nil || !errors.Is(errs[1], ErrLong) || errs[2] != nil {
		t.Errorf("a line above the bound: %v", errs)
	}
}
