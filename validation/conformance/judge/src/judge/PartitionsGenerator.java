package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;

/**
 * Clusters with node labels: by heartbeats, with preemption, or in rounds. multinode: placement on several nodes, a quarter of
 * it with labels.
 */
class PartitionsGenerator extends ThreadsGenerator {
  static final List<String> KINDS = Arrays.asList("partitions", "partitions-preempt", "partitions-rounds", "multinode", "multinode-rounds");
  static final String BY_USAGE = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy";
  final List<String> names = new ArrayList<>();
  private final Map<String, Set<String>> reach = new HashMap<>();        // queue -> its labels
  private final Map<String, String> expressions = new HashMap<>();       // application and priority -> what it asks for

  final boolean several, labelled;
  private boolean timer;   // a policy's timer sorts, not each look
  private final Random more;   // of what was added later: the scenario of a seed stays as it was otherwise

  PartitionsGenerator(String kind, long seed) {
    super(kind, seed);
    more = new Random(seed * 31 + 7);
    several = kind.contains("multinode");
    labelled = kind.contains("partitions") || several && p(kind.startsWith("elastic") ? 0.5 : 0.25);
  }

  @Override ObjectNode header() {
    ObjectNode h = super.header();
    ArrayNode needs = h.putArray("needs");
    if (several) { needs.add("multinode"); several(); }
    if (labelled) needs.add("labels");
    if (kind.endsWith("rounds")) needs.add("async");
    if (!labelled) return h;
    ArrayNode declared = h.putArray("labels");
    for (String l : Arrays.asList("gpu", "ssd", "big").subList(0, in(1, 3))) {
      names.add(l);
      declared.addObject().put("name", l).put("exclusive", p(0.4));
    }
    for (JsonNode n : h.withArray("nodes")) if (p(0.6)) ((ObjectNode) n).put("label", anyLabel());
    conf.put("yarn.node-labels.enabled", "true");
    if (p(0.5)) conf.put("yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation", "true");
    reach.put("root", new LinkedHashSet<>(names));
    for (String l : names) conf.put(Q + "root.accessible-node-labels." + l + ".capacity", "100");
    shares("root");
    for (String q : queues) if (conf.has(Q + q + ".queues")) shares(q);
    for (String q : leaves) if (p(0.2) && !reach.get(q).isEmpty()) conf.put(Q + q + ".default-node-label-expression", reach.get(q).iterator().next());
    apart();
    return h;
  }

  /** Partitions that serve only applications submitted with their label: those of one leaf, or everywhere. */
  private void apart() {
    if (more.nextDouble() < 0.2) conf.put("yarn.node-labels.exclusive-enforced-partitions", someLabels());
    if (more.nextDouble() < 0.1) conf.put("yarn.resourcemanager.node-labels.am.default-node-label-expression", names.get(more.nextInt(names.size())));
    for (String q : leaves) if (more.nextDouble() < 0.15) apart(q, conf);
  }

  private void apart(String leaf, ObjectNode c) {
    c.put(Q + leaf + ".ordering-policy", "fifo-with-partitions");
    if (more.nextDouble() < 0.9) c.put(Q + leaf + ".ordering-policy.exclusive-enforced-partitions", someLabels());
  }

  private String someLabels() {
    List<String> some = new ArrayList<>();
    for (String l : names) if (more.nextBoolean()) some.add(l);
    return some.isEmpty() ? names.get(0) : String.join(more.nextBoolean() ? "," : " , ", some);
  }

  @Override ObjectNode refresh() {
    ObjectNode s = super.refresh();
    if (labelled && more.nextDouble() < 0.3) apart(leaves.get(more.nextInt(leaves.size())), (ObjectNode) s.get("conf"));
    return s;
  }

