package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeLabel;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceUsage;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.*;

/** Node labels of a scenario: which there are, which node has which, and the figures of queues by label. */
class Partitions {
  final List<String> names = new ArrayList<>();
  private final List<NodeLabel> labels = new ArrayList<>();
  private RMNodeLabelsManager manager;

  /** Null for a scenario without labels. */
  static Partitions of(JsonNode header) { return header.has("labels") ? new Partitions(header.get("labels")) : null; }

  private Partitions(JsonNode declared) {
    for (JsonNode l : declared) {
      names.add(l.get("name").asText());
      labels.add(NodeLabel.newInstance(l.get("name").asText(), l.get("exclusive").asBoolean()));
    }
  }

  /** The cluster knows its labels before the scheduler reads its queues. */
  RMNodeLabelsManager declareTo(RMNodeLabelsManager m) throws Exception {
    m.addToCluserNodeLabels(labels);
    return manager = m;
  }

  /** Before a node registers, or while it runs; by host alone, as an administrator's command does. */
  void put(NodeId node, String label) throws Exception {
    manager.replaceLabelsOnNode(Map.of(NodeId.newInstance(node.getHost(), 0), label.isEmpty() ? Set.of() : Set.of(label)));
  }

  /** Configured and effective figures of a queue by label. */
  void shape(CSQueue q, ObjectNode of) {
    QueueCapacities c = q.getQueueCapacities();
    ObjectNode all = of.putObject("labels");
    for (String l : names) {
      ObjectNode n = all.putObject(l);
      Judge.fraction(n, "capacity", c.getCapacity(l)); Judge.fraction(n, "absolute", c.getAbsoluteCapacity(l));
      Judge.fraction(n, "maximum", c.getMaximumCapacity(l)); Judge.fraction(n, "absoluteMaximum", c.getAbsoluteMaximumCapacity(l));
      n.set("effectiveMin", Judge.res(q.getEffectiveCapacity(l))); n.set("effectiveMax", Judge.res(q.getEffectiveMaxCapacity(l)));
      Set<String> may = q.getAccessibleNodeLabels();
      n.put("accessible", may != null && (may.contains(l) || may.contains("*")));
      if (q instanceof AbstractLeafQueue) n.set("amLimit", Judge.res(((AbstractLeafQueue) q).calculateAndGetAMResourceLimitPerPartition(l)));
    }
    if (q.getDefaultNodeLabelExpression() != null) of.put("defaultLabel", q.getDefaultNodeLabelExpression());
  }

  /** A leaf's use of the labels that it uses or waits for. */
  void figures(CSQueue q, ObjectNode of) {
    ResourceUsage u = q.getQueueResourceUsage();
    for (String l : names) {
      ObjectNode n = Judge.JSON.createObjectNode();
      n.set("used", Judge.res(u.getUsed(l))); n.set("reserved", Judge.res(u.getReserved(l)));
      n.set("pending", Judge.res(u.getPending(l))); n.set("amUsed", Judge.res(u.getAMUsed(l)));
      boolean any = false;
      for (JsonNode figure : n) for (JsonNode x : figure) any |= x.asLong() != 0;
      if (any) ((ObjectNode) of.with("labels")).set(l, n);
    }
  }
}
