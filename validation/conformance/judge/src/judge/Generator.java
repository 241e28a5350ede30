package judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;

/** Random, seeded scenarios. A kind narrows what may vary, so that one rule at a time can be brought to agreement. */
class Generator {
  static final String[] KINDS = {"single", "queues", "users", "locality", "admission", "reservation", "dominant", "fair", "priority", "default-priority", "modes", "refresh", "nodes", "preemption", "mix", "conf", "wild", "knobs"};
  static final String Q = "yarn.scheduler.capacity.";
  final Random rnd; final String kind; final boolean mix;
  final List<String> leaves = new ArrayList<>();
  final List<String> queues = new ArrayList<>();
  ObjectNode conf = Judge.JSON.createObjectNode();
  int racks, nodeCount, users, minAlloc; boolean dominant; int apps = 0, nodeSeq = 0; int maxMb, maxVc;
  final Map<String, String> rackOf = new LinkedHashMap<>();

  /** wild: everything at once, now and then with preemption, and refreshes that add, stop and remove queues. */
  final boolean wild; boolean wildPreemption;
  /** knobs: preemption with every setting it has. */
  final boolean knobs; boolean tight;

  static Generator of(String kind, long seed) { if (kind.equals("combined")) return new CombinedGenerator(seed); if (ElasticGenerator.KINDS.contains(kind)) return new ElasticGenerator(kind, seed); if (PartitionsGenerator.KINDS.contains(kind)) return new PartitionsGenerator(kind, seed); if (ThreadsGenerator.KINDS.contains(kind)) return new ThreadsGenerator(kind, seed); return FormsGenerator.KINDS.contains(kind) ? new FormsGenerator(kind, seed) : new Generator(kind, seed); }

  Generator(String kind, long seed) {
    this.kind = kind; this.rnd = new Random(seed * 1_000_003L + kind.hashCode()); wild = kind.equals("wild"); knobs = kind.equals("knobs"); mix = kind.equals("mix") || wild;
    if (wild) wildPreemption = p(0.4);
    if (knobs) tight = p(0.6);
  }

  static final Set<String> WILD = new HashSet<>(Arrays.asList("users", "locality", "admission", "fair", "priority", "refresh", "nodes", "mix"));

  boolean is(String... ks) {
    for (String k : ks) if (kind.equals(k) || wild && (WILD.contains(k) || wildPreemption && k.equals("preemption")) || knobs && (k.equals("preemption") || tight && k.equals("reservation"))) return true;
    return false;
  }
  int in(int lo, int hi) { return lo + rnd.nextInt(hi - lo + 1); }
  boolean p(double x) { return rnd.nextDouble() < x; }
  @SafeVarargs final <T> T one(T... xs) { return xs[rnd.nextInt(xs.length)]; }

  /** Percentages that sum to 100 with at most two decimals. */
  double[] split(int n) {
    int[] cuts = new int[n]; int left = 10000 - n * 100;
    double[] w = new double[n]; double sum = 0;
    for (int i = 0; i < n; i++) { w[i] = -Math.log(1 - rnd.nextDouble()); sum += w[i]; }
    int used = 0; int step = one(1, 10, 50, 100, 500);
    for (int i = 0; i < n - 1; i++) { cuts[i] = 100 + (int) (left * w[i] / sum) / step * step; used += cuts[i]; }
    cuts[n - 1] = 10000 - used;
    double[] out = new double[n];
    for (int i = 0; i < n; i++) out[i] = cuts[i] / 100.0;
    return out;
  }

  String num(double d) { return d == Math.rint(d) ? String.valueOf((long) d) : String.valueOf(d); }

