package judge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.*;

/** record and replay for kinds that begin with "fair-": the FairScheduler judges. */
class FairMain {
  static boolean mine(String kind) { return kind.startsWith("fair-"); }

  static void record(String kind, long first, int count, int steps, Writer w) throws Exception {
    for (long seed = first; seed < first + count; seed++) {
      FairGenerator g = new FairGenerator(kind, seed);
      ObjectNode head = Judge.JSON.createObjectNode();
      head.put("scenario", kind + "-" + seed); head.put("hadoop", org.apache.hadoop.util.VersionInfo.getVersion()); head.put("scheduler", "fair");
      head.setAll(g.header());
      try (FairJudge j = start(head, w)) {
        for (int i = 0; i < steps && j.loadError == null; i++) {
          ObjectNode s = g.next(j, i);
          // Sweeping away empty queues, the original can meet one whose parent it has removed before, and fails: the scenario ends there.
          try { play(j, s, w); } catch (NullPointerException e) {
            if (!s.get("do").asText().equals("tidy")) throw e;
            System.err.println(head.get("scenario").asText() + ", step " + i + ": " + e.getMessage());
            break;
          }
          if (s.get("do").asText().equals("refresh") && s.get("out").has("rejected")) break;   // which queues a load that failed halfway has reached differs from one run of the JVM to the next
        }
      }
    }
  }

  /** Begins a scenario and writes its header. */
  static FairJudge start(ObjectNode head, Writer w) throws Exception {
    head.remove("shape"); head.remove("rejected");
    FairJudge j = new FairJudge(head);
    if (j.loadError != null) head.put("rejected", j.loadError); else head.set("shape", j.shape());
    line(head, w);
    return j;
  }

  static void play(FairJudge j, ObjectNode step, Writer w) throws Exception {
    step.remove("out");
    if (j.loadError == null) step.set("out", j.step(step));
    line(step, w);
  }

  static void line(ObjectNode o, Writer w) throws IOException { w.write(o.toString()); w.write('\n'); }
}
