package judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeUpdateSchedulerEvent;

/** Containers allocated per second by the real scheduler alone: only its node updates are timed. */
class Bench {
  static void run(int nodes, int leaves, int apps, int perNode) throws Exception {
    String Q = Generator.Q;
    ObjectNode h = Judge.JSON.createObjectNode(), c = h.putObject("conf");
    c.put("yarn.scheduler.maximum-allocation-mb", "8192");
    c.put(Q + "maximum-am-resource-percent", "1.0");
    c.put(Q + "per-node-heartbeat.maximum-offswitch-assignments", "100");
    List<String> names = new ArrayList<>();
    for (int i = 0; i < leaves; i++) { names.add("q" + i); c.put(Q + "root.q" + i + ".capacity", (10000 / leaves) / 100.0 + ""); c.put(Q + "root.q" + i + ".user-limit-factor", "-1"); }
    c.put(Q + "root.queues", String.join(",", names));
    ArrayNode ns = h.putArray("nodes");
    for (int i = 0; i < nodes; i++) { ObjectNode n = ns.addObject(); n.put("id", "n" + i); n.put("rack", "/r" + (1 + i / 40)); n.put("memory", 1024 * perNode); n.put("vcores", perNode); }
    try (Judge j = new Judge(h)) {
      if (j.loadError != null) throw new IllegalStateException(j.loadError);
      List<ObjectNode> asks = new ArrayList<>();
      for (int a = 0; a < apps; a++) {
        ObjectNode s = Judge.JSON.createObjectNode();
        s.put("do", "submit"); s.put("app", "app" + a); s.put("user", "u" + a % 20); s.put("queue", "root.q" + a % leaves); s.putArray("am").add(1024).add(1);
        j.step(s);
      }
      ObjectNode beat = Judge.JSON.createObjectNode(); beat.put("do", "beat");
      for (int i = 0; i < nodes; i++) { beat.put("node", "n" + i); j.step(beat); }
      long total = (long) nodes * perNode - apps;
      for (int a = 0; a < apps; a++) {
        ObjectNode s = Judge.JSON.createObjectNode();
        s.put("do", "ask"); s.put("app", "app" + a);
        ObjectNode r = s.putArray("asks").addObject();
        r.put("priority", 20); r.put("where", "*"); r.put("memory", 1024); r.put("vcores", 1); r.put("count", (int) (total / apps));
        j.step(s);
      }
      j.cs.judge = null;
      long got = 0, ns0 = 0;
      for (int round = 0; round < 3; round++)
        for (int i = 0; i < nodes; i++) {
          RMNode n = j.rm.getRMContext().getRMNodes().get(j.nodes.get("n" + i).nm.getNodeId());
          int before = j.cs.getNode(n.getNodeID()).getNumContainers();
          long t = System.nanoTime();
          j.cs.handle(new NodeUpdateSchedulerEvent(n));
          ns0 += System.nanoTime() - t;
          got += j.cs.getNode(n.getNodeID()).getNumContainers() - before;
          j.dispatcher.drain();
        }
      System.err.printf("nodes %d leaves %d apps %d: %d containers in %.3f s = %.0f containers/s%n", nodes, leaves, apps, got, ns0 / 1e9, got / (ns0 / 1e9));
    }
  }
}