  void tree(String path, int depth, int budget) {
    int n = Math.min(budget, in(path.equals("root") ? 1 : 2, 4));
    if (n < 1) n = 1;
    double[] c = split(n);
    List<String> names = new ArrayList<>();
    boolean weights = modeOfTree.equals("weight");
    for (int i = 0; i < n; i++) names.add((depth == 1 ? "" : path.substring(path.lastIndexOf('.') + 1)) + (char) ('a' + i));   // unique leaf names: intra-queue preemption looks leaves up by short name
    conf.put(Q + path + ".queues", String.join(",", names));
    for (int i = 0; i < n; i++) {
      String q = path + "." + names.get(i);
      queues.add(q);
      conf.put(Q + q + ".capacity", weights ? one("1w", "2w", "3w", "0.5w", "10w") : num(c[i]));
      if (p(is("preemption") ? 0.1 : 0.5)) conf.put(Q + q + ".maximum-capacity", num(Math.min(100, Math.rint((c[i] + rnd.nextDouble() * (100 - c[i])) * 10) / 10)));
      int rest = budget / n;
      if (depth < 3 && rest >= 2 && p(0.45) && !is("single")) tree(q, depth + 1, rest); else leaves.add(q);
    }
  }
  String modeOfTree = "percent";

  ObjectNode header() {
    ObjectNode h = Judge.JSON.createObjectNode();
    dominant = is("dominant") || (mix && p(0.4)) || (knobs && p(0.5));
    minAlloc = one(512, 1024, 1024, 256);
    maxMb = minAlloc * in(8, 16); maxVc = in(4, 16);
    conf.put("yarn.scheduler.minimum-allocation-mb", String.valueOf(minAlloc));
    conf.put("yarn.scheduler.maximum-allocation-mb", String.valueOf(maxMb));
    conf.put("yarn.scheduler.minimum-allocation-vcores", "1");
    conf.put("yarn.scheduler.maximum-allocation-vcores", String.valueOf(maxVc));
    conf.put(Q + "resource-calculator", "org.apache.hadoop.yarn.util.resource." + (dominant ? "DominantResourceCalculator" : "DefaultResourceCalculator"));
    racks = is("locality", "mix") ? in(1, 4) : 1;
    nodeCount = is("single") ? in(1, 6) : is("preemption") ? in(2, 7) : in(2, 20);
    users = is("users", "mix", "admission", "fair", "preemption") ? in(1, 6) : 1;
    if (is("modes", "conf") || wild && p(0.35)) modeOfTree = one("weight", "percent", "percent", "absolute");
    if (is("single")) { conf.put(Q + "root.queues", "a"); conf.put(Q + "root.a.capacity", "100"); queues.add("root.a"); leaves.add("root.a"); }
    else tree("root", 1, in(2, 10));
    ArrayNode nodes = h.putArray("nodes");
    for (int i = 0; i < nodeCount; i++) nodes.add(node());
    if (modeOfTree.equals("absolute")) absolutes(nodes);
    if (!is("single") || p(0.5)) conf.put(Q + "maximum-am-resource-percent", one("0.1", "0.2", "0.5", "1.0", "0.35"));
    if (is("admission", "mix")) {
      for (String q : leaves) if (p(0.4)) conf.put(Q + q + ".maximum-am-resource-percent", one("0.05", "0.15", "0.3", "0.6", "1.0"));
      if (p(0.3)) conf.put(Q + "maximum-applications", one("8", "15", "40", "1000"));
      for (String q : leaves) if (p(0.15)) conf.put(Q + q + ".maximum-applications", one("1", "3", "6"));
      if (p(0.2)) conf.put(Q + "max-parallel-apps", one("2", "5", "9"));
      for (String q : leaves) if (p(0.15)) conf.put(Q + q + ".max-parallel-apps", one("1", "2", "4"));
      if (p(0.15)) conf.put(Q + "user.max-parallel-apps", one("1", "2", "3"));
    } else conf.put(Q + "maximum-am-resource-percent", one("0.5", "1.0"));
    if (is("users", "mix", "admission", "fair", "preemption")) {
      for (String q : leaves) {
        if (is("preemption")) conf.put(Q + q + ".minimum-user-limit-percent", one("20", "50", "100"));
        else if (p(0.6)) conf.put(Q + q + ".minimum-user-limit-percent", one("0", "10", "20", "25", "33", "50", "50.1", "75", "100"));
        if (is("preemption")) conf.put(Q + q + ".user-limit-factor", one("1", "3", "10", "-1", "-1"));
        else if (p(0.5)) conf.put(Q + q + ".user-limit-factor", one("0.25", "0.5", "1", "1.5", "2", "3.3", "10", "-1"));
        if (p(0.15)) conf.put(Q + q + ".user-settings.u" + in(1, users) + ".weight", one("0.5", "1.0"));
      }
      if (p(0.3)) conf.put(Q + "minimum-user-limit-percent", one("20", "40", "100"));
      if (p(0.3)) conf.put(Q + "user-limit-factor", one("1", "2", "-1"));
    }
    if (is("fair", "mix")) for (String q : leaves) if (p(is("fair") ? 0.8 : 0.3)) {
      conf.put(Q + q + ".ordering-policy", "fair");
      if (p(0.3)) conf.put(Q + q + ".ordering-policy.fair.enable-size-based-weight", "true");
    }
    if (is("priority", "mix")) {
      conf.put("yarn.cluster.max-application-priority", "10");
      if (p(0.6)) {
        conf.put(Q + "root.ordering-policy", one("priority-utilization", "utilization"));
        for (String q : queues) if (p(0.5)) conf.put(Q + q + ".priority", String.valueOf(in(0, 5)));
      }
    }
    if (is("default-priority")) {
      if (p(0.8)) conf.put("yarn.cluster.max-application-priority", one("3", "10"));
      for (String q : leaves) if (p(0.6)) conf.put(Q + q + ".default-application-priority", String.valueOf(in(-2, 6)));
    }
    if (is("locality", "mix")) {
      conf.put(Q + "node-locality-delay", one("-1", "0", "1", "3", "5", "40"));
      if (p(0.5)) conf.put(Q + "rack-locality-additional-delay", one("-1", "0", "1", "4", "20"));
      if (p(0.3)) conf.put(Q + "rack-locality-full-reset", one("true", "false"));
    }
    if (p(0.5)) conf.put(Q + "per-node-heartbeat.maximum-offswitch-assignments", one("1", "2", "3", "10"));
    if (p(0.2)) conf.put(Q + "per-node-heartbeat.maximum-container-assignments", one("1", "2", "5", "-1"));
    if (p(0.1)) conf.put(Q + "per-node-heartbeat.multiple-assignments-enabled", "false");
    if (p(0.15)) conf.put(Q + "reservations-continue-look-all-nodes", "false");
    if (is("preemption")) {
      String m = "yarn.resourcemanager.monitor.capacity.preemption.";
      conf.put("yarn.resourcemanager.scheduler.monitor.enable", "true");
      conf.put(m + "total_preemption_per_round", one("0.1", "0.5", "1.0"));
      conf.put(m + "natural_termination_factor", one("0.2", "1.0", "1.0"));
      conf.put(m + "max_ignored_over_capacity", one("0", "0.1"));
      conf.put(m + "max_wait_before_kill", one("0", "3000", "9000"));
      if (p(0.3)) conf.put(m + "intra-queue-preemption.enabled", "true");
      if (p(0.2)) conf.put(Q + one(leaves.toArray(new String[0])) + ".disable_preemption", "true");
      if (knobs) {
        if (p(0.6)) conf.put(m + "select_based_on_reserved_containers", "true");
        if (p(0.3)) conf.put(m + "additional_res_balance_based_on_reserved_containers", "true");
        if (p(0.3)) { conf.put(m + "preemption-to-balance-queue-after-satisfied.enabled", "true"); conf.put(m + "preemption-to-balance-queue-after-satisfied.max-wait-before-kill", one("0", "3000", "6000")); }
        if (p(0.3)) conf.put(m + "conservative-drf", "true");
        if (p(0.5)) { conf.put(m + "intra-queue-preemption.enabled", "true"); conf.put(m + "intra-queue-preemption.preemption-order-policy", one("userlimit_first", "priority_first")); }
        if (p(0.3)) conf.put(m + "intra-queue-preemption.conservative-drf", "false");
        if (p(0.3)) conf.put(m + "intra-queue-preemption.minimum-threshold", one("0.1", "0.9"));
        if (p(0.3)) conf.put(m + "intra-queue-preemption.max-allowable-limit", one("0.05", "0.6", "1.0"));
        if (p(0.05)) conf.put(m + "observe_only", "true");
        if (p(0.2)) conf.put(Q + one(leaves.toArray(new String[0])) + ".intra-queue-preemption.disable_preemption", "true");
        for (String q : leaves) if (p(0.3)) conf.put(Q + q + ".ordering-policy", "fair");
        if (p(0.4)) { conf.put(Q + "root.ordering-policy", "priority-utilization"); for (String q : queues) if (p(0.5)) conf.put(Q + q + ".priority", String.valueOf(in(0, 5))); }
        conf.put("yarn.cluster.max-application-priority", "10");
      }
    }
    if (is("conf")) configurations();
    h.set("conf", conf);
    return h;
  }

