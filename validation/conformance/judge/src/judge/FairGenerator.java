package judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;

/** Random, seeded scenarios for the FairScheduler. A kind narrows what may vary; mix lets everything vary at once. */
class FairGenerator {
  static final String F = "yarn.scheduler.fair.";
  final Random rnd; final String kind; final boolean mix;
  final ObjectNode conf = Judge.JSON.createObjectNode();
  final Map<String, String> rackOf = new LinkedHashMap<>();
  final List<String> leaves = new ArrayList<>();
  int racks, nodeCount, users, minAlloc, maxMb, maxVc, apps, nodeSeq, clusterMb, clusterVc;
  boolean drf;
  double finish = 0.1;

  FairGenerator(String kind, long seed) {
    this.kind = kind; rnd = new Random(seed * 1_000_003L + kind.hashCode()); mix = kind.equals("fair-mix") || kind.equals("fair-preemption") || kind.equals("fair-conf");
  }

  boolean is(String... ks) { for (String k : ks) if (kind.equals("fair-" + k) || mix && !k.equals("preemption")) return true; return false; }
  int in(int lo, int hi) { return lo + rnd.nextInt(hi - lo + 1); }
  boolean p(double x) { return rnd.nextDouble() < x; }
  @SafeVarargs final <T> T one(T... xs) { return xs[rnd.nextInt(xs.length)]; }

  // ---- the allocation file ---------------------------------------------------------------
  String amount(double share) {
    int mb = Math.max(0, (int) (clusterMb * share)), vc = Math.max(0, (int) (clusterVc * share));
    switch (in(1, 5)) {
      case 1: return "memory-mb=" + mb + ", vcores=" + vc;
      case 2: return mb + " mb " + vc + " vcores";
      default: return mb + " mb, " + vc + " vcores";
    }
  }

  String most() {
    double share = one(0.1, 0.25, 0.4, 0.6, 0.9, 1.2);
    switch (in(1, 7)) {
      case 1: return one("25%", "50.5%", "75%", "33.3 %");
      case 2: return one("50% memory, 30% cpu", "20.5% cpu, 60% memory", "90%cpu,40%memory");
      case 3: return one("vcores=60%, memory-mb=40%", "memory-mb=35%", "vcores=50 %");
      case 4: return "memory-mb=" + (int) (clusterMb * share);
      default: return amount(share);
    }
  }

  void settings(StringBuilder b, String pad, boolean leaf) {
    if (is("queues", "policies", "reload", "nodes") && p(0.6) || p(0.2)) b.append(pad).append("<weight>").append(one("1", "2", "3.0", "0.5", "7.25", "1.1", p(0.3) ? "0" : "1")).append("</weight>\n");
    if (is("queues", "policies", "reload") && p(0.35)) b.append(pad).append("<minResources>").append(amount(one(0.05, 0.1, 0.2, 0.4))).append("</minResources>\n");
    if (is("queues", "limits", "reload", "nodes") && p(0.35)) b.append(pad).append("<maxResources>").append(most()).append("</maxResources>\n");
    if (is("limits", "reload") && p(0.35)) b.append(pad).append("<maxRunningApps>").append(in(1, 6)).append("</maxRunningApps>\n");
    if (leaf && is("limits", "reload") && p(0.4)) b.append(pad).append("<maxAMShare>").append(one("0.1", "0.3", "0.5", "1.0", "-1.0", "0.05", "1.7")).append("</maxAMShare>\n");
    else if (leaf && !is("limits")) b.append(pad).append("<maxAMShare>-1.0</maxAMShare>\n");
    if (is("place", "limits") && p(0.15)) b.append(pad).append("<maxChildResources>").append(most()).append("</maxChildResources>\n");
    if (is("limits") && p(0.15)) b.append(pad).append("<maxContainerAllocation>").append("memory-mb=" + minAlloc * in(1, 8) + ", vcores=" + in(1, 4)).append("</maxContainerAllocation>\n");
    if (kind.equals("fair-preemption") || mix && p(0.1)) {
      if (p(0.6)) b.append(pad).append("<minSharePreemptionTimeout>").append(one("0", "1", "5", "20")).append("</minSharePreemptionTimeout>\n");
      if (p(0.6)) b.append(pad).append("<fairSharePreemptionTimeout>").append(one("0", "1", "5", "30")).append("</fairSharePreemptionTimeout>\n");
      if (p(0.4)) b.append(pad).append("<fairSharePreemptionThreshold>").append(one("0.3", "0.8", "1.0", "2.0")).append("</fairSharePreemptionThreshold>\n");
      if (p(0.15)) b.append(pad).append("<allowPreemptionFrom>false</allowPreemptionFrom>\n");
    }
  }

