package tezlog

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"schedtune/internal/fileio"
)

// Bounds of a SequenceFile.
const (
	maxRecord  = 16 << 20 // of a record as it lies in the file
	maxMessage = 64 << 20 // of a message unpacked
	maxText    = 1 << 16  // of a name in the header
	syncBytes  = 16
)

// IsSequence reports whether a file begins as a SequenceFile of Hadoop.
func IsSequence(head []byte) bool { return bytes.HasPrefix(head, []byte("SEQ")) }

// sequence is what the header of a SequenceFile says of its records
// (org.apache.hadoop.io.SequenceFile.Reader).
type sequence struct {
	in     *bufio.Reader
	unpack func(io.Reader) (io.Reader, error) // nil: not packed
	sync   [syncBytes]byte
	err    error // the first; what is read after it is empty
}

// ErrHeader is returned for a SequenceFile that a process has just begun to write.
var ErrHeader = errors.New("the file ends inside the header of a SequenceFile, as Tez writes its protobuf history")

var errWriter = errors.New("the SequenceFile is not one of protobuf messages with record compression or none")

// sequence reads a SequenceFile of messages.
func (r *Reader) sequence(in *bufio.Reader) error {
	s := sequence{in: in}
	if err := s.header(); err != nil {
		if cutOff(err) {
			err = ErrHeader
		}
		return err
	}
	known := r.records
	for n := 1; ; n++ {
		message, err := s.next()
		switch {
		case err == io.EOF:
			if n == 1 { // a process that has just begun
				r.note(1, Missing, "SequenceFiles without a record yet")
				r.records++
			}
			return nil
		case cutOff(err): // the file of an application under way, or a copy that was cut
			r.note(1, Missing, "SequenceFiles that end inside a record: read as far as they go")
			r.records = max(r.records, known+1)
			return nil
		case err != nil:
			return fmt.Errorf("record %d: %w", n, err)
		}
		if err := r.message(message); err != nil {
			r.note(1, Dropped, "messages that are not of Tez or Hive and were skipped")
		}
	}
}

func cutOff(err error) bool { return err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) }

// header reads the names of the classes and of the codec, and the marker between records.
func (s *sequence) header() error {
	if version := s.bytes(4); s.err == nil && version[3] != 6 {
		return fmt.Errorf("version %d of the SequenceFile: must be 6", version[3])
	}
	s.text() // class of the keys
	value, flags := s.text(), s.bytes(2)
	switch {
	case s.err != nil:
		return s.err
	case !strings.HasSuffix(value, "ProtoMessageWritable") || flags[1] != 0:
		return errWriter
	case flags[0] != 0:
		codec := s.text()
		name := codec[strings.LastIndexByte(codec, '.')+1:]
		if s.unpack = codecs[name]; s.err == nil && s.unpack == nil {
			return fmt.Errorf("records packed with %s: must be one of DefaultCodec, GzipCodec, ZStandardCodec", clip(name))
		}
	}
	entries := s.bytes(4)
	if s.err != nil {
		return s.err
	}
	for range 2 * min(binary.BigEndian.Uint32(entries), maxText) {
		s.text()
	}
	copy(s.sync[:], s.bytes(syncBytes))
	return s.err
}

var codecs = map[string]func(io.Reader) (io.Reader, error){
	"DefaultCodec": func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
	"GzipCodec":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"ZStandardCodec": func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxMessage))
	},
}

func clip(s string) string { return s[:min(len(s), 40)] }

// bytes reads so many bytes, which grow with what is there.
func (s *sequence) bytes(n int) (b []byte) {
	if s.err != nil {
		return nil
	}
	if b, s.err = io.ReadAll(io.LimitReader(s.in, int64(n))); s.err == nil && len(b) < n {
		s.err = io.ErrUnexpectedEOF
	}
	return b
}

// text reads a string with its length before it (WritableUtils.readVInt).
func (s *sequence) text() string {
	c := s.bytes(1)
	if s.err != nil {
		return ""
	}
	n := int64(int8(c[0]))
	if n < -112 && n >= -116 {
		b := s.bytes(int(-112 - n))
		n = 0
		for _, c := range b {
			n = n<<8 | int64(c)
		}
	}
	if s.err == nil && (n < 0 || n > maxText) {
		s.err = fmt.Errorf("a name of %d bytes in the header of the SequenceFile: must be at most %d", n, maxText)
	}
	return string(s.bytes(int(n)))
}

// next returns the message of the next record; io.EOF after the last one.
func (s *sequence) next() ([]byte, error) {
	for {
		b := s.bytes(4)
		if len(b) == 0 && errors.Is(s.err, io.ErrUnexpectedEOF) {
			return nil, io.EOF
		} else if s.err != nil {
			return nil, s.err
		}
		n := int32(binary.BigEndian.Uint32(b))
		if n == -1 {
			if b = s.bytes(syncBytes); s.err == nil && !bytes.Equal(b, s.sync[:]) {
				s.err = errors.New("the marker between records is not that of the header: the file is damaged")
			}
			if s.err != nil {
				return nil, s.err
			}
			continue
		}
		if b = s.bytes(4); s.err != nil {
			return nil, s.err
		}
		key := int32(binary.BigEndian.Uint32(b))
		if key < 0 || n < key || n > maxRecord {
			return nil, fmt.Errorf("a record of %d bytes with a key of %d: must be 0 to %d: the file is damaged", n, key,
				maxRecord)
		}
		if b = s.bytes(int(n)); s.err != nil {
			return nil, s.err
		}
		return s.value(b[key:])
	}
}

// value unpacks a value and takes off the length before the message. One record whose
// packed bytes are damaged is no end of the file.
func (s *sequence) value(b []byte) ([]byte, error) {
	if s.unpack != nil {
		z, err := s.unpack(bytes.NewReader(b))
		if err == nil {
			b, err = fileio.ReadAll(z, maxMessage)
		}
		if err != nil {
			return nil, fmt.Errorf("unpacking failed: %w", damaged(err))
		}
	}
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return nil, fmt.Errorf("a message of %d bytes in a record of %d: the file is damaged", n, len(b))
	}
	return b[used : used+int(n)], nil
}

// damaged makes an end inside of a record's packed bytes, which are there, no end of the file.
func damaged(err error) error {
	if cutOff(err) {
		return errors.New("the packed bytes end too early")
	}
	return err
}