  /** Header-only scenarios: what loads, what is refused, and the effective figures of what loads. */
  void configurations() {
    String q = queues.get(rnd.nextInt(queues.size())), leaf = leaves.get(rnd.nextInt(leaves.size()));
    if (p(0.4)) conf.put(Q + leaf + ".minimum-user-limit-percent", one("25", "33.3", "100", "0"));
    if (p(0.4)) conf.put(Q + leaf + ".user-limit-factor", one("0.5", "2", "-1"));
    if (p(0.3)) conf.put(Q + leaf + ".maximum-am-resource-percent", one("0.25", "1.0"));
    if (p(0.2)) conf.put(Q + "global-queue-max-application", one("50", "7"));
    if (p(0.2)) conf.put(Q + "maximum-applications", one("100", "9999"));
    if (p(0.2)) conf.put(Q + leaf + ".maximum-allocation-mb", String.valueOf(maxMb));
    if (p(0.55)) return;
    int what = in(1, 20);
    switch (what) {
      case 1: conf.put(Q + q + ".capacity", one("101", "-1", "0", "100", "abc", "")); break;
      case 2: conf.put(Q + q + ".maximum-capacity", one("0.5", "150", "-5", "0", "x")); break;
      case 3: conf.put(Q + leaf + ".minimum-user-limit-percent", one("101", "-1", "200")); break;
      case 4: conf.put(Q + leaf + ".user-limit-factor", one("-2", "0", "-0.5")); break;
      case 5: conf.put(Q + leaf + ".state", one("STOPPED", "RUNNIN", "DRAINING")); break;
      case 6: conf.put(Q + q + ".state", "STOPPED"); break;
      case 7: conf.put(Q + leaf + ".ordering-policy", one("fair", "fifo", "fifo-with-partitions", "random", "fifo-for-pending-apps")); break;
      case 8: conf.put(Q + "root.ordering-policy", one("priority-utilization", "fair", "none")); break;
      case 9: conf.put(Q + q + ".capacity", "2w"); break;
      case 10: conf.put(Q + q + ".capacity", "[memory=1024,vcores=1]"); break;
      case 11: conf.put(Q + "root.capacity", one("99", "100", "50")); break;
      case 12: conf.put(Q + leaf + ".maximum-am-resource-percent", one("1.5", "-0.1", "0")); break;
      case 13: conf.put(Q + leaf + ".user-settings.u1.weight", one("-1", "0", "3", "200")); break;
      case 14: conf.put(Q + leaf + ".maximum-allocation-mb", String.valueOf(maxMb * 2)); break;
      case 15: conf.put(Q + leaf + ".queues", one("x", "x,y")); break;
      case 16: conf.put(Q + "root.queues", conf.get(Q + "root.queues").asText() + ",zz"); break;
      case 17: { // nudge a sum
        JsonText c = new JsonText(conf.get(Q + q + ".capacity").asText());
        if (c.isNumber()) conf.put(Q + q + ".capacity", String.format(java.util.Locale.ROOT, "%.3f", c.value() + one(0.04, 0.06, -0.04, -0.06, 1.0, -3.0)));
        break; }
      case 18: conf.put(Q + "resource-calculator", "org.example.NoSuchCalculator"); break;
      case 19: conf.put("yarn.scheduler.minimum-allocation-mb", one("0", "-1", String.valueOf(maxMb * 2))); break;
      default: conf.put(Q + leaf + ".maximum-applications", one("0", "-5", "2")); conf.put(Q + leaf + ".default-application-lifetime", "100"); conf.put(Q + leaf + ".maximum-application-lifetime", one("50", "200")); break;
    }
  }

