package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.*;

/**
 * Forms of capacity and of queues that newer releases have: vectors (each resource in a unit of its own, queue mode
 * without legacy rules), first-use (queues made by managed and flexible parents, placement rules, removal), and conf-forms
 * (what of both loads; no steps).
 */
class FormsGenerator extends Generator {
  static final List<String> KINDS = Arrays.asList("vectors", "first-use", "conf-forms");
  final boolean firstUse; boolean flexible, mixedModes;
  final List<String> named = new ArrayList<>();   // what submissions ask for
  long clusterMb, clusterVc; boolean rules;

  FormsGenerator(String kind, long seed) {
    super(kind, seed);
    firstUse = kind.equals("first-use") || kind.equals("conf-forms") && p(0.5);
  }

  @Override boolean is(String... ks) {
    for (String k : ks) if (kind == null || k.equals(kind) || k.equals("users") || k.equals("nodes")) return true;
    return false;
  }

  @Override ObjectNode header() {
    ObjectNode h = Judge.JSON.createObjectNode();
    h.putArray("needs").add(firstUse ? "autoqueue" : "flexible");
    ObjectNode body;
    if (firstUse) body = madeQueues(); else {
      body = super.header();
      measure(body.withArray("nodes"));
      vectors();
    }
    if (kind.equals("conf-forms") && p(0.6)) disturb();
    h.setAll(body);
    h.set("conf", conf);
    return h;
  }

  void measure(ArrayNode nodes) {
    for (JsonNode n : nodes) { clusterMb += n.get("memory").asLong(); clusterVc += n.get("vcores").asLong(); }
  }

  // ---- capacities -------------------------------------------------------------------------
  void vectors() {
    conf.put(Q + "legacy-queue-mode.enabled", "false");
    dominant = p(0.7);
    conf.put(Q + "resource-calculator", "org.apache.hadoop.yarn.util.resource." + (dominant ? "Dominant" : "Default") + "ResourceCalculator");
    for (String q : queues) {
      conf.put(Q + q + ".capacity", form(q));
      if (p(0.35)) conf.put(Q + q + ".maximum-capacity", p(0.4) ? num(in(30, 100)) : vector(ceiling(clusterMb), ceiling(clusterVc)));
      else conf.remove(Q + q + ".maximum-capacity");
    }
    if (p(0.1)) conf.remove(Q + one(queues.toArray(new String[0])) + ".capacity");
  }

  String form(String q) {
    int depth = q.split("\\.").length - 1;
    double part = rnd.nextDouble() * 0.9 / depth;
    switch (in(1, 6)) {
      case 1: return num(in(1, 60));
      case 2: return one("1w", "2w", "0.3w", "7w", "0w");
      case 3: return vector(String.valueOf((long) (clusterMb * part)), String.valueOf((long) (clusterVc * part)));
      default: return vector(amount((long) (clusterMb * part)), amount((long) (clusterVc * part)));
    }
  }

  String vector(String memory, String vcores) { return p(0.2) ? "[vcores=" + vcores + ", memory=" + memory + "]" : "[memory=" + memory + ",vcores=" + vcores + "]"; }
  String amount(long most) { return one(in(1, 70) + "%", one("1", "2", "0.5", "5") + "w", String.valueOf(Math.max(1, most))); }
  String ceiling(long all) { return p(0.5) ? in(30, 100) + "%" : String.valueOf((long) (all * (0.2 + 0.8 * rnd.nextDouble()))); }

