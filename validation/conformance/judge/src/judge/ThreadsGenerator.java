package judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;

/**
 * rounds and rounds-preempt: asynchronous scheduling, with a random few of the plain kinds' themes, or with preemption.
 * lazy: preemption that kills only when room is needed. by-priority: reservations of underutilized queues that preempt by
 * queue priority and may move.
 */
class ThreadsGenerator extends Generator {
  static final List<String> KINDS = Arrays.asList("rounds", "rounds-preempt", "lazy", "by-priority");
  final Set<String> themes = new HashSet<>();
  final boolean threads;

  ThreadsGenerator(String kind, long seed) {
    super(kind, seed);
    threads = kind.contains("rounds");
    if (kind.equals("rounds") || kind.startsWith("elastic") || kind.startsWith("combined") || kind.startsWith("multinode") || kind.startsWith("partitions") && !kind.endsWith("preempt")) {
      for (String t : Arrays.asList("users", "locality", "reservation", "dominant", "fair", "priority", "admission", "nodes", "refresh")) if (p(0.35)) themes.add(t);
    } else {
      themes.add("preemption");
      for (String t : Arrays.asList("dominant", "fair", "priority", "nodes")) if (!kind.startsWith("partitions") || !t.equals("nodes")) if (p(0.25)) themes.add(t);
      if (kind.equals("by-priority") || p(0.3)) themes.add("reservation");
    }
  }

  @Override boolean is(String... ks) { for (String k : ks) if (themes != null && themes.contains(k)) return true; return false; }

  @Override ObjectNode header() {
    ObjectNode h = Judge.JSON.createObjectNode();
    h.putArray("needs").add(threads ? "async" : kind.equals("lazy") ? "lazy" : "underutilized");
    h.setAll(super.header());
    if (threads) {
      conf.put(Q + "schedule-asynchronously.enable", "true");
      if (p(0.25)) conf.put(Q + "schedule-asynchronously.maximum-pending-backlogs", one("0", "1", "3", "6"));
      if (p(0.3) && org.apache.hadoop.util.VersionInfo.getVersion().startsWith("3.5")) conf.put("yarn.resourcemanager.scheduler.autocorrect.container.allocation", "true");
    } else if (kind.equals("lazy")) conf.put(Q + "lazy-preemption-enabled", "true");
    else if (kind.equals("by-priority")) byPriority();
    return h;
  }

  private void byPriority() {
    String key = Q + "ordering-policy.priority-utilization.underutilized-preemption.";
    conf.put(key + "enabled", "true");
    conf.put(key + "reserved-container-delay-ms", one("0", "3000", "9000"));
    if (p(0.6)) conf.put(key + "allow-move-reservation", "true");
    conf.put(Q + "root.ordering-policy", "priority-utilization");
    for (String q : queues) {
      if (conf.has(Q + q + ".queues") && p(0.7)) conf.put(Q + q + ".ordering-policy", "priority-utilization");
      if (p(0.6)) conf.put(Q + q + ".priority", String.valueOf(in(0, 4)));
    }
  }

  @Override ObjectNode next(Judge j, int step, int steps) {
    ObjectNode s = super.next(j, step, steps);
    if (!threads || !s.get("do").asText().equals("beat")) return s;
    if (p(0.06)) {
      ObjectNode c = Judge.JSON.createObjectNode();
      c.put("do", "commit");
      if (p(0.7)) c.put("count", in(1, 4));
      return c;
    }
    return p(0.45) ? round(j) : s;
  }

  private ObjectNode round(Judge j) {
    ObjectNode s = Judge.JSON.createObjectNode();
    List<String> names = new ArrayList<>(j.nodes.keySet());
    int places = j.candidates == null ? names.size() : j.candidates.partitions().size();
    s.put("do", "round"); s.put("start", rnd.nextInt(places)); s.put("lag", one(0, 0, 1, 2, 5, -1, -1));
    if (p(0.25)) s.put("left", in(1, 6));
    if (p(0.12)) { ArrayNode late = s.putArray("late"); late.add(names.get(rnd.nextInt(names.size()))); }
    return s;
  }
}