  private void several() {
    conf.put(Q + "multi-node-placement-enabled", "true");
    conf.put(Q + "multi-node-sorting.policy.names", "usage");
    conf.put(Q + "multi-node-sorting.policy.usage.class", BY_USAGE);
    timer = p(0.3);
    conf.put(Q + "multi-node-sorting.policy.usage.sorting-interval.ms", timer ? "1000" : "0");
    if (p(0.8)) conf.put(Q + "multi-node-sorting.policy", "usage");
    else for (String q : leaves) if (p(0.6)) conf.put(Q + q + ".multi-node-sorting.policy", "usage");
    if (p(0.2)) conf.put(Q + "skip-allocate-on-nodes-with-reserved-containers", "true");
  }

  private String anyLabel() { return names.get(rnd.nextInt(names.size())); }

  /** Which children may use a parent's labels, and how they share them: each label is somebody's. */
  private void shares(String parent) {
    String[] children = conf.get(Q + parent + ".queues").asText().split(",");
    for (String c : children) reach.put(parent + "." + c, new LinkedHashSet<>());
    for (String l : reach.get(parent)) {
      List<String> with = new ArrayList<>();
      for (String c : children) if (p(0.7)) with.add(parent + "." + c);
      if (with.isEmpty()) with.add(parent + "." + children[0]);
      double[] parts = split(with.size());
      for (int i = 0; i < parts.length; i++) {
        String q = with.get(i), key = Q + q + ".accessible-node-labels." + l + ".";
        reach.get(q).add(l);
        conf.put(key + "capacity", num(parts[i]));
        if (p(0.3)) conf.put(key + "maximum-capacity", num(Math.min(100, Math.rint(parts[i] + rnd.nextDouble() * (100 - parts[i])))));
        if (p(0.25) && leaves.contains(q)) conf.put(key + "maximum-am-resource-percent", one("0.1", "0.4", "1.0"));
      }
    }
    for (String c : children) {
      Set<String> mine = reach.get(parent + "." + c);
      if (!mine.equals(reach.get(parent)) || p(0.5)) conf.put(Q + parent + "." + c + ".accessible-node-labels", mine.isEmpty() ? " " : String.join(",", mine));
    }
  }

  @Override ObjectNode submit() {
    ObjectNode s = super.submit();
    if (!labelled) return s;
    List<String> may = new ArrayList<>(reach.getOrDefault(s.get("queue").asText(), Set.of()));
    if (p(0.05)) may.add(anyLabel());   // refused where the queue has it not
    if (may.isEmpty()) return s;
    if (p(0.35)) s.put("label", may.get(rnd.nextInt(may.size())));
    if (p(0.2)) s.put("amLabel", p(0.2) ? "" : may.get(rnd.nextInt(may.size())));
    return s;
  }

  @Override ObjectNode ask(Judge j, String app) {
    ObjectNode s = super.ask(j, app);
    if (!labelled) return s;
    Map<Integer, Integer> rows = new HashMap<>();
    for (JsonNode r : s.get("asks")) rows.merge(r.get("priority").asInt(), 1, Integer::sum);
    for (JsonNode r : s.get("asks")) {
      if (rows.get(r.get("priority").asInt()) > 1) continue;   // a label goes with "*" alone
      String key = app + "/" + r.get("priority").asInt();
      if (p(0.05)) expressions.remove(key);
      String label = expressions.computeIfAbsent(key, k -> p(0.45) ? anyLabel() : p(0.2) ? "" : "none");
      if (!label.equals("none")) ((ObjectNode) r).put("label", label);
    }
    return s;
  }

  @Override ObjectNode next(Judge j, int step, int steps) {
    if (timer && p(0.15)) return Judge.JSON.createObjectNode().put("do", "sort");
    if (labelled && step > 0 && p(0.03)) {
      ObjectNode s = Judge.JSON.createObjectNode();
      List<String> at = new ArrayList<>(j.nodes.keySet());
      return s.put("do", "label").put("node", at.get(rnd.nextInt(at.size()))).put("label", p(0.3) ? "" : anyLabel());
    }
    return super.next(j, step, steps);
  }

  @Override ObjectNode node() {
    ObjectNode n = super.node();
    if (!names.isEmpty() && p(0.5)) n.put("label", anyLabel());   // one that comes later
    return n;
  }
}
