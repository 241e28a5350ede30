package perfetto

import pb "google.golang.org/protobuf/encoding/protowire"

// Fields of Perfetto's messages, by message.
const (
	tracePacket = 1 // Trace.packet

	packetTimestamp  = 8
	packetSequence   = 10 // trusted_packet_sequence_id
	packetEvent      = 11
	packetInterned   = 12
	packetFlags      = 13
	packetDescriptor = 60

	descriptorUUID    = 1
	descriptorName    = 2
	descriptorProcess = 3
	descriptorParent  = 5
	descriptorCounter = 8

	processPid  = 1
	processName = 6

	counterUnit = 6 // CounterDescriptor.unit_name

	eventCategory   = 3 // category_iids
	eventAnnotation = 4
	eventType       = 9
	eventName       = 10 // name_iid
	eventTrack      = 11
	eventCounter    = 30

	annotationName = 1 // name_iid
	annotationInt  = 4

	internedCategory   = 1
	internedName       = 2
	internedAnnotation = 3
)

// TrackEvent.Type.
const (
	sliceBegin   = 1
	sliceEnd     = 2
	typeInstant  = 3
	typeCounter  = 4
	stateCleared = 1 // TracePacket.SequenceFlags
	needsState   = 2
	oneSequence  = 1
)

// packets writes TracePackets. Names are written once and named by number after
// that (InternedData).
type packets struct {
	names, categories, args map[string]uint64

	packet, event, interned, part, inner []byte
	started                              bool
}

func (p *packets) start(*Writer)  {}
func (p *packets) finish(*Writer) {}

func number(b []byte, field pb.Number, v uint64) []byte {
	return pb.AppendVarint(pb.AppendTag(b, field, pb.VarintType), v)
}

func bytesOf(b []byte, field pb.Number, v []byte) []byte {
	return pb.AppendBytes(pb.AppendTag(b, field, pb.BytesType), v)
}

func text(b []byte, field pb.Number, v string) []byte {
	return pb.AppendString(pb.AppendTag(b, field, pb.BytesType), v)
}

// emit ends the packet that has been built and writes it.
func (p *packets) emit(w *Writer) {
	flags := uint64(needsState)
	if !p.started {
		flags, p.started = stateCleared|needsState, true
	}
	p.packet = number(number(p.packet, packetSequence, oneSequence), packetFlags, flags)
	p.part = bytesOf(p.part[:0], tracePacket, p.packet)
	w.write(p.part)
	p.packet = p.packet[:0]
}

func (p *packets) descriptor(w *Writer, body []byte) {
	p.packet = bytesOf(p.packet, packetDescriptor, body)
	p.emit(w)
}

func (p *packets) group(w *Writer, t Track, name string) {
	p.inner = text(number(p.inner[:0], processPid, uint64(t)), processName, name)
	p.event = bytesOf(number(p.event[:0], descriptorUUID, uint64(t)), descriptorProcess, p.inner)
	p.descriptor(w, p.event)
}

func (p *packets) track(w *Writer, t, group Track, name string) {
	p.event = number(text(number(p.event[:0], descriptorUUID, uint64(t)), descriptorName, name), descriptorParent,
		uint64(group))
	p.descriptor(w, p.event)
}

func (p *packets) counter(w *Writer, t, group Track, name, unit string) {
	p.inner = p.inner[:0]
	if unit != "" {
		p.inner = text(p.inner, counterUnit, unit)
	}
	p.event = number(text(number(p.event[:0], descriptorUUID, uint64(t)), descriptorName, name), descriptorParent,
		uint64(group))
	p.event = bytesOf(p.event, descriptorCounter, p.inner)
	p.descriptor(w, p.event)
}

// intern is a name's number; a new one is defined in the same packet.
func (p *packets) intern(table map[string]uint64, field pb.Number, name string) uint64 {
	id, ok := table[name]
	if !ok {
		id = uint64(len(table) + 1)
		table[name] = id
		p.inner = text(number(p.inner[:0], 1, id), 2, name)
		p.interned = bytesOf(p.interned, field, p.inner)
	}
	return id
}

func (p *packets) mark(w *Writer, at int64, t Track, kind uint64, category, name string, args []Arg) {
	p.interned = p.interned[:0]
	p.event = number(number(p.event[:0], eventType, kind), eventTrack, uint64(t))
	if name != "" {
		p.event = number(p.event, eventCategory, p.intern(p.categories, internedCategory, category))
		p.event = number(p.event, eventName, p.intern(p.names, internedName, name))
	}
	for _, a := range args {
		id := p.intern(p.args, internedAnnotation, a.Name)
		p.inner = number(number(p.inner[:0], annotationName, id), annotationInt, uint64(a.Value))
		p.event = bytesOf(p.event, eventAnnotation, p.inner)
	}
	p.put(w, at)
}

// put writes the event with its time in nanoseconds.
func (p *packets) put(w *Writer, at int64) {
	p.packet = number(p.packet, packetTimestamp, uint64(at)*1000)
	if len(p.interned) > 0 {
		p.packet = bytesOf(p.packet, packetInterned, p.interned)
		p.interned = p.interned[:0]
	}
	p.packet = bytesOf(p.packet, packetEvent, p.event)
	p.emit(w)
}

func (p *packets) begin(w *Writer, at int64, t Track, category, name string, args []Arg) {
	p.mark(w, at, t, sliceBegin, category, name, args)
}

func (p *packets) end(w *Writer, at int64, t Track) { p.mark(w, at, t, sliceEnd, "", "", nil) }

func (p *packets) instant(w *Writer, at int64, t Track, category, name string, args []Arg) {
	p.mark(w, at, t, typeInstant, category, name, args)
}

func (p *packets) count(w *Writer, at int64, t Track, v int64) {
	p.event = number(number(number(p.event[:0], eventType, typeCounter), eventTrack, uint64(t)), eventCounter, uint64(v))
	p.put(w, at)
}
