package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;

/**
 * What the other kinds vary one or two at a time, together: node labels, placement on several nodes, rounds, preemption (also
 * lazy, within queues, and for reservations), capacities in every form, on labels too, queues made on first use by both
 * kinds of parents, and refreshes that change these while applications run.
 */
class CombinedGenerator extends PartitionsGenerator {
  private final Random more;   // of what is drawn beside the kinds above
  private boolean preempts, lazy, flexible, managed;
  private long mb, vc; private final Map<String, long[]> of = new LinkedHashMap<>();   // by label, "" for none
  private final Map<String, String> at = new HashMap<>();   // node -> its label
  private final List<String> named = new ArrayList<>();

  CombinedGenerator(long seed) { this(seed, new Random(seed * 77_003L + 5)); }

  private CombinedGenerator(long seed, Random more) { super(parts(more), seed); this.more = more; }

  private static String parts(Random r) {
    return "combined" + (r.nextDouble() < 0.7 ? "-partitions" : "") + (r.nextDouble() < 0.35 ? "-multinode" : "") + (r.nextDouble() < 0.5 ? "-rounds" : "");
  }

  private boolean q(double x) { return more.nextDouble() < x; }
  @SafeVarargs private final <T> T some(T... xs) { return xs[more.nextInt(xs.length)]; }
  private int num(int lo, int hi) { return lo + more.nextInt(hi - lo + 1); }

  @Override ObjectNode header() {
    preempts = q(0.5); lazy = preempts && q(0.25);
    if (preempts) themes.add("preemption");
    String form = some("percent", "percent", "weight", "absolute", "vectors", "vectors");
    modeOfTree = form.equals("vectors") ? "percent" : form;
    ObjectNode h = super.header();
    ArrayNode needs = h.putArray("needs");
    if (several) needs.add("multinode");
    if (labelled) needs.add("labels");
    if (threads) needs.add("async");
    if (lazy) needs.add("lazy");
    conf.remove(Q + "lazy-preemption-enabled");
    if (lazy) conf.put(Q + "lazy-preemption-enabled", "true");
    if (labelled) while (h.withArray("nodes").size() <= names.size()) h.withArray("nodes").add(node());
    int first = 0;
    for (JsonNode n : h.withArray("nodes")) {   // each partition has a node
      if (labelled && first <= names.size()) { if (first == 0) ((ObjectNode) n).remove("label"); else ((ObjectNode) n).put("label", names.get(first - 1)); }
      first++;
      at.put(n.get("id").asText(), n.path("label").asText(""));
    }
    for (JsonNode n : h.withArray("nodes")) for (String l : new String[] {null, n.path("label").asText("")}) {
      if (l == null) { mb += n.get("memory").asLong(); vc += n.get("vcores").asLong(); continue; }
      long[] sum = of.computeIfAbsent(l, k -> new long[2]);
      sum[0] += n.get("memory").asLong(); sum[1] += n.get("vcores").asLong();
    }
    if (preempts) preemption();
    this.form = form;
    if (form.equals("vectors")) {
      conf.put(Q + "legacy-queue-mode.enabled", "false"); needs.add("flexible");
      for (String x : queues) { conf.put(Q + x + ".capacity", any(of.getOrDefault("", new long[2]))); ceiling(x, of.getOrDefault("", new long[2])); }
    }
    for (String x : queues) for (String l : names) {
      String key = Q + x + ".accessible-node-labels." + l + ".";
      if (!conf.has(key + "capacity")) continue;
      long[] all = of.getOrDefault(l, new long[2]);
      if (form.equals("weight")) { conf.put(key + "capacity", some("1w", "2w", "5w", "0.5w")); }
      else if (form.equals("vectors")) { conf.put(key + "capacity", any(all)); ceiling(x + ".accessible-node-labels." + l, all); }
      else if (form.equals("absolute")) { conf.put(key + "capacity", fixed(all, part(x))); conf.remove(key + "maximum-capacity"); }
    }
    if (q(0.45)) first(needs);
    h.set("conf", conf);
    return h;
  }

