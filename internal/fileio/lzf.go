package fileio

import (
	"encoding/binary"
	"fmt"
	"io"
)

// lzfMagic begins every chunk of com.ning.compress.lzf.LZFOutputStream; a byte
// 0 (plain) or 1 (packed) follows.
const lzfMagic = "ZV"

// newLZF returns a reader of the plain bytes of a stream of compress-lzf:
// chunks of at most 64 KiB, each with magic, kind, length (big-endian, 16 bits)
// and, where packed, plain length. A source that ends inside a chunk gives
// io.ErrUnexpectedEOF.
func newLZF(r io.Reader) io.Reader {
	var head [5]byte
	var word [2]byte
	packed, plain := make([]byte, 1<<16), make([]byte, 1<<16)
	return &blocks{next: func() ([]byte, error) {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, err
		}
		size := int(binary.BigEndian.Uint16(head[3:]))
		if string(head[:2]) != lzfMagic || head[2] > 1 {
			return nil, fmt.Errorf("lzf: %w: no chunk header", errCorrupt)
		}
		if head[2] == 0 {
			if err := readFull(r, plain[:size]); err != nil {
				return nil, err
			}
			return plain[:size], nil
		}
		if err := readFull(r, word[:]); err != nil {
			return nil, err
		}
		full := int(binary.BigEndian.Uint16(word[:]))
		if err := readFull(r, packed[:size]); err != nil {
			return nil, err
		}
		if !unpackLZF(plain[:full], packed[:size]) {
			return nil, fmt.Errorf("lzf: %w: it does not unpack to %d bytes", errCorrupt, full)
		}
		return plain[:full], nil
	}}
}

// unpackLZF fills dst from a packed chunk (Marc Lehmann's LibLZF: a control
// byte below 32 begins a run of literals, any other a reference back of at
// least three bytes), and reports whether the two lengths fit.
func unpackLZF(dst, src []byte) bool {
	d, i := 0, 0
	for i < len(src) {
		c := int(src[i])
		i++
		if c < 32 {
			n := c + 1
			if i+n > len(src) || d+n > len(dst) {
				return false
			}
			d += copy(dst[d:], src[i:i+n])
			i += n
			continue
		}
		n := c >> 5
		if n == 7 {
			if i >= len(src) {
				return false
			}
			n += int(src[i])
			i++
		}
		n += 2
		if i >= len(src) {
			return false
		}
		from := d - (c&31)<<8 - int(src[i]) - 1
		i++
		if from < 0 || d+n > len(dst) {
			return false
		}
		for range n { // the two may overlap
			dst[d] = dst[from]
			d++
			from++
		}
	}
	return d == len(dst)
}
