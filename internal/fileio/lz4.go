package fileio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/pierrec/lz4/v4"
)

// Spark packs what it writes, event logs among it, as LZ4 in lz4-java's frames and Snappy in
// snappy-java's. Neither is the format that the command-line tools of these names write.

// lz4Magic begins every block of net.jpountz.lz4.LZ4BlockOutputStream.
const lz4Magic = "LZ4Block"

const (
	lz4Header = 21 // magic, token, packed and plain length, checksum
	lz4Raw    = 0x10
	lz4Packed = 0x20
	lz4Seed   = 0x9747b28c
	mostBlock = 64 << 20 // plain bytes of a block; Spark writes 32 KiB, the format allows 32 MiB
)

// errCorrupt says that a block is not what its header promises.
var errCorrupt = errors.New("corrupt block")

// blocks turns a source of blocks into a reader.
type blocks struct {
	next  func() ([]byte, error) // the next block's plain bytes, valid until the call after
	plain []byte
	err   error
}

func (b *blocks) Read(p []byte) (int, error) {
	for len(b.plain) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.plain, b.err = b.next()
	}
	n := copy(p, b.plain)
	b.plain = b.plain[n:]
	return n, nil
}

// newLZ4 returns a reader of the plain bytes. Streams one after another are
// read as one, as Spark's LZ4CompressionCodec does. A source that ends inside a
// block gives io.ErrUnexpectedEOF.
func newLZ4(r io.Reader) io.Reader {
	var head [lz4Header]byte
	var packed, plain []byte
	return &blocks{next: func() ([]byte, error) {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, err // io.EOF between two blocks
		}
		size, full := int64(int32(binary.LittleEndian.Uint32(head[9:]))), int64(int32(binary.LittleEndian.Uint32(head[13:])))
		switch method := head[8] & 0xf0; {
		case string(head[:8]) != lz4Magic:
			return nil, fmt.Errorf("lz4: %w: no block header", errCorrupt)
		case size < 0 || full < 0 || size > mostBlock || full > mostBlock, method != lz4Raw && method != lz4Packed,
			method == lz4Raw && size != full:
			return nil, fmt.Errorf("lz4: %w: a block of %d bytes packed into %d, method %#x", errCorrupt, full, size, method)
		}
		packed = grow(packed, int(size))
		if err := readFull(r, packed); err != nil {
			return nil, err
		}
		if full == 0 {
			return nil, nil // ends a stream; another may follow
		}
		plain = grow(plain, int(full))
		if head[8]&0xf0 == lz4Raw {
			copy(plain, packed)
		} else if n, err := lz4.UncompressBlock(packed, plain); err != nil || n != len(plain) {
			return nil, fmt.Errorf("lz4: %w: it does not unpack to %d bytes", errCorrupt, full)
		}
		// lz4-java keeps 28 bits of the checksum.
		if sum := binary.LittleEndian.Uint32(head[17:]); xxh32(plain, lz4Seed)&0xfffffff != sum {
			return nil, fmt.Errorf("lz4: %w: wrong checksum", errCorrupt)
		}
		return plain, nil
	}}
}

// grow returns a slice of n bytes, in b's memory where it has room.
func grow(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// readFull is io.ReadFull; an end before the first byte is unexpected too.
func readFull(r io.Reader, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := io.ReadFull(r, b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Primes of XXH32 (Yann Collet, xxHash specification).
const (
	prime1 uint32 = 2654435761
	prime2 uint32 = 2246822519
	prime3 uint32 = 3266489917
	prime4 uint32 = 668265263
	prime5 uint32 = 374761393
)

// xxh32 is the 32-bit xxHash.
func xxh32(b []byte, seed uint32) uint32 {
	n := uint32(len(b))
	h := seed + prime5
	if len(b) >= 16 {
		v := [4]uint32{seed + prime1 + prime2, seed + prime2, seed, seed - prime1}
		for ; len(b) >= 16; b = b[16:] {
			for i := range v {
				v[i] = bits.RotateLeft32(v[i]+binary.LittleEndian.Uint32(b[4*i:])*prime2, 13) * prime1
			}
		}
		h = bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) + bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3],
			18)
	}
	h += n
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*prime3, 17) * prime4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return h ^ h>>16
}