  // ---- queues made on first use -----------------------------------------------------------
  ObjectNode madeQueues() {
    ObjectNode h = Judge.JSON.createObjectNode();
    dominant = p(0.4);
    minAlloc = one(256, 512, 1024); maxMb = minAlloc * in(8, 16); maxVc = in(4, 16);
    racks = 1; nodeCount = in(2, 10); users = in(2, 8);
    conf.put("yarn.scheduler.minimum-allocation-mb", String.valueOf(minAlloc));
    conf.put("yarn.scheduler.maximum-allocation-mb", String.valueOf(maxMb));
    conf.put("yarn.scheduler.maximum-allocation-vcores", String.valueOf(maxVc));
    conf.put(Q + "resource-calculator", "org.apache.hadoop.yarn.util.resource." + (dominant ? "Dominant" : "Default") + "ResourceCalculator");
    conf.put(Q + "maximum-am-resource-percent", one("0.2", "0.5", "1.0"));
    ArrayNode nodes = h.putArray("nodes");
    for (int i = 0; i < nodeCount; i++) nodes.add(node());
    measure(nodes);
    flexible = p(0.55);
    mixedModes = flexible && p(0.25);
    if (mixedModes) conf.put(Q + "legacy-queue-mode.enabled", "false");
    List<String> top = new ArrayList<>(Arrays.asList("etl", "pool"));
    if (p(0.5)) top.add("lab");
    if (p(0.6)) top.add("default");
    conf.put(Q + "root.queues", String.join(",", top));
    double[] c = split(top.size());
    for (int i = 0; i < top.size(); i++) {
      String q = "root." + top.get(i);
      queues.add(q);
      conf.put(Q + q + ".capacity", flexible ? mixedModes && p(0.5) ? form(q) : one("1w", "2w", "5w") : num(c[i]));
      if (q.equals("root.etl") || q.equals("root.default")) leaves.add(q); else if (flexible) flexibleParent(q); else managedParent(q);
    }
    if (flexible && p(0.2)) { conf.put(Q + "root.auto-queue-creation-v2.enabled", "true"); named.add("root.fresh"); named.add("root.fresh.u1"); }
    if (p(0.3)) conf.put(Q + "auto-queue-creation-v2.maximum-queue-depth", one("1", "3", "4"));
    named.addAll(Arrays.asList("etl", "root.etl", "nosuch", "root.pool", "root.nosuch.q", "pool", "root.pool.a.b.c"));
    for (int u = 1; u <= users; u++) for (String q : queues) if (!leaves.contains(q)) { named.add(q + ".u" + u); if (flexible) named.add(q + ".g" + u % 3 + ".u" + u); }
    if (p(0.75)) mappings();
    return h;
  }

  void managedParent(String q) {
    String a = Q + q + ".auto-create-child-queue.", t = Q + q + ".leaf-queue-template.";
    conf.put(a + "enabled", "true");
    conf.put(t + "capacity", one("5", "20", "33.3", "50", "70", "100"));
    if (p(0.4)) conf.put(t + "maximum-capacity", one("40", "75", "100"));
    if (p(0.4)) conf.put(t + "user-limit-factor", one("0.5", "2", "-1"));
    if (p(0.3)) conf.put(t + "minimum-user-limit-percent", one("20", "60"));
    if (p(0.3)) conf.put(t + "maximum-applications", one("2", "10"));
    if (p(0.3)) conf.put(t + "ordering-policy", "fair");
    if (p(0.3)) conf.put(a + "fail-on-exceeding-parent-capacity", "true");
    if (p(0.2)) conf.put(a + "max-queues", one("1", "2", "5"));
  }

  void flexibleParent(String q) {
    String v = Q + q + ".auto-queue-creation-v2.";
    conf.put(v + "enabled", "true");
    if (p(0.5)) conf.put(v + "template.capacity", mixedModes && p(0.6) ? vector(amount(clusterMb / 8), amount(clusterVc / 8)) : one("1w", "3w", "0.5w"));
    if (p(0.3)) conf.put(v + "template.maximum-capacity", one("30", "60", "90"));
    if (p(0.3)) conf.put(v + "leaf-template.user-limit-factor", one("0.5", "1", "3"));
    if (p(0.3)) conf.put(v + "leaf-template.maximum-am-resource-percent", one("0.1", "0.4"));
    if (p(0.2)) conf.put(v + "leaf-template.maximum-applications", one("1", "3"));
    if (p(0.2)) conf.put(v + "leaf-template.ordering-policy", "fair");
    if (p(0.2)) conf.put(v + "parent-template.capacity", one("1w", "4w"));
    if (p(0.2)) conf.put(Q + q + ".*.auto-queue-creation-v2.leaf-template.capacity", one("2w", "6w"));
    if (p(0.15)) conf.put(Q + "root.*.auto-queue-creation-v2.template.capacity", "9w");
    if (p(0.3)) conf.put(v + "maximum-queue-depth", one("1", "2", "3"));
    if (p(0.2)) conf.put(v + "max-queues", one("1", "3"));
    if (p(0.1)) conf.put(Q + q + ".u1.user-limit-factor", "4");
    if (p(0.1)) conf.put(v + "template.auto-queue-creation-v2.queue-auto-removal.enable", "false");
  }