  void queue(StringBuilder b, String path, String name, String pad, int depth, int budget, String parentPolicy) {
    String q = path + "." + name;
    boolean parent = depth < 3 && budget >= 2 && p(0.45) && !is("single") || mix && depth < 3 && budget >= 2 && p(0.5);
    b.append(pad).append("<").append(p(0.1) ? "pool" : "queue").append(" name=\"").append(name).append("\">\n");
    int at = b.lastIndexOf("<");
    String tag = b.substring(at + 1, b.indexOf(" ", at));
    String policy = null;
    if (is("policies", "reload") && p(0.6)) {
      policy = parent ? parentPolicy.equals("drf") ? one("drf", "fair") : "fair" : parentPolicy.equals("drf") ? one("drf", "fair", "fifo", "FIFO") : one("fair", "fifo");
      if (p(0.02)) policy = one("drf", "fifo");   // not allowed everywhere
      b.append(pad).append("  <schedulingPolicy>").append(policy).append("</schedulingPolicy>\n");
    }
    settings(b, pad + "  ", !parent);
    if (parent) {
      int n = Math.min(budget, in(1, 3));
      for (int i = 0; i < n; i++) queue(b, q, "" + name.charAt(0) + (char) ('p' + i), pad + "  ", depth + 1, budget / n, policy == null ? top : policy);
    } else leaves.add(q);
    b.append(pad).append("</").append(tag).append(">\n");
  }

  String top = "fair";

  String allocations() {
    leaves.clear();
    StringBuilder b = new StringBuilder("<?xml version=\"1.0\"?>\n<allocations>\n");
    if (is("policies", "reload") && p(0.5) || drf) {
      top = drf || p(0.5) ? "drf" : "fair";
      b.append("  <defaultQueueSchedulingPolicy>").append(top).append("</defaultQueueSchedulingPolicy>\n");
    } else top = "fair";
    if (is("single")) { b.append("  <queue name=\"a\">\n"); settings(b, "    ", true); b.append("  </queue>\n"); leaves.add("root.a"); }
    else {
      boolean root = p(0.2);
      String pad = root ? "    " : "  ";
      if (root) {
        b.append("  <queue name=\"root\">\n");
        if (is("limits") && p(0.3)) b.append("    <maxRunningApps>").append(in(3, 9)).append("</maxRunningApps>\n");
        if (is("queues", "limits") && p(0.3)) b.append("    <maxResources>").append(most()).append("</maxResources>\n");
      }
      int budget = in(2, 9), n = Math.min(budget, in(1, 4));
      for (int i = 0; i < n; i++) queue(b, "root", "" + (char) ('a' + i), pad, 1, budget / n, top);
      if (root) b.append("  </queue>\n");
    }
    if (is("limits", "reload")) {
      if (p(0.3)) b.append("  <userMaxAppsDefault>").append(in(1, 5)).append("</userMaxAppsDefault>\n");
      for (int u = 1; u <= users; u++) if (p(0.15)) b.append("  <user name=\"u" + u + "\"><maxRunningApps>" + in(0, 4) + "</maxRunningApps></user>\n");
      if (p(0.2)) b.append("  <queueMaxAppsDefault>").append(in(2, 8)).append("</queueMaxAppsDefault>\n");
      if (p(0.3)) b.append("  <queueMaxAMShareDefault>").append(one("0.2", "0.5", "0.8f", "-1.0", "1.0")).append("</queueMaxAMShareDefault>\n");
      if (p(0.15)) b.append("  <queueMaxResourcesDefault>").append(most()).append("</queueMaxResourcesDefault>\n");
    } else b.append("  <queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>\n");
    if (kind.equals("fair-preemption")) {
      if (p(0.7)) b.append("  <defaultMinSharePreemptionTimeout>").append(one("0", "3", "15")).append("</defaultMinSharePreemptionTimeout>\n");
      if (p(0.7)) b.append("  <defaultFairSharePreemptionTimeout>").append(one("0", "6", "25")).append("</defaultFairSharePreemptionTimeout>\n");
      if (p(0.4)) b.append("  <defaultFairSharePreemptionThreshold>").append(one("0.5", "0.9", "1.0")).append("</defaultFairSharePreemptionThreshold>\n");
    }
    if (is("place") && p(0.6)) placement(b);
    return b.append("</allocations>\n").toString();
  }