  static class JsonText {
    final String s; JsonText(String s) { this.s = s; }
    boolean isNumber() { return s.matches("[0-9.]+"); }
    double value() { return Double.parseDouble(s); }
  }

  void absolutes(ArrayNode nodes) {
    long mb = 0, vc = 0;
    for (int i = 0; i < nodes.size(); i++) { mb += nodes.get(i).get("memory").asLong(); vc += nodes.get(i).get("vcores").asLong(); }
    // rewrite every percentage below root as an absolute share, top down
    Map<String, long[]> have = new HashMap<>(); have.put("root", new long[] {mb, vc});
    for (String q : queues) {
      long[] up = have.get(q.substring(0, q.lastIndexOf('.')));
      double c = Double.parseDouble(conf.get(Q + q + ".capacity").asText()) / 100;
      long[] mine = {(long) (up[0] * c), Math.max(1, (long) (up[1] * c))};
      have.put(q, mine);
      conf.put(Q + q + ".capacity", "[memory=" + mine[0] + ",vcores=" + mine[1] + "]");
      if (conf.has(Q + q + ".maximum-capacity")) {
        double m = Double.parseDouble(conf.get(Q + q + ".maximum-capacity").asText()) / 100;
        conf.put(Q + q + ".maximum-capacity", "[memory=" + Math.max(mine[0], (long) (up[0] * m)) + ",vcores=" + Math.max(mine[1], (long) (up[1] * m)) + "]");
      }
    }
  }