  void mappings() {
    rules = true;
    if (p(0.5)) conf.put(Q + "queue-mappings-override.enable", one("true", "true", "false"));
    if (p(0.5)) {
      List<String> ms = new ArrayList<>();
      for (int i = in(1, 4); i > 0; i--) ms.add(one("u:%user:root.pool.%user", "u:u1:root.etl", "g:g2:root.pool.%primary_group", "g:s0:etl", "u:%user:pool.%user", "u:u2:pool.special", "u:%user:%primary_group", "u:%user:root.pool.%secondary_group.%user", "u:%user:%specified"));
      conf.put(Q + "queue-mappings", String.join(",", ms));
      if (p(0.2)) conf.put("yarn.scheduler.queue-placement-rules.app-name", one("app2:root.etl", "app3:root.pool.%application"));
      return;
    }
    ObjectNode doc = Judge.JSON.createObjectNode();
    ArrayNode list = doc.putArray("rules");
    for (int i = in(1, 5); i > 0; i--) {
      ObjectNode r = list.addObject();
      String type = one("user", "user", "user", "group", "application");
      r.put("type", type);
      r.put("matches", type.equals("group") ? one("g0", "g2", "s1") : type.equals("application") ? one("app1", "app4") : one("*", "*", "u2", "%application"));
      String policy = one("user", "primaryGroup", "primaryGroupUser", "secondaryGroup", "secondaryGroupUser", "applicationName", "specified", "defaultQueue", "setDefaultQueue", "custom", p(0.1) ? "reject" : "user");
      r.put("policy", policy);
      if (policy.equals("custom")) r.put("customPlacement", one("root.etl", "root.pool.%user", "pool.%application", "%specified", "%default"));
      else if (policy.equals("setDefaultQueue")) r.put("value", one("root.etl", "root.pool.%user", "root.nosuch"));
      else if (!policy.equals("specified") && !policy.equals("defaultQueue") && !policy.equals("reject") && p(0.85)) r.put("parentQueue", one("root.pool", "pool", "root"));
      if (p(0.5)) r.put("fallbackResult", one("skip", "placeDefault", "reject"));
      if (p(0.4)) r.put("create", p(0.5));
    }
    conf.put(Q + "mapping-rule-format", "json");
    conf.put(Q + "mapping-rule-json", doc.toString());
  }

  /** Changes a configuration so that it may no longer load. */
  void disturb() {
    String q = queues.get(rnd.nextInt(queues.size())), key = Q + q + ".capacity";
    if (firstUse) switch (in(1, 11)) {
      case 1: conf.put(Q + "root.pool.leaf-queue-template.capacity", one("120", "-3", "q", "2w", "[memory=512,vcores=1]")); break;
      case 2: conf.put(Q + "root.pool.auto-create-child-queue.management-policy", "org.example.Policy"); break;
      case 3: conf.put(Q + "root.pool.auto-queue-creation-v2.maximum-queue-depth", one("q", "0", "-1")); break;
      case 4: conf.put(Q + "queue-mappings", one("u:u1", "q:u1:root.etl", "u:u1:nosuch", "u:u1:root", "u:u1:root.etl.%user", "g:g1:root.nosuch.%user", "u::root.etl", "u:u1:..x", "u:%user:root..%user", " ")); conf.remove(Q + "mapping-rule-format"); break;
      case 5: conf.put(Q + "mapping-rule-format", one("JSON", "json", "")); conf.put(Q + "mapping-rule-json", one("[]", "{\"rules\":{}}", "{\"rules\":[{\"type\":\"user\",\"matches\":\"*\",\"policy\":\"user\",\"create\":\"maybe\"}]}", "{\"rules\":[{\"type\":\"users\",\"matches\":\"*\",\"policy\":\"user\"}]}", "{\"rules\":[{\"type\":\"user\",\"matches\":\"\",\"policy\":\"user\"}]}", "{\"rules\":[{\"type\":\"user\",\"matches\":\"*\",\"policy\":\"custom\",\"customPlacement\":\"\"}]}", "{\"rules\":[{\"type\":\"user\",\"matches\":\"*\",\"policy\":\"user\",\"fallbackResult\":\"maybe\"}]}", "{\"rules\":[{\"type\":\"user\",\"matches\":7,\"policy\":\"user\",\"parentQueue\":\"root.etl\"}]}")); break;
      case 6: conf.put(Q + "root.pool.queues", "fixed"); conf.put(Q + "root.pool.fixed.capacity", one("100", "1w", "0", "50")); break;
      case 7: conf.put(Q + "root.pool.auto-queue-creation-v2.enabled", "true"); conf.put(Q + "root.pool.auto-create-child-queue.enabled", "true"); break;
      case 8: conf.put(key, one("1w", "30", "[memory=1024,vcores=1]", "0")); break;
      case 9: conf.put("yarn.scheduler.queue-placement-rules", one("user-group,user-group", "app-name", "user-group,app-name", "")); break;
      case 10: conf.put(Q + "root.pool.reservable", "true"); break;
      default: conf.put(Q + "root.queues", ""); if (p(0.5)) conf.put(Q + "root.auto-queue-creation-v2.enabled", "true"); break;
    } else switch (in(1, 10)) {
      case 1: conf.put(key, one("[memory=10%]", "[vcores=3w]", "[memory=0%,vcores=10%]", "[gpu=1,memory=1024]", "[memory=1.5Gi,vcores=1]", "[memory=2048M,vcores=1]")); break;
      case 2: conf.put(key, one("[memory=10%,vcores=1", "[memory]", "10%", "w", "1.5.5", "0x10", "1e1", "+5", "5f", "NaN")); break;
      case 3: conf.put(Q + q + ".maximum-capacity", one("[memory=1w,vcores=1w]", "[memory=100%]", "3w", "[memory=1024]", "NaN", "", "200")); break;
      case 4: conf.put(Q + "legacy-queue-mode.enabled", one("true", "yes", "")); break;
      case 5: conf.put(Q + "legacy-queue-mode.enabled", "true"); for (String x : queues) { conf.put(Q + x + ".capacity", one("[memory=2w,vcores=2w]", "2w", "1w")); conf.remove(Q + x + ".maximum-capacity"); } break;
      case 6: conf.put(Q + "legacy-queue-mode.enabled", "true"); for (String x : queues) { conf.put(Q + x + ".capacity", one("[memory=0,vcores=3]", "[memory=1024,vcores=1]", "[vcores=1]")); conf.remove(Q + x + ".maximum-capacity"); } break;
      case 7: conf.put(Q + "root.capacity", one("5", "[memory=5%,vcores=5%]", "2w")); break;
      case 8: conf.put(Q + "root.maximum-capacity", one("50", "[memory=1024,vcores=1]", "2w")); break;
      case 9: for (String x : queues) conf.remove(Q + x + ".capacity"); break;
      default: conf.put(key, one("100.5", "-0.1", "0", "10001w", "-2w")); break;
    }
  }