  void placement(StringBuilder b) {
    b.append("  <queuePlacementPolicy>\n");
    if (p(0.8)) b.append("    <rule name=\"specified\"" + one("", " create=\"false\"", " create=\"true\"") + "/>\n");
    switch (in(1, 5)) {
      case 1: b.append("    <rule name=\"user\"/>\n"); break;
      case 2: b.append("    <rule name=\"user\" create=\"false\"/>\n    <rule name=\"default\"" + one("", " queue=\"spare\"", " queue=\"root.a.spare\"") + "/>\n"); break;
      case 3:
        b.append("    <rule name=\"nestedUserQueue\"" + one("", " create=\"true\"") + "><rule name=\"default\" queue=\"byuser\"/></rule>\n");
        break;
      case 4: b.append("    <rule name=\"reject\"/>\n"); break;
      default: b.append("    <rule name=\"default\"/>\n"); break;
    }
    b.append("  </queuePlacementPolicy>\n");
  }

  /** A file with something unusual in it: much of it is refused. */
  String odd(String file) {
    String field = one("weight", "minResources", "maxResources", "maxRunningApps", "maxAMShare", "maxContainerAllocation", "maxChildResources", "schedulingPolicy",
        "minSharePreemptionTimeout", "fairSharePreemptionThreshold", "allowPreemptionFrom", "schedulingMode", "aclSubmitApps", "nonsense");
    String value = one("", " ", "5", "-1", "+3", "1.5", "abc", "0x10", "1e2", "3d", ".5", "5.", "99999999999", "1 000", "true", "drf", "FAIR", "FIFO", "lifo",
        "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.FairSharePolicy", "1024 mb", "1024mb,2vcores", "1024 mb, 2 vcores", "2 vcores, 1024 mb",
        "1024.7 mb 2.9 vcores", "-5 mb, 2 vcores", "5 mb, -2 vcores", "1024 MB , 2 VCORES", "memory-mb=1024", "vcores=2", "memory-mb=1024,vcores=2", "memory-mb=1024;vcores=2",
        "memory-mb = 1024 , vcores = 2", "memory=5", "memory-mb=-5", "memory-mb=50%", "memory-mb=50%,vcores=2", "50%", "50 %", "-5%", "50.5% memory, 20%cpu", "50% memory", "50% cpu, memory 20%",
        "150%", "%", "mb,vcores", "1 mb, 2 vcores, 3 gpu", ",", "=", "1024 mb, 2 vcores,", "5 vcores 10 mb 3", "1024 memory 2 vcores", "u1,u2", "*");
    if (field.equals("weight") && value.equals("-1")) value = "0"; // accepted here, refused there: docs/fair-scheduler.md
    String e = p(0.08) ? "<" + field + "/>" : p(0.08) ? "<" + field + "><!-- c -->" + value + "</" + field + ">" : "<" + field + ">" + value + "</" + field + ">";
    String end = "</allocations>", top = one("userMaxAppsDefault", "queueMaxAppsDefault", "queueMaxAMShareDefault", "defaultFairSharePreemptionTimeout", "fairSharePreemptionTimeout",
        "defaultMinSharePreemptionTimeout", "defaultFairSharePreemptionThreshold", "defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode", "queueMaxResourcesDefault", "other");
    switch (in(1, 11)) {
      case 1: case 2: case 3: case 4: return file.replaceFirst("</(queue|pool)>", java.util.regex.Matcher.quoteReplacement(e) + "</$1>");
      case 5: return file.replace(end, "<" + top + ">" + value + "</" + top + ">" + end);
      case 6: return file.replace(end, "<queue name=\"" + one("a b", " z ", "x.y", "", " ", "ROOT", "root", "default") + "\"" + one("", " type=\"parent\"", " type=\"leaf\"") + "/>" + end);
      case 7: return file.replaceFirst("<(queue|pool) name=\"(\\w+)\">", "<$1 name=\"$2\" type=\"parent\">");
      case 8: return file.replace(end, "<user name=\"u1\"><maxRunningApps>" + value + "</maxRunningApps></user>" + end);
      case 9: return file.replace(end, one("<queuePlacementPolicy/>", "<queuePlacementPolicy><rule name='nothing'/></queuePlacementPolicy>", "<queuePlacementPolicy><rule/></queuePlacementPolicy>",
          "<queuePlacementPolicy><rule name='default' queue='.x'/></queuePlacementPolicy>", "<queuePlacementPolicy><rule name='user' create='no'/></queuePlacementPolicy>",
          "<queuePlacementPolicy><rule name='reject'/><rule name='default'/></queuePlacementPolicy>", "<queuePlacementPolicy><other/></queuePlacementPolicy>",
          "<queuePlacementPolicy><rule name='nestedUserQueue'/></queuePlacementPolicy>", "<queuePlacementPolicy><rule name='specified'><rule name='default'/></rule><rule name='reject'/></queuePlacementPolicy>",
          "<queuePlacementPolicy><rule name='user'><rule name='user'/></rule></queuePlacementPolicy>", "<queuePlacementPolicy><rule name='user'><rule name='reject'/></rule></queuePlacementPolicy>") + end);
      case 10: return one(file.replace("allocations>", "allocation>"), file.replace(end, ""), "<!DOCTYPE a>" + file, file + "<x/>", file.replace("<allocations>", "<allocations>text"), "", file + "text");
      default: return file.replace(end, "<pool name=\"p1\"><ueue name=\"p2\"><maxAMShare>0.4</maxAMShare></ueue>" + (p(0.3) ? "<maxAMShare>0.4</maxAMShare>" : "") + "</pool>" + end);
    }
  }

