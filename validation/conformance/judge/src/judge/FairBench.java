package judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeUpdateSchedulerEvent;

/** Containers allocated per second by the real FairScheduler alone: only its node updates are timed. */
class FairBench {
  static void run(int nodes, int leaves, int apps, int perNode) throws Exception {
    ObjectNode h = Judge.JSON.createObjectNode(), c = h.putObject("conf");
    c.put("yarn.scheduler.fair.assignmultiple", "true");
    c.put("yarn.scheduler.fair.dynamic.max.assign", "false");
    StringBuilder b = new StringBuilder("<allocations><queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>");
    for (int i = 0; i < leaves; i++) b.append("<queue name=\"q" + i + "\"><weight>" + (1 + i % 4) + "</weight></queue>");
    h.put("allocations", b.append("</allocations>").toString());
    ArrayNode ns = h.putArray("nodes");
    for (int i = 0; i < nodes; i++) { ObjectNode n = ns.addObject(); n.put("id", "n" + i); n.put("rack", "/r" + (1 + i / 40)); n.put("memory", 1024 * perNode); n.put("vcores", perNode); }
    try (FairJudge j = new FairJudge(h)) {
      if (j.loadError != null) throw new IllegalStateException(j.loadError);
      j.quick = true;
      for (int a = 0; a < apps; a++) {
        ObjectNode s = step("submit");
        s.put("app", "app" + a); s.put("user", "u" + a % 20); s.put("queue", "root.q" + a % leaves); s.putArray("am").add(1024).add(1);
        j.step(s);
      }
      j.step(step("update"));
      for (int i = 0; i < nodes; i++) { ObjectNode s = step("beat"); s.put("node", "n" + i); j.step(s); }
      long total = (long) nodes * perNode - apps;
      for (int a = 0; a < apps; a++) {
        ObjectNode s = step("ask");
        s.put("app", "app" + a);
        ObjectNode r = s.putArray("asks").addObject();
        r.put("priority", 20); r.put("where", "*"); r.put("memory", 1024); r.put("vcores", 1); r.put("count", (int) (total / apps));
        j.step(s);
      }
      j.step(step("update"));
      j.fs.listener = null;
      long got = 0, spent = 0;
      for (int round = 0; round < 2; round++)
        for (int i = 0; i < nodes; i++) {
          RMNode n = j.rm.getRMContext().getRMNodes().get(j.nodes.get("n" + i).nm.getNodeId());
          int before = j.fs.getNode(n.getNodeID()).getNumContainers();
          long t = System.nanoTime();
          j.fs.handle(new NodeUpdateSchedulerEvent(n));
          spent += System.nanoTime() - t;
          got += j.fs.getNode(n.getNodeID()).getNumContainers() - before;
          j.dispatcher.drain();
        }
      System.err.printf("fair: nodes %d leaves %d apps %d: %d containers in %.3f s = %.0f containers/s%n", nodes, leaves, apps, got, spent / 1e9, got / (spent / 1e9));
    }
  }

  private static ObjectNode step(String what) { ObjectNode s = Judge.JSON.createObjectNode(); s.put("do", what); return s; }
}
