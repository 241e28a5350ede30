package judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.StringJoiner;

/**
 * What asynchronous scheduling costs the real scheduler: a round's look at a node that comes to nothing, a proposal on top of
 * that, and a proposal's commit. These are the defaults of a calibration's round_visit_ms, round_proposal_ms and
 * round_commit_ms.
 */
class RoundBench {
  static void run(int nodes, int leaves, int apps, int perNode) throws Exception {
    try (Judge j = new Judge(header(nodes, leaves, perNode))) {
      if (j.loadError != null) throw new IllegalStateException(j.loadError);
      ObjectNode round = Judge.JSON.createObjectNode();
      round.put("do", "round").put("start", 0).put("lag", 0);
      for (int a = 0; a < apps; a++) {
        ObjectNode s = Judge.JSON.createObjectNode();
        s.put("do", "submit").put("app", "app" + a).put("user", "u" + a % 20).put("queue", "root.q" + a % leaves).putArray("am").add(1024).add(1);
        j.step(s);
      }
      for (int i = 0; i * nodes < apps; i++) j.step(round);
      int each = (nodes * perNode - apps) / apps;
      for (int a = 0; a < apps; a++) {
        ObjectNode s = Judge.JSON.createObjectNode();
        s.put("do", "ask").put("app", "app" + a).putArray("asks").addObject().put("priority", 20).put("where", "*").put("memory", 1024).put("vcores", 1).put("count", each);
        j.step(s);
      }
      j.cs.judge = null;
      round.put("lag", -1).put("left", Integer.MAX_VALUE);
      long proposing = 0, committing = 0, looking = 0, proposals = 0, rounds = 0, idle = 0;
      while (idle < 200) {
        long t = cpu();
        j.cs.threads.round(j, round, Judge.JSON.createObjectNode());
        long took = cpu() - t;
        int made = j.cs.threads.line.size();
        if (made == 0) { looking += took; idle++; continue; }
        proposing += took; proposals += made; rounds++;
        t = cpu();
        j.cs.threads.commit(Integer.MAX_VALUE);
        committing += cpu() - t;
        j.dispatcher.drain();
      }
      double visit = looking / 1e3 / idle / (nodes + 1);
      System.err.printf("nodes %d leaves %d apps %d: a look %.2f us, a proposal %.1f us on top, a commit %.1f us; %d proposals, %.0f a second%n", nodes, leaves, apps,
          visit, (proposing / 1e3 - rounds * (nodes + 1) * visit) / proposals, committing / 1e3 / proposals, proposals, proposals / ((proposing + committing) / 1e9));
    }
  }

  /** Processor time of this thread: other load on the machine does not count. */
  private static long cpu() { return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(); }

  private static ObjectNode header(int nodes, int leaves, int perNode) {
    String q = Generator.Q;
    ObjectNode h = Judge.JSON.createObjectNode(), c = h.putObject("conf");
    h.putArray("needs").add("async");
    c.put("yarn.scheduler.maximum-allocation-mb", "8192").put(q + "maximum-am-resource-percent", "1.0");
    c.put(q + "schedule-asynchronously.enable", "true").put(q + "schedule-asynchronously.maximum-pending-backlogs", "1000000");
    StringJoiner names = new StringJoiner(",");
    for (int i = 0; i < leaves; i++) {
      names.add("q" + i);
      c.put(q + "root.q" + i + ".capacity", String.valueOf(100.0 / leaves)).put(q + "root.q" + i + ".user-limit-factor", "-1");
    }
    c.put(q + "root.queues", names.toString());
    ArrayNode ns = h.putArray("nodes");
    for (int i = 0; i < nodes; i++) ns.addObject().put("id", "n" + i).put("rack", "/r" + (1 + i / 40)).put("memory", 1024 * perNode).put("vcores", perNode);
    return h;
  }
}