  void oddProperty() {
    String key = one(F + "max.assign", F + "locality.threshold.node", F + "reservable-nodes", F + "assignmultiple", "yarn.scheduler.increment-allocation-mb", "yarn.scheduler.increment-allocation-vcores",
        "yarn.scheduler.minimum-allocation-mb", "yarn.scheduler.reservation-threshold.increment-multiple", "yarn.scheduler.maximum-allocation-vcores", "yarn.resource-types.memory-mb.increment-allocation", "yarn.resource-types.vcores.increment-allocation");
    String value = one("0", "1", "-1", "1.5", "abc", "", "512", " 7 ", "true", "100000");
    if (key.startsWith("yarn.resource-types.") && p(0.8))
      value = one("", "", " ") + one("1", "3", "512", "2048", "1000000", "3000000000") + one("", " ", "  ") + one("", "", "Mi", "Ki", "Gi", "k", "M", "G", "m", "u", "Ti", "P", "x", "mi", "p", " ");
    conf.put(key, value);
  }

  // ---- header ----------------------------------------------------------------------------
  ObjectNode header() {
    ObjectNode h = Judge.JSON.createObjectNode();
    drf = kind.equals("fair-drf") || mix && p(0.3);
    minAlloc = one(512, 1024, 1024, 256);
    maxMb = minAlloc * in(8, 16); maxVc = in(4, 16);
    conf.put("yarn.scheduler.minimum-allocation-mb", String.valueOf(minAlloc));
    conf.put("yarn.scheduler.maximum-allocation-mb", String.valueOf(maxMb));
    conf.put("yarn.scheduler.minimum-allocation-vcores", "1");
    conf.put("yarn.scheduler.maximum-allocation-vcores", String.valueOf(maxVc));
    if (p(0.7)) conf.put("yarn.scheduler.increment-allocation-mb", String.valueOf(one(minAlloc, minAlloc / 2, 512, 300)));
    if (is("reservation") && p(0.3)) conf.put("yarn.scheduler.increment-allocation-vcores", one("1", "2"));
    if (is("reservation")) {
      if (p(0.7)) conf.put("yarn.scheduler.reservation-threshold.increment-multiple", one("0", "1", "2", "3.5"));
      if (p(0.7)) conf.put(F + "reservable-nodes", one("0.05", "0.1", "0.5", "1.0", "0.34"));
    }
    if (is("locality") && p(0.85)) {
      conf.put(F + "locality.threshold.node", one("0", "0.1", "0.5", "1.0", "2.0", "-1.0", "0.3"));
      conf.put(F + "locality.threshold.rack", one("0", "0.1", "0.5", "1.0", "2.0", "0.7"));
    }
    if (is("assign", "locality", "reservation") && p(0.6)) {
      conf.put(F + "assignmultiple", "true");
      if (p(0.6)) conf.put(F + "dynamic.max.assign", one("true", "false", "false"));
      if (p(0.6)) conf.put(F + "max.assign", one("-1", "1", "2", "3", "0"));
    }
    if (is("assign") && p(0.3)) conf.put(F + "sizebasedweight", "true");
    if (is("place") && p(0.5)) conf.put(F + "user-as-default-queue", one("true", "false"));
    if (is("place") && p(0.4)) conf.put(F + "allow-undeclared-pools", one("true", "false"));
    if (kind.equals("fair-preemption")) {
      conf.put(F + "preemption", "true");
      conf.put(F + "preemption.cluster-utilization-threshold", one("0.0", "0.3", "0.6"));
      conf.put(F + "waitTimeBeforeKill", one("0", "3000", "15000"));
      conf.put(F + "waitTimeBeforeNextStarvationCheck", one("0", "2000", "10000"));
      conf.put(F + "am.preemption", "false");   // an application whose master is preempted gets a second attempt
    }
    racks = is("locality", "reservation") ? in(1, 4) : 1;
    nodeCount = is("single") && !mix ? in(1, 6) : is("reservation") && !mix ? in(3, 20) : in(2, 14);
    users = is("limits", "place") ? in(1, 6) : 2;
    ArrayNode ns = h.putArray("nodes");
    for (int i = 0; i < nodeCount; i++) ns.add(node());
    String file = allocations();
    if (kind.equals("fair-conf")) { for (int i = in(0, 2); i > 0; i--) file = odd(file); if (p(0.3)) oddProperty(); }
    h.put("allocations", file);
    h.set("conf", conf);
    return h;
  }

