package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.*;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.util.Time;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ResourceCommitRequest;

/**
 * Asynchronous scheduling without threads: a step makes a round of the scheduling thread from a given node, and commits what
 * waits when the step says so.
 */
class Threads {
  /** Answers the scheduler's question for the first node of a round. */
  static class FirstNode extends Random {
    int answer;
    @Override public int nextInt(int bound) { return Math.min(answer, bound - 1); }
  }

  /** Proposals on their way to the committing thread, numbered as they are made. The thread itself never gets one. */
  @SuppressWarnings("rawtypes")
  class Line extends LinkedBlockingQueue<ResourceCommitRequest> {
    final Deque<Integer> numbers = new ArrayDeque<>();
    @Override public boolean add(ResourceCommitRequest r) {
      numbers.addLast(++made);
      if (scheduler.judge != null) {
        ObjectNode e = scheduler.judge.describe(r);
        e.put("proposal", made);
        fresh.put(made, e);
      }
      super.add(r);
      if (allowed >= 0) commitTo(allowed);
      return true;
    }
    @Override public ResourceCommitRequest take() throws InterruptedException {
      while (!Thread.currentThread().isInterrupted()) LockSupport.park(this);
      throw new InterruptedException();
    }
  }

  static final FirstNode FIRST = new FirstNode();

  final Judge.RecordingScheduler scheduler;
  final Line line = new Line();
  final Map<Integer, ObjectNode> fresh = new TreeMap<>();   // proposals of this step
  final long most;
  int made, committing, allowed;
  private String walk = "";

  private Threads(Judge.RecordingScheduler scheduler, Object settings) throws Exception {
    this.scheduler = scheduler;
    most = ((Number) field(settings, "asyncMaxPendingBacklogs").get(settings)).longValue();
    ((List<?>) field(settings, "asyncSchedulerThreads").get(settings)).clear();
    field(settings, "asyncScheduleInterval").setLong(settings, 0);
    Object committer = field(settings, "resourceCommitterService").get(settings);
    field(committer, "backlogs").set(committer, line);
    replaceConstant(CapacityScheduler.class.getDeclaredField("random"), FIRST);
  }

  /** Takes the threads of a scheduler over; null where it schedules on heartbeats. */
  static Threads takeOver(Judge.RecordingScheduler s) throws Exception {
    Object settings = s;
    try { settings = field(s, "asyncSchedulingConf").get(s); }
    catch (NoSuchFieldException before34) { /* the scheduler holds them itself */ }
    return field(settings, "scheduleAsynchronously").getBoolean(settings) ? new Threads(s, settings) : null;
  }

  static Field field(Object of, String name) throws NoSuchFieldException {
    for (Class<?> c = of.getClass(); c != null; c = c.getSuperclass()) {
      try { Field f = c.getDeclaredField(name); f.setAccessible(true); return f; }
      catch (NoSuchFieldException e) { /* a class above has it */ }
    }
    throw new NoSuchFieldException(name);
  }

  /** Sets a static final field, which reflection refuses. */
  private static void replaceConstant(Field f, Object value) throws Exception {
    Field u = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
    u.setAccessible(true);
    sun.misc.Unsafe unsafe = (sun.misc.Unsafe) u.get(null);
    unsafe.putObject(unsafe.staticFieldBase(f), unsafe.staticFieldOffset(f), value);
  }

  /** One round, unless too many proposals wait. */
  void round(Judge j, JsonNode s, ObjectNode out) throws Exception {
    Set<String> late = new HashSet<>();
    s.path("late").forEach(n -> late.add(n.asText()));
    ArrayNode order = Judge.JSON.createArrayNode();
    for (SchedulerNode n : scheduler.getNodeTracker().getAllNodes()) {
      order.add(j.nodeName(n.getNodeID()));
      n.notifyNodeUpdate();
      if (late.contains(j.nodeName(n.getNodeID()))) silence(n);
    }
    if (j.candidates != null) j.candidates.report(j, out);
    else if (!order.toString().equals(walk)) { walk = order.toString(); out.set("order", order); }
    if (line.size() > most) { out.put("held", true); return; }
    FIRST.answer = s.path("start").asInt();
    allowed = s.path("lag").asInt();
    Method m = CapacityScheduler.class.getDeclaredMethod("schedule", CapacityScheduler.class);
    m.setAccessible(true);
    m.invoke(null, scheduler);
    commitTo(s.path("left").asInt());
  }

  /** Makes a node one that has not been heard of for long. */
  static void silence(SchedulerNode n) throws Exception { field(n, "lastHeartbeatMonotonicTime").setLong(n, Time.monotonicNow() - 2 * LATE_AFTER); }

  /** The time without a heartbeat after which a node is late: what the judge sets, in milliseconds. */
  static final long LATE_AFTER = 1000L * 1_000_000;

  void commit(int count) { commitTo(Math.max(0, line.size() - count)); }

  private void commitTo(int left) {
    while (line.size() > left) {
      committing = line.numbers.removeFirst();
      scheduler.commitNow(line.poll());
    }
  }

  void report(ObjectNode out) {
    fresh.keySet().retainAll(line.numbers);
    if (!fresh.isEmpty()) { ArrayNode a = out.putArray("proposals"); fresh.values().forEach(a::add); }
    fresh.clear();
    if (!line.isEmpty()) out.put("backlog", line.size());
  }
}
