#!/usr/bin/env python3
"""Reads a .pftrace(.gz) with Perfetto's own message classes (pip package
perfetto): every slice is closed and nested on its track, every event's track is
described, no counter is negative or left above 0. Prints what was found."""
import collections
import gzip
import sys

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

data = open(sys.argv[1], "rb").read()
trace = Trace()
trace.ParseFromString(gzip.decompress(data) if sys.argv[1].endswith(".gz") else data)
tracks, names, events = {}, {}, []
for i, p in enumerate(trace.packet):
    for n in p.interned_data.event_names:
        names[n.iid] = n.name
    if p.HasField("track_descriptor"):
        tracks[p.track_descriptor.uuid] = p.track_descriptor
    if p.HasField("track_event"):
        events.append((p.timestamp, i, p.track_event))
events.sort(key=lambda e: e[:2])  # as the trace processor does: by time, then by place
stack, counters, slices = collections.defaultdict(list), {}, 0
for at, i, e in events:
    assert e.track_uuid in tracks, f"packet {i}: track {e.track_uuid} is not described"
    if e.type == TrackEvent.TYPE_SLICE_BEGIN:
        assert names[e.name_iid], f"packet {i}: a slice without name"
        stack[e.track_uuid].append(at)
    elif e.type == TrackEvent.TYPE_SLICE_END:
        assert stack[e.track_uuid], f"packet {i}: a slice ends that is not open"
        assert stack[e.track_uuid].pop() <= at
        slices += 1
    elif e.type == TrackEvent.TYPE_COUNTER:
        assert e.counter_value >= 0, f"packet {i}: counter {e.counter_value}"
        counters[e.track_uuid] = e.counter_value
left = [tracks[t].name for t, s in stack.items() if s] + [tracks[t].name for t, v in counters.items() if v]
assert not left, f"not over at the end: {left}"
print(f"{len(trace.packet)} packets, {len(tracks)} tracks, {slices} slices: as Perfetto reads them")