  private String form;

  /** A share that grows no larger downwards. */
  private double part(String x) { return 0.45 / (x.split("\\.").length - 1); }

  private String fixed(long[] all, double part) { return "[memory=" + (long) (all[0] * part) + ",vcores=" + (long) (all[1] * part) + "]"; }

  private String amount(long most) { return some(num(1, 70) + "%", some("1", "2", "0.5", "5") + "w", String.valueOf(Math.max(1, (long) (most * more.nextDouble() * 0.6)))); }

  private String any(long[] all) {
    switch (num(1, 5)) {
      case 1: return num(num(1, 60));
      case 2: return some("1w", "2w", "0.3w", "7w");
      default: return "[memory=" + amount(all[0]) + ",vcores=" + amount(all[1]) + "]";
    }
  }

  private void ceiling(String x, long[] all) {
    String key = Q + x + ".maximum-capacity";
    if (!q(0.35)) { conf.remove(key); return; }
    conf.put(key, q(0.4) ? num(num(30, 100)) : "[memory=" + some(num(30, 100) + "%", "" + (long) (all[0] * (0.2 + 0.8 * more.nextDouble()))) + ",vcores=" + some(num(30, 100) + "%", "" + (long) (all[1] * (0.2 + 0.8 * more.nextDouble()))) + "]");
  }

  private void preemption() {
    String m = "yarn.resourcemanager.monitor.capacity.preemption.";
    if (q(0.4)) conf.put(m + "select_based_on_reserved_containers", "true");
    if (q(0.2)) conf.put(m + "additional_res_balance_based_on_reserved_containers", "true");
    if (q(0.2)) conf.put(m + "preemption-to-balance-queue-after-satisfied.enabled", "true");
    if (q(0.2)) conf.put(m + "conservative-drf", "true");
    if (q(0.5)) { conf.put(m + "intra-queue-preemption.enabled", "true"); conf.put(m + "intra-queue-preemption.preemption-order-policy", some("userlimit_first", "priority_first")); }
    if (q(0.3)) { conf.put(Q + "root.ordering-policy", "priority-utilization"); for (String x : queues) if (q(0.5)) conf.put(Q + x + ".priority", String.valueOf(num(0, 5))); }
    conf.put("yarn.cluster.max-application-priority", "10");
  }