  ObjectNode node() {
    ObjectNode n = Judge.JSON.createObjectNode();
    String id = "n" + (++nodeSeq); String rack = "/r" + in(1, racks);
    int mem = minAlloc * (is("reservation") ? in(4, 10) : in(6, 24)) + (p(0.1) ? in(1, minAlloc - 1) : 0);
    n.put("id", id); n.put("rack", rack); n.put("memory", mem); n.put("vcores", dominant ? in(2, 16) : in(2, 32));
    rackOf.put(id, rack);
    return n;
  }

  // ---- steps -------------------------------------------------------------------------------
  final List<String> live = new ArrayList<>();
  final Map<String, Map<Integer, int[]>> sizes = new HashMap<>();   // app -> priority -> ask size, one size a key

  ObjectNode submit() {
    ObjectNode s = Judge.JSON.createObjectNode();
    s.put("do", "submit"); String id = "app" + (++apps); s.put("app", id);
    s.put("user", "u" + in(1, users)); s.put("queue", leaves.get(rnd.nextInt(leaves.size())));
    if (!is("default-priority") || p(0.4)) s.put("priority", is("priority", "mix", "default-priority") || knobs ? in(0, 6) : 0);   // else none is asked for
    ArrayNode am = s.putArray("am"); am.add(minAlloc * (is("admission") ? in(1, 4) : in(1, 2)) - (p(0.1) ? 7 : 0)); am.add(dominant ? in(1, 2) : 1);
    return s;
  }

  ObjectNode ask(Judge j, String app) {
    ObjectNode s = Judge.JSON.createObjectNode();
    s.put("do", "ask"); s.put("app", app);
    ArrayNode asks = s.putArray("asks");
    int keys = p(0.7) ? 1 : 2;
    List<Integer> pris = new ArrayList<>(Arrays.asList(5, 10, 20));
    Collections.shuffle(pris, rnd);
    for (int k = 0; k < keys; k++) {
      int pri = pris.get(k);
      if (wild && p(0.1)) sizes.remove(app);
      int[] size = sizes.computeIfAbsent(app, x -> new HashMap<>()).computeIfAbsent(pri, x -> new int[] {
          Math.min(maxMb, minAlloc * (is("reservation") || wild && pri == 10 ? in(1, 6) : in(1, 4)) - (p(0.15) ? in(1, 100) : 0)), dominant ? in(1, Math.min(4, maxVc)) : 1});
      boolean local = is("locality") ? p(0.8) : mix && p(0.5);
      if (!local) asks.add(row(pri, "*", size, p(0.05) ? 0 : is("preemption") ? in(5, 60) : in(1, 12), true));
      else {
        List<String> names = new ArrayList<>(j.nodes.keySet());
        Map<String, Integer> rackCount = new TreeMap<>(); int total = 0;
        Collections.shuffle(names, rnd);
        int hosts = Math.min(names.size(), in(1, 6));
        boolean strict = p(0.08);
        for (int i = 0; i < hosts; i++) {
          int c = in(1, 4); total += c;
          asks.add(row(pri, names.get(i), size, c, true));
          rackCount.merge(rackOf.get(names.get(i)), c, Integer::sum);
        }
        for (Map.Entry<String, Integer> e : rackCount.entrySet()) asks.add(row(pri, e.getKey(), size, e.getValue(), !strict));
        int extra = p(0.3) ? in(0, 5) : 0;
        asks.add(row(pri, "*", size, Math.max(1, total / one(1, 2, 3)) + extra, !strict));
      }
    }
    if (wild && p(0.2)) for (com.fasterxml.jackson.databind.JsonNode r : asks) ((ObjectNode) r).put("alloc", 1);
    Judge.AppState a = j.apps.get(app);
    if (p(0.1) && a != null) { List<Integer> r = j.runningOf(a); if (!r.isEmpty()) s.putArray("release").add(r.get(rnd.nextInt(r.size()))); }
    return s;
  }