  ObjectNode node() {
    ObjectNode n = Judge.JSON.createObjectNode();
    String id = "n" + (++nodeSeq), rack = "/r" + in(1, racks);
    int mem = minAlloc * (is("reservation") ? in(4, 10) : in(6, 20)) + (p(0.1) ? in(1, minAlloc - 1) : 0);
    int vc = drf || is("policies") ? in(2, 14) : in(4, 32);
    n.put("id", id); n.put("rack", rack); n.put("memory", mem); n.put("vcores", vc);
    clusterMb += mem; clusterVc += vc;
    rackOf.put(id, rack);
    return n;
  }

  // ---- steps -----------------------------------------------------------------------------
  final Map<String, Map<Integer, int[]>> sizes = new HashMap<>();

  ObjectNode step(String what) { ObjectNode s = Judge.JSON.createObjectNode(); s.put("do", what); return s; }

  ObjectNode submit() {
    ObjectNode s = step("submit");
    s.put("app", "app" + (++apps)); s.put("user", "u" + in(1, users));
    String q = leaves.get(rnd.nextInt(leaves.size()));
    if (is("place") && p(0.35)) q = one("default", "new" + in(1, 3), "root.x.y" + in(1, 2), q + ".deeper", q.substring(0, q.lastIndexOf('.')), "root.default", "root.a.q" + in(1, 2));
    else if (p(0.1)) q = q.substring(5);
    s.put("queue", q);
    ArrayNode am = s.putArray("am"); am.add(minAlloc * in(1, is("limits") ? 4 : 2) - (p(0.2) ? in(1, 200) : 0)); am.add(drf ? in(1, 2) : 1);
    return s;
  }

