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
	sizes := 0
	for {
		if _, _, err := l.Next(); err == io.EOF {
			break
		}
		if l.Number() == 2 {
			sizes = len(l.buf)
		}
	}
	if sizes != firstBuffer || l.Number() != 5 {
		t.Errorf("the buffer is %d after a line that is not used, %d lines; want %d, 5", sizes, l.Number(), firstBuffer)
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