  ObjectNode row(int pri, String where, int[] size, int count, boolean relax) {
    ObjectNode r = Judge.JSON.createObjectNode();
    r.put("priority", pri); r.put("where", where); r.put("memory", size[0]); r.put("vcores", size[1]); r.put("count", count);
    if (!relax) r.put("relax", false);
    return r;
  }

  double finish = 0.1;

  ObjectNode beat(Judge j) {
    ObjectNode s = Judge.JSON.createObjectNode();
    List<String> names = new ArrayList<>(j.nodes.keySet());
    String n = names.get(rnd.nextInt(names.size()));
    s.put("do", "beat"); s.put("node", n);
    ArrayNode done = Judge.JSON.createArrayNode();
    for (Object[] c : j.runningOn(n)) if (p(finish)) { ArrayNode d = done.addArray(); d.add((String) c[0]); d.add((Integer) c[1]); }
    if (done.size() > 0) s.set("done", done);
    return s;
  }

  ObjectNode refresh() {
    ObjectNode s = Judge.JSON.createObjectNode();
    s.put("do", "refresh"); ObjectNode c = s.putObject("conf");
    String parent = p(0.5) ? "root" : queues.get(rnd.nextInt(queues.size()));
    if (conf.has(Q + parent + ".queues") && p(0.7)) {
      String[] names = conf.get(Q + parent + ".queues").asText().split(",");
      double[] w = split(names.length);
      for (int i = 0; i < names.length; i++) {
        c.put(Q + parent + "." + names[i] + ".capacity", num(w[i]));
        c.put(Q + parent + "." + names[i] + ".maximum-capacity", num(Math.min(100, Math.rint(w[i] + rnd.nextDouble() * (100 - w[i])))));
      }
      if (p(0.15)) c.put(Q + parent + "." + names[0] + ".capacity", num(w[0] > 3 ? w[0] - 2 : w[0] + 2));   // must be rejected
    }
    String q = leaves.get(rnd.nextInt(leaves.size()));
    if (p(0.5)) c.put(Q + q + ".user-limit-factor", one("0.5", "1", "3"));
    if (p(0.5)) c.put(Q + q + ".minimum-user-limit-percent", one("10", "30", "100"));
    if (p(0.3)) c.put(Q + q + ".maximum-am-resource-percent", one("0.1", "0.4", "1.0"));
    if (p(0.2)) c.put(Q + q + ".ordering-policy", one("fifo", "fair"));
    if (p(0.3)) c.put(Q + "per-node-heartbeat.maximum-offswitch-assignments", one("1", "4"));
    return s;
  }