  // ---- steps ---------------------------------------------------------------------------------
  @Override ObjectNode submit() {
    if (!firstUse) return super.submit();
    ObjectNode s = Judge.JSON.createObjectNode();
    s.put("do", "submit"); s.put("app", "app" + (++apps));
    String user = "u" + in(1, users);
    s.put("user", user);
    if (p(rules ? 0.5 : 0.97)) {
      double r = rnd.nextDouble();
      s.put("queue", r < 0.1 ? "default" : r < 0.4 ? "root.pool." + user : r < 0.55 ? one(leaves.toArray(new String[0])) : named.get(rnd.nextInt(named.size())));
    }
    s.put("priority", 0);
    ArrayNode am = s.putArray("am"); am.add(minAlloc * in(1, 2)); am.add(1);
    return s;
  }

  @Override ObjectNode next(Judge j, int step, int steps) {
    double r = rnd.nextDouble();
    ObjectNode s = Judge.JSON.createObjectNode();
    if (firstUse && r < 0.05) return s.put("do", flexible ? "expire" : "manage");
    if (r < (firstUse ? 0.07 : 0.02)) return change(j);
    return super.next(j, step, steps);
  }

  /** A refresh. */
  ObjectNode change(Judge j) {
    ObjectNode s = Judge.JSON.createObjectNode();
    s.put("do", "refresh"); ObjectNode c = s.putObject("conf");
    String q = queues.get(rnd.nextInt(queues.size()));
    if (!firstUse) {
      for (int i = in(1, 3); i > 0; i--) { q = queues.get(rnd.nextInt(queues.size())); c.put(Q + q + ".capacity", form(q)); }
      if (p(0.3)) c.put(Q + q + ".maximum-capacity", p(0.5) ? num(in(30, 100)) : vector(ceiling(clusterMb), ceiling(clusterVc)));
      if (p(0.1)) s.putArray("unset").add(Q + q + ".capacity");
      return s;
    }
    if (flexible) {
      c.put(Q + q + ".capacity", mixedModes ? form(q) : one("1w", "3w", "8w"));
      if (p(0.4)) c.put(Q + "root.pool.auto-queue-creation-v2.template.capacity", one("1w", "4w"));
      if (p(0.3)) c.put(Q + "root.pool.auto-queue-creation-v2.leaf-template.minimum-user-limit-percent", one("10", "70"));
      if (p(0.2)) c.put(Q + "root.pool.auto-queue-creation-v2.max-queues", one("2", "9"));
      // The queues of a managed parent that a refresh lists belong to no tree in the original.
      if (p(0.15) && !conf.has(Q + "root.pool.auto-create-child-queue.enabled")) { c.put(Q + "root.pool.queues", "u1"); c.put(Q + "root.pool.u1.capacity", one("2w", "1w")); }
      return s;
    }
    String[] names = conf.get(Q + "root.queues").asText().split(",");
    double[] w = split(names.length);
    for (int i = 0; i < names.length; i++) c.put(Q + "root." + names[i] + ".capacity", num(w[i]));
    if (p(0.4)) c.put(Q + "root.pool.leaf-queue-template.capacity", one("10", "45", "80"));
    if (p(0.3)) c.put(Q + "root.pool.leaf-queue-template.user-limit-factor", one("1", "5"));
    if (p(0.2)) c.put(Q + "root.pool.auto-create-child-queue.fail-on-exceeding-parent-capacity", one("true", "false"));
    return s;
  }
}
