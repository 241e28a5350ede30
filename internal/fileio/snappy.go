package fileio

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
)

// snappyMagic begins the header of org.xerial.snappy.SnappyOutputStream.
const snappyMagic = "\x82SNAPPY\x00"

// newSnappy returns a reader of the plain bytes of a stream of snappy-java:
// a header of 16 bytes (magic, version, oldest version that reads it), then
// blocks, each a length (big-endian) and a Snappy block. A header may stand
// between blocks, where streams were appended. A source that ends inside a
// block gives io.ErrUnexpectedEOF.
func newSnappy(r io.Reader) io.Reader {
	var word [4]byte
	var rest [12]byte
	var packed, plain []byte
	begun := false
	return &blocks{next: func() ([]byte, error) {
		if _, err := io.ReadFull(r, word[:]); err != nil {
			return nil, err
		}
		if string(word[:]) == snappyMagic[:4] {
			if err := readFull(r, rest[:]); err != nil {
				return nil, err
			}
			if string(rest[:4]) != snappyMagic[4:] {
				return nil, fmt.Errorf("snappy: %w: no header", errCorrupt)
			}
			if v := binary.BigEndian.Uint32(rest[8:]); v > 1 {
				return nil, fmt.Errorf("snappy: version %d of the framing: must be 1", v)
			}
			begun = true
			return nil, nil
		}
		size := binary.BigEndian.Uint32(word[:])
		if !begun || size > mostBlock {
			return nil, fmt.Errorf("snappy: %w: %d bytes", errCorrupt, size)
		}
		packed = grow(packed, int(size))
		if err := readFull(r, packed); err != nil {
			return nil, err
		}
		full, err := s2.DecodedLen(packed)
		if err != nil || full > mostBlock {
			return nil, fmt.Errorf("snappy: %w: a block of %d bytes", errCorrupt, full)
		}
		plain = grow(plain, full)
		if _, err := s2.Decode(plain, packed); err != nil {
			return nil, fmt.Errorf("snappy: %w: %w", errCorrupt, err)
		}
		return plain, nil
	}}
}