  /** A refresh of what only wild scenarios change. */
  ObjectNode wildRefresh() {
    if (p(0.4)) return refresh();
    ObjectNode s = Judge.JSON.createObjectNode();
    s.put("do", "refresh"); ObjectNode c = s.putObject("conf");
    String leaf = leaves.get(rnd.nextInt(leaves.size())), any = queues.get(rnd.nextInt(queues.size()));
    for (int i = in(1, 3); i > 0; i--) switch (in(1, 15)) {
      case 1: c.put(Q + any + ".state", one("STOPPED", "RUNNING", "RUNNING")); break;
      case 2: c.put(Q + "root.queues", (current("root.queues", "a") + ",zz").replace(",zz,zz", ",zz")); c.put(Q + "root.zz.capacity", one("0", "0", "1w", "5")); if (!leaves.contains("root.zz")) { leaves.add("root.zz"); queues.add("root.zz"); } break;
      case 3: c.put(Q + "root.queues", conf.get(Q + "root.queues").asText()); if (p(0.5)) c.put(Q + "root.zz.state", "STOPPED"); break;
      case 4: c.put(Q + any + ".priority", String.valueOf(in(0, 5))); break;
      case 5: c.put(Q + "root.ordering-policy", one("utilization", "priority-utilization")); break;
      case 6: c.put(Q + leaf + ".ordering-policy", one("fifo", "fair")); if (p(0.5)) c.put(Q + leaf + ".ordering-policy.fair.enable-size-based-weight", one("true", "false")); break;
      case 7: c.put(Q + leaf + ".maximum-applications", one("2", "5", "100")); break;
      case 8: c.put(Q + one(leaf, any) + ".max-parallel-apps", one("1", "2", "5", "100")); break;
      case 9: c.put(Q + "user.max-parallel-apps", one("1", "3", "100")); break;
      case 10: c.put(Q + leaf + ".user-settings.u" + in(1, users) + ".weight", one("0.5", "0.3", "1.0")); break;
      case 11: c.put(Q + "node-locality-delay", one("-1", "0", "2", "40")); c.put(Q + "rack-locality-additional-delay", one("-1", "0", "3")); break;
      case 12: c.put(Q + "per-node-heartbeat.multiple-assignments-enabled", one("true", "false")); break;
      case 13: c.put(Q + "reservations-continue-look-all-nodes", one("true", "false")); break;
      case 14: c.put(Q + leaf + ".maximum-capacity", modeOfTree.equals("absolute") ? "[memory=" + minAlloc * in(4, 40) + ",vcores=" + in(4, 40) + "]" : one("30", "60", "100")); break;
      default: c.put(Q + leaf + ".capacity", modeOfTree.equals("weight") ? one("1w", "2w", "7w") : modeOfTree.equals("absolute") ? "[memory=" + minAlloc * in(1, 20) + ",vcores=" + in(1, 20) + "]" : one("10", "3w", "20")); break;
    }
    return s;
  }

  String current(String key, String otherwise) { return conf.has(Q + key) ? conf.get(Q + key).asText() : otherwise; }

  /** The next step, chosen with a view of the running judge. */
  ObjectNode next(Judge j, int step, int steps) {
    live.clear();
    for (Judge.AppState a : j.apps.values()) if (!a.ended) live.add(a.id);
    if (step % 40 == 39) finish = is("preemption") ? one(0.0, 0.01, 0.03) : one(0.0, 0.05, 0.15, 0.4);
    double r = rnd.nextDouble();
    int maxApps = is("single") ? 8 : is("preemption") ? 14 : 30;
    if (live.isEmpty() || (r < 0.10 && apps < maxApps)) return submit();
    if (r < 0.28) return ask(j, live.get(rnd.nextInt(live.size())));
    if (r < 0.30 && live.size() > 2) { ObjectNode s = Judge.JSON.createObjectNode(); s.put("do", "end"); s.put("app", live.get(rnd.nextInt(live.size()))); return s; }
    if (wild && r < 0.33 && p(0.5)) return wildRefresh();
    if (!wild && is("refresh") && r < 0.33) return refresh();
    if (is("nodes", "mix") && r < 0.32) {
      ObjectNode s = Judge.JSON.createObjectNode();
      if (p(0.5) || j.nodes.size() < 3) { s.put("do", "add"); s.set("node", node()); }
      else { List<String> names = new ArrayList<>(j.nodes.keySet()); s.put("do", "lose"); s.put("node", names.get(rnd.nextInt(names.size()))); }
      return s;
    }
    if (is("preemption") && r < 0.42) { ObjectNode s = Judge.JSON.createObjectNode(); s.put("do", "preempt"); return s; }
    return beat(j);
  }
}