  /** A parent that makes queues on first use, beside root's children. */
  private void first(ArrayNode needs) {
    String list = conf.get(Q + "root.queues").asText();
    flexible = form.equals("weight") || form.equals("vectors");
    if (form.equals("vectors") && q(0.3)) flexible = false;
    managed = !flexible;
    if (managed && form.equals("absolute")) return;
    needs.add("autoqueue");
    conf.put(Q + "root.queues", q(0.5) ? list + ",pool" : "pool," + list);
    Set<String> may = new LinkedHashSet<>();
    for (String l : names) if (q(0.7)) may.add(l);
    if (!names.isEmpty() && q(0.5)) conf.put(Q + "root.pool.accessible-node-labels", may.isEmpty() ? " " : String.join(",", may));
    else if (!names.isEmpty()) may = new LinkedHashSet<>(names);
    if (flexible) {
      conf.put(Q + "root.pool.capacity", form.equals("weight") ? some("1w", "4w") : any(of.getOrDefault("", new long[2])));
      String v = Q + "root.pool.auto-queue-creation-v2.";
      conf.put(v + "enabled", "true");
      for (String l : may) if (q(0.8)) conf.put(Q + "root.pool.accessible-node-labels." + l + ".capacity", form.equals("weight") ? some("1w", "3w") : any(of.getOrDefault(l, new long[2])));
      if (q(0.5)) conf.put(v + "template.capacity", form.equals("weight") ? some("1w", "3w") : any(of.getOrDefault("", new long[2])));
      for (String l : may) if (q(0.3)) {
        String k = v + some("template.", "leaf-template.", "template.") + "accessible-node-labels." + l + ".";
        conf.put(k + "capacity", form.equals("weight") ? some("1w", "3w") : any(of.getOrDefault(l, new long[2])));
        if (q(0.3)) conf.put(k + "maximum-capacity", some("40", "80"));
      }
      if (q(0.3)) conf.put(v + "template.maximum-capacity", some("30", "60", "90"));
      if (q(0.3)) conf.put(v + "leaf-template.user-limit-factor", some("0.5", "1", "3", "-1"));
      if (q(0.2)) conf.put(v + "leaf-template.maximum-am-resource-percent", some("0.1", "0.4"));
      if (q(0.2)) conf.put(v + "leaf-template.ordering-policy", "fair");
      if (q(0.2)) conf.put(v + "template.priority", some("1", "4"));
      if (q(0.2)) conf.put(v + "template.disable_preemption", "true");
      if (q(0.3)) conf.put(v + "maximum-queue-depth", some("1", "2", "3"));
      if (q(0.2)) conf.put(v + "max-queues", some("2", "3"));
      for (int u = 1; u <= Math.max(users, 2); u++) { named.add("root.pool.u" + u); named.add("root.pool.g" + u % 2 + ".u" + u); }
    } else {
      if (form.equals("vectors")) { conf.put(Q + "root.pool.capacity", any(of.getOrDefault("", new long[2]))); for (String l : may) conf.put(Q + "root.pool.accessible-node-labels." + l + ".capacity", any(of.getOrDefault(l, new long[2]))); }
      String[] children = form.equals("vectors") ? new String[0] : conf.get(Q + "root.queues").asText().split(",");
      double[] w = children.length == 0 ? new double[0] : split(children.length);
      for (int i = 0; i < children.length; i++) { conf.put(Q + "root." + children[i] + ".capacity", num(w[i])); conf.remove(Q + "root." + children[i] + ".maximum-capacity"); }
      for (String l : may) if (!conf.has(Q + "root.pool.accessible-node-labels." + l + ".capacity")) {
        List<String> have = new ArrayList<>();
        for (String c : children) if (conf.has(Q + "root." + c + ".accessible-node-labels." + l + ".capacity")) have.add(c);
        have.add("pool");
        if (form.equals("vectors")) break;
        double[] x = split(have.size());
        for (int i = 0; i < x.length; i++) { String k = Q + "root." + have.get(i) + ".accessible-node-labels." + l + "."; conf.put(k + "capacity", num(x[i])); conf.remove(k + "maximum-capacity"); }
      }
      String t = Q + "root.pool.leaf-queue-template.";
      conf.put(Q + "root.pool.auto-create-child-queue.enabled", "true");
      conf.put(t + "capacity", form.equals("vectors") && q(0.5) ? any(of.getOrDefault("", new long[2])) : some("20", "33.3", "50", "70", "100"));
      if (q(0.3)) conf.put(t + "maximum-capacity", some("75", "100"));
      if (q(0.4)) conf.put(t + "user-limit-factor", some("0.5", "2", "-1"));
      if (q(0.3)) conf.put(t + "ordering-policy", "fair");
      // A refresh that such a parent refuses leaves the figures of labels and of capacities with units half changed.
      if (names.isEmpty() && form.equals("percent") && q(0.3)) conf.put(Q + "root.pool.auto-create-child-queue.fail-on-exceeding-parent-capacity", "true");
      for (int u = 1; u <= Math.max(users, 3); u++) named.add("root.pool.u" + u);
    }
  }

  @Override ObjectNode submit() {
    ObjectNode s = super.submit();
    if (!named.isEmpty() && q(0.4)) { s.put("queue", named.get(more.nextInt(named.size()))); if (q(0.5)) { s.remove("label"); s.remove("amLabel"); } else if (!names.isEmpty() && q(0.5)) s.put("label", names.get(more.nextInt(names.size()))); }
    return s;
  }