  ObjectNode ask(FairJudge j, String app) {
    ObjectNode s = step("ask");
    s.put("app", app);
    ArrayNode asks = s.putArray("asks");
    List<Integer> pris = new ArrayList<>(Arrays.asList(5, 10, 20));
    Collections.shuffle(pris, rnd);
    for (int k = p(0.7) ? 1 : 2; k > 0; k--) {
      int pri = pris.get(k);
      if (mix && p(0.05)) sizes.remove(app);
      int[] size = sizes.computeIfAbsent(app, x -> new HashMap<>()).computeIfAbsent(pri, x -> new int[] {
          Math.min(maxMb, minAlloc * (is("reservation") ? in(1, 6) : in(1, 4)) - (p(0.3) ? in(1, 200) : 0)), drf || is("policies") ? in(1, Math.min(4, maxVc)) : 1});
      if (!is("locality") || p(mix ? 0.5 : 0.2)) { asks.add(row(pri, "*", size, p(0.05) ? 0 : kind.equals("fair-preemption") ? in(3, 40) : in(1, 12), true)); continue; }
      List<String> names = new ArrayList<>(j.nodes.keySet());
      Map<String, Integer> rackCount = new TreeMap<>(); int total = 0;
      Collections.shuffle(names, rnd);
      boolean strict = p(0.1), strictRack = strict && p(0.5);
      for (int i = 0; i < Math.min(names.size(), in(1, 5)); i++) {
        int c = in(1, 4); total += c;
        asks.add(row(pri, names.get(i), size, c, true));
        rackCount.merge(rackOf.get(names.get(i)), c, Integer::sum);
      }
      for (Map.Entry<String, Integer> e : rackCount.entrySet()) asks.add(row(pri, e.getKey(), size, e.getValue(), !strictRack));
      asks.add(row(pri, "*", size, Math.max(1, total / one(1, 2, 3)) + (p(0.3) ? in(0, 5) : 0), !strict));
    }
    if (mix && p(0.1)) for (com.fasterxml.jackson.databind.JsonNode r : asks) ((ObjectNode) r).put("alloc", 1);
    if (p(0.1)) { List<Integer> r = j.runningOf(j.apps.get(app)); if (!r.isEmpty()) s.putArray("release").add(r.get(rnd.nextInt(r.size()))); }
    return s;
  }

  ObjectNode row(int pri, String where, int[] size, int count, boolean relax) {
    ObjectNode r = Judge.JSON.createObjectNode();
    r.put("priority", pri); r.put("where", where); r.put("memory", size[0]); r.put("vcores", size[1]); r.put("count", count);
    if (!relax) r.put("relax", false);
    return r;
  }

  ObjectNode beat(FairJudge j) {
    ObjectNode s = step("beat");
    List<String> names = new ArrayList<>(j.nodes.keySet());
    String n = names.get(rnd.nextInt(names.size()));
    s.put("node", n);
    ArrayNode done = Judge.JSON.createArrayNode();
    for (Object[] c : j.runningOn(n)) if (p(finish)) done.addArray().add((String) c[0]).add((Integer) c[1]);
    if (done.size() > 0) s.set("done", done);
    return s;
  }

  ObjectNode next(FairJudge j, int step) {
    List<String> live = new ArrayList<>();
    for (FairJudge.App a : j.apps.values()) if (!a.ended) live.add(a.id);
    boolean preempting = kind.equals("fair-preemption");
    if (preempting && step == 0) finish = 0.01;
    if (step % 40 == 39) finish = preempting ? one(0.0, 0.01, 0.03) : one(0.0, 0.05, 0.15, 0.4);
    double r = rnd.nextDouble();
    int most = is("single") && !mix ? 8 : 30;
    if (live.isEmpty() && apps < 60 || r < 0.10 && apps < most) return submit();
    if (r < 0.25 && !live.isEmpty()) return ask(j, live.get(rnd.nextInt(live.size())));
    if (r < 0.27 && live.size() > 2) { ObjectNode s = step("end"); s.put("app", live.get(rnd.nextInt(live.size()))); return s; }
    if (r < 0.40) return step("update");
    if (is("reload") && r < 0.42) { ObjectNode s = step("refresh"); s.put("allocations", allocations()); return s; }
    if (is("nodes") && r < 0.44) {
      if (p(0.5) || j.nodes.size() < 3) { ObjectNode s = step("add"); s.set("node", node()); return s; }
      ObjectNode s = step("lose");
      List<String> names = new ArrayList<>(j.nodes.keySet());
      s.put("node", names.get(rnd.nextInt(names.size())));
      return s;
    }
    if (is("place", "reload") && r < 0.45) return step("tidy");
    if (preempting && r < 0.52) { if (p(0.5)) return step("preempt"); ObjectNode s = step("wait"); s.put("ms", one(500, 1000, 5000, 20000)); return s; }
    return beat(j);
  }
}
