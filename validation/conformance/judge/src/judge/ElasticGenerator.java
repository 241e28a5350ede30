package judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;

/**
 * Nodes that join, are decommissioned gracefully, leave and are lost; by heartbeats and in rounds, with node labels, and with
 * placement on several nodes, half of that with labels.
 */
class ElasticGenerator extends PartitionsGenerator {
  static final List<String> KINDS = Arrays.asList("elastic", "elastic-rounds", "elastic-partitions", "elastic-partitions-rounds", "elastic-multinode", "elastic-multinode-rounds");

  ElasticGenerator(String kind, long seed) { super(kind, seed); }

  @Override ObjectNode header() {
    ObjectNode h = super.header();
    ((ArrayNode) h.get("needs")).add("decommission");
    return h;
  }

  @Override ObjectNode next(Judge j, int step, int steps) {
    if (step < 10 || !p(0.07)) return super.next(j, step, steps);
    List<String> running = new ArrayList<>(), draining = new ArrayList<>();
    for (Judge.NodeState n : j.nodes.values()) (n.draining ? draining : running).add(n.id);
    ObjectNode s = Judge.JSON.createObjectNode();
    double r = rnd.nextDouble();
    if (r < 0.25 && !draining.isEmpty()) return name(s, "leave", draining);
    if (r < 0.45 || running.size() < 3) { s.put("do", "add"); s.set("node", node()); return s; }
    if (r < 0.55) return name(s, "lose", p(0.3) && !draining.isEmpty() ? draining : running);
    if (r < 0.60) return name(s, "leave", running);
    return name(s, "decommission", running);
  }

  private ObjectNode name(ObjectNode s, String what, List<String> of) {
    s.put("do", what);
    s.put("node", of.get(rnd.nextInt(of.size())));
    return s;
  }
}