  @Override ObjectNode next(Judge j, int step, int steps) {
    ObjectNode s = Judge.JSON.createObjectNode();
    if (flexible && !named.isEmpty() && q(0.02)) return s.put("do", "expire");
    if (managed && !named.isEmpty() && q(0.05)) return s.put("do", "manage");
    if (step > 10 && q(0.03)) return change(s);
    for (;;) {
      s = super.next(j, step, steps);
      String what = s.get("do").asText();
      // What ends with a killed master ends with the step: nothing of the same round is committed after it.
      if (lazy && what.equals("round")) { s.put("lag", 0); s.remove("left"); }
      if (what.equals("add")) { at.put(s.get("node").get("id").asText(), s.get("node").path("label").asText("")); return s; }
      if (!what.equals("label") && !what.equals("lose")) return s;
      // Shares of a partition without nodes are numbers that nothing is decided by, and differ.
      String node = s.get("node").asText(), of = at.get(node);
      if (form.equals("vectors") && Collections.frequency(at.values(), of) < 2) continue;
      if (what.equals("lose")) at.remove(node); else at.put(node, s.get("label").asText());
      return s;
    }
  }

  /** A refresh of what this kind adds. */
  private ObjectNode change(ObjectNode s) {
    s.put("do", "refresh"); ObjectNode c = s.putObject("conf");
    for (int i = num(1, 3); i > 0; i--) {
      String x = queues.get(more.nextInt(queues.size())), leaf = leaves.get(more.nextInt(leaves.size()));
      switch (num(1, 12)) {
        case 1: case 2:
          if (form.equals("weight")) c.put(Q + x + ".capacity", some("1w", "3w", "8w"));
          else if (form.equals("vectors")) c.put(Q + x + ".capacity", any(of.getOrDefault("", new long[2])));
          else if (form.equals("absolute")) c.put(Q + x + ".capacity", fixed(of.getOrDefault("", new long[2]), part(x) * more.nextDouble()));
          break;
        case 3: case 4:
          if (names.isEmpty()) break;
          String l = names.get(more.nextInt(names.size())), key = Q + x + ".accessible-node-labels." + l + ".capacity";
          if (!conf.has(key)) break;
          if (form.equals("weight")) c.put(key, some("1w", "3w", "8w"));
          else if (form.equals("vectors")) c.put(key, any(of.getOrDefault(l, new long[2])));
          else if (form.equals("absolute")) c.put(key, fixed(of.getOrDefault(l, new long[2]), part(x) * more.nextDouble()));
          break;
        case 5: c.put(Q + leaf + ".disable_preemption", some("true", "false")); break;
        case 6: if (several) { if (q(0.5)) c.put(Q + leaf + ".multi-node-sorting.policy", some("usage", "")); else c.put(Q + "skip-allocate-on-nodes-with-reserved-containers", some("true", "false")); } break;
        case 7: if (flexible && !named.isEmpty()) c.put(Q + "root.pool.auto-queue-creation-v2." + some("template.capacity", "leaf-template.capacity"), form.equals("weight") ? some("1w", "4w") : any(of.getOrDefault("", new long[2]))); break;
        case 8: if (managed && !named.isEmpty()) c.put(Q + "root.pool.leaf-queue-template.capacity", form.equals("vectors") ? any(of.getOrDefault("", new long[2])) : some("10", "45", "80")); break;
        case 9: c.put(Q + "reservations-continue-look-all-nodes", some("true", "false")); break;
        case 10: c.put(Q + leaf + ".user-limit-factor", some("0.5", "1", "3", "-1")); c.put(Q + leaf + ".maximum-am-resource-percent", some("0.1", "0.5", "1.0")); break;
        case 11: c.put(Q + leaf + ".ordering-policy", some("fifo", "fair")); break;
        default: c.put(Q + leaf + ".maximum-capacity", form.equals("absolute") ? fixed(of.getOrDefault("", new long[2]), 1) : some("60", "100")); break;
      }
    }
    return s;
  }
}
