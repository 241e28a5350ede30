package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.security.PrivilegedExceptionAction;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.protocolrecords.*;
import org.apache.hadoop.yarn.api.records.*;
import org.apache.hadoop.yarn.event.AsyncDispatcher;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.api.records.NodeHealthStatus;
import org.apache.hadoop.yarn.server.api.records.NodeStatus;
import org.apache.hadoop.yarn.server.resourcemanager.*;
import org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.*;
import org.apache.hadoop.yarn.util.Clock;
import org.apache.hadoop.yarn.util.resource.Resources;

/** Plays one scenario, step by step, against the real ResourceManager and its CapacityScheduler. */
public class Judge implements AutoCloseable {
  static final ObjectMapper JSON = new ObjectMapper();
  static final String P = CapacitySchedulerConfiguration.PREFIX;

  /** Delivers events in the calling thread, in order, only when asked: no races, same result every time. */
  static class StepDispatcher extends AsyncDispatcher {
    private final ArrayDeque<Event> queue = new ArrayDeque<>();
    private boolean draining;
    StepDispatcher() { super("step"); }
    @Override protected void serviceStart() {}
    @Override protected void serviceStop() {}
    @Override public EventHandler<Event> getEventHandler() { return e -> { synchronized (queue) { queue.add(e); } }; }
    void drain() {
      if (draining) return;
      draining = true;
      try {
        for (;;) {
          Event e;
          synchronized (queue) { e = queue.poll(); }
          if (e == null) return;
          dispatch(e);
        }
      } finally { draining = false; }
    }
  }

  /** Every decision passes through tryCommit: record it in order. */
  public static class RecordingScheduler extends CapacityScheduler {
    Judge judge; Threads threads;
    /** A failure while nodes change would end the ResourceManager: what a scenario records ends before. */
    @Override public void handle(SchedulerEvent event) {
      try { super.handle(event); }
      catch (RuntimeException e) { if (judge != null && event.getType().name().startsWith("NODE_")) judge.broken = e; throw e; }
    }
    @Override public void serviceInit(Configuration c) throws Exception { super.serviceInit(c); threads = Threads.takeOver(this); }
    @SuppressWarnings({"rawtypes", "unchecked"})
    @Override public boolean tryCommit(Resource cluster, ResourceCommitRequest r, boolean updatePending) {
      ObjectNode ev = judge == null ? null : judge.describe(r);
      boolean ok = super.tryCommit(cluster, r, updatePending);
      if (judge != null) judge.committed(ev, r, ok);
      if (judge != null && !ok && ++judge.refusals == ENDLESS) leaveBeat();
      return ok;
    }

    void commitNow(ResourceCommitRequest<?, ?> r) {
      writeLock.lock();
      try { tryCommit(getClusterResource(), r, true); } finally { writeLock.unlock(); }
    }

    /** Ends a beat that would go on without end, as if it had reached its limit of containers. */
    void leaveBeat() {
      judge.endless = true;
      try {
        java.lang.reflect.Field f = CapacityScheduler.class.getDeclaredField("assignMultipleEnabled");
        f.setAccessible(true);
        f.setBoolean(this, false);
      } catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }
    }
  }

  /**
   * So many proposals refused in one beat mean that it never ends: without a limit of containers a heartbeat
   * (maximum-container-assignments -1) the original tries a proposal that its commit refuses again and again.
   */
  static final int ENDLESS = 1000;

  /** The preemption policy or the scheduler itself failed, as its thread then would: what a scenario records ends before. */
  static class PolicyFailed extends RuntimeException { PolicyFailed(Throwable cause) { super(cause); } }

  static class StepClock implements Clock { long now = 1_000_000L; @Override public long getTime() { return now; } }

  static class NodeState { String id, ip; MockNM nm; int mem, vc; boolean draining; }
  static class AppState {
    String id, user; ApplicationId appId; ApplicationAttemptId attempt; MockAM am; boolean ended;
    final List<ContainerId> ordinals = new ArrayList<>();           // ordinal -> container
    final Map<ContainerId, Integer> ordinal = new HashMap<>();
  }

  final Map<String, NodeState> nodes = new LinkedHashMap<>();
  final Map<String, String> nodeByIp = new HashMap<>();
  final Map<String, AppState> apps = new LinkedHashMap<>();
  final Map<ApplicationAttemptId, AppState> byAttempt = new HashMap<>();
  final Map<ContainerId, String> reservedOn = new LinkedHashMap<>();
  StepDispatcher dispatcher; MockRM rm; RecordingScheduler cs; Configuration conf;
  ProportionalCapacityPreemptionPolicy preemption; final StepClock clock = new StepClock();
  ArrayNode events = JSON.createArrayNode();
  Map<String, String> lastQueue = new HashMap<>();
  int ipCounter = 0;
  String loadError;
  int refusals; boolean endless, failed;   // proposals refused in this step; whether it had to be ended, or the scheduler has failed: then the scenario is over
  final Set<String> needs = new TreeSet<>();
  FirstUse firstUse;   // null unless the scenario needs it
  final Partitions partitions;   // null without labels
  Candidates candidates;   // null where nodes are offered one by one
  long lastSubmit;   // wall clock, when an application had last been taken in

  Judge(JsonNode header) throws Exception {
    partitions = Partitions.of(header);
    if (header.has("needs")) for (JsonNode n : header.get("needs")) needs.add(n.asText());
    conf = base();
    conf.set("yarn.resourcemanager.scheduler.class", RecordingScheduler.class.getName());
    clear(SCRATCH.toFile());
    apply(conf, header.get("conf"));
    dispatcher = new StepDispatcher();
    try {
      rm = new FixedTimeRM(conf) {
        @Override protected Dispatcher createDispatcher() { return dispatcher == null ? (dispatcher = new StepDispatcher()) : dispatcher; }
        @Override protected RMNodeLabelsManager createNodeLabelManager() throws InstantiationException, IllegalAccessException {
          RMNodeLabelsManager m = super.createNodeLabelManager();
          try { return partitions == null ? m : partitions.declareTo(m); } catch (Exception e) { throw new IllegalStateException(e); }
        }
      };
      org.apache.log4j.Logger.getRootLogger().setLevel(org.apache.log4j.Level.OFF);
      rm.start();
      ((FixedTimeRM) rm).fixTime();
      cs = (RecordingScheduler) rm.getResourceScheduler();
      cs.judge = this;
      candidates = Candidates.takeOver(rm, cs);
      dispatcher.drain();
    } catch (Throwable t) { if (System.getenv("JUDGE_TRACE") != null) t.printStackTrace(); loadError = reason(t);
      if (loadError.startsWith("ServiceStateException")) throw new IllegalStateException("the ResourceManager did not start", t);   // not the scenario's fault
      return;
    }
    monitor();
    for (JsonNode n : header.withArray("nodes")) addNode(n);
    if (needs.contains("autoqueue")) { firstUse = new FirstUse(rm, cs); firstUse.begin(this); }
    queuesChanged();
  }

  /** Hadoop's defaults, parsed once. */
  static final Configuration DEFAULTS = Thrift.defaults();

  /** What holds for every scenario, before its own settings. */
  static Configuration base() {
    Configuration conf = new Configuration(DEFAULTS);
    conf.set("net.topology.node.switch.mapping.impl", RackOfAddress.class.getName());
    conf.setBoolean(P + "schedule-asynchronously.enable", false);
    conf.setLong("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", 0);   // the largest container follows the largest node at once
    conf.setInt("yarn.scheduler.skip.node.multiplier", 1_000_000);   // which nodes are late is said by the step
    conf.set("yarn.resourcemanager.am.max-attempts", "1");
    conf.set("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "1000");
    conf.set("yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval", "1000000000");
    conf.setLong("yarn.nm.liveness-monitor.expiry-interval-ms", 7_200_000L);
    conf.setLong("yarn.am.liveness-monitor.expiry-interval-ms", 7_200_000L);
    conf.setLong("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", 7_200_000L);
    conf.set("hadoop.tmp.dir", SCRATCH.toString());
    conf.set("yarn.node-labels.fs-store.root-dir", SCRATCH.resolve("labels").toUri().toString());
    return conf;
  }

  static void apply(Configuration conf, JsonNode c) {
    if (c != null) c.fields().forEachRemaining(e -> conf.set(e.getKey(), e.getValue().asText()));
  }

  /**
   * The ResourceManager's start time is part of every id and so of the order in which hash tables are walked. A fixed one makes
   * each run the same; the scheduler under test is built with the same figure.
   */
  static final long CLUSTER_TIMESTAMP = 1_500_000_000_000L;

  static class FixedTimeRM extends MockRM {
    FixedTimeRM(Configuration conf) { super(conf); }
    void fixTime() { setClusterTimeStamp(CLUSTER_TIMESTAMP); }
  }

  /** One scratch folder a process: judges may run side by side. */
  static final java.nio.file.Path SCRATCH = scratch();

  static java.nio.file.Path scratch() {
    try {
      java.nio.file.Path p = java.nio.file.Files.createTempDirectory("yarn-judge");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> { clear(p.toFile()); p.toFile().delete(); }));
      return p;
    } catch (java.io.IOException e) { throw new java.io.UncheckedIOException(e); }
  }

  static void clear(java.io.File dir) {
    java.io.File[] fs = dir.listFiles();
    if (fs != null) for (java.io.File f : fs) { if (f.isDirectory()) clear(f); f.delete(); }
  }

  static String reason(Throwable t) {
    Throwable c = t;
    while (c.getCause() != null && c.getCause() != c) c = c.getCause();
    return c.getClass().getSimpleName() + ": " + String.valueOf(c.getMessage()).replaceAll("\\s+", " ").replaceAll("application_\\d+_\\d+", "APP").replaceAll("appattempt_\\d+_\\d+_\\d+", "ATTEMPT");
  }

  void addNode(JsonNode n) throws Exception {
    NodeState s = new NodeState();
    s.id = n.get("id").asText(); s.mem = n.get("memory").asInt(); s.vc = n.get("vcores").asInt();
    int rack = Integer.parseInt(n.get("rack").asText().substring(2));   // "/r3"
    ipCounter++;
    s.ip = "127." + rack + "." + (ipCounter / 250) + "." + (1 + ipCounter % 250);
    nodeByIp.put(s.ip, s.id);
    s.nm = new MockNM(s.ip + ":1234", s.mem, s.vc, rm.getResourceTrackerService());
    if (n.has("label")) partitions.put(s.nm.getNodeId(), n.get("label").asText());
    s.nm.registerNode();
    dispatcher.drain();
    nodes.put(s.id, s);
  }

  String where(String logical) {
    NodeState n = nodes.get(logical);
    return n != null ? n.ip : logical;           // "*" and racks stay
  }

  // ---- recording -------------------------------------------------------------------------
  String nodeName(NodeId id) { return nodeByIp.get(id.getHost()); }

  ObjectNode describe(ResourceCommitRequest<?, ?> r) {
    ObjectNode ev = JSON.createObjectNode();
    ContainerAllocationProposal<?, ?> p = r.getFirstAllocatedOrReservedContainer();
    if (p != null) {
      SchedulerContainer<?, ?> c = p.getAllocatedOrReservedContainer();
      ev.put("kind", c.isAllocated() ? "allocate" : "reserve");
      ev.put("app", byAttempt.get(c.getSchedulerApplicationAttempt().getApplicationAttemptId()).id);
      ev.put("node", nodeName(c.getSchedulerNode().getNodeID()));
      ev.put("priority", c.getSchedulerRequestKey().getPriority().getPriority());
      ev.put("alloc", c.getSchedulerRequestKey().getAllocationRequestId());
      Resource res = p.getAllocatedOrReservedResource();
      ev.put("memory", res.getMemorySize()); ev.put("vcores", res.getVirtualCores());
      if (p.getAllocationLocalityType() != null) ev.put("locality", p.getAllocationLocalityType().toString());
      if (p.getAllocateFromReservedContainer() != null) ev.put("from", "reservation");
      if (!c.getNodePartition().isEmpty()) ev.put("partition", c.getNodePartition());
      if (p.getSchedulingMode() == SchedulingMode.IGNORE_PARTITION_EXCLUSIVITY) ev.put("shared", true);
      ArrayNode rel = JSON.createArrayNode(), kill = JSON.createArrayNode();
      for (SchedulerContainer<?, ?> x : p.getToRelease()) {
        AppState a = byAttempt.get(x.getSchedulerApplicationAttempt().getApplicationAttemptId());
        Integer o = a.ordinal.get(x.getRmContainer().getContainerId());   // none: still a reservation
        if (o == null) rel.add(nodeName(x.getSchedulerNode().getNodeID())); else kill.add(a.id + "#" + o);
      }
      if (rel.size() > 0) ev.set("unreserve", rel);
      if (kill.size() > 0) ev.set("kill", kill);
    }
    List<? extends SchedulerContainer<?, ?>> out = (List) r.getContainersToRelease();
    if (out != null && !out.isEmpty()) {
      ArrayNode rel = JSON.createArrayNode();
      for (SchedulerContainer<?, ?> x : out) {
        ObjectNode o = JSON.createObjectNode();
        o.put("app", byAttempt.get(x.getSchedulerApplicationAttempt().getApplicationAttemptId()).id);
        o.put("node", nodeName(x.getSchedulerNode().getNodeID()));
        rel.add(o);
      }
      if (p == null) ev.put("kind", "release");
      ev.set("release", rel);
    }
    return ev;
  }

  void committed(ObjectNode ev, ResourceCommitRequest<?, ?> r, boolean ok) {
    ContainerAllocationProposal<?, ?> p = r.getFirstAllocatedOrReservedContainer();
    if (cs.threads != null) ev.put("proposal", cs.threads.committing);
    if (ok && p != null && needs.contains("underutilized")) ages.born(p.getAllocatedOrReservedContainer().getRmContainer(), clock.now);
    if (!ok) ev.put("refused", true);
    else if (p != null && p.getAllocatedOrReservedContainer().isAllocated()) {
      SchedulerContainer<?, ?> c = p.getAllocatedOrReservedContainer();
      AppState a = byAttempt.get(c.getSchedulerApplicationAttempt().getApplicationAttemptId());
      ContainerId id = c.getRmContainer().getContainerId();
      a.ordinal.put(id, a.ordinals.size()); a.ordinals.add(id);
      ev.put("container", a.ordinals.size() - 1);
    }
    if (ev.size() > 0) events.add(ev);
  }

  static ArrayNode res(Resource r) { ArrayNode a = JSON.createArrayNode(); a.add(r.getMemorySize()); a.add(r.getVirtualCores()); return a; }

  void leaves(CSQueue q, List<CSQueue> out) {
    if (q instanceof AbstractLeafQueue) out.add(q);
    else if (q.getChildQueues() != null) for (CSQueue c : q.getChildQueues()) leaves(c, out);
  }

  void all(CSQueue q, List<CSQueue> out) {
    out.add(q);
    if (q.getChildQueues() != null) for (CSQueue c : q.getChildQueues()) all(c, out);
  }

  /** A float, or the text NaN, which JSON has no number for. */
  static void fraction(ObjectNode n, String name, float f) { if (Float.isNaN(f)) n.put(name, "NaN"); else n.put(name, f); }

  /** Configured and effective figures of every queue, in configuration order. */
  ObjectNode shape() {
    ObjectNode o = JSON.createObjectNode();
    List<CSQueue> qs = new ArrayList<>();
    all(cs.getRootQueue(), qs);
    for (CSQueue q : qs) {
      ObjectNode n = JSON.createObjectNode();
      fraction(n, "capacity", q.getCapacity()); fraction(n, "absolute", q.getAbsoluteCapacity());
      fraction(n, "maximum", q.getMaximumCapacity()); fraction(n, "absoluteMaximum", q.getAbsoluteMaximumCapacity());
      n.set("effectiveMin", res(q.getEffectiveCapacity(""))); n.set("effectiveMax", res(q.getEffectiveMaxCapacity("")));
      n.put("mode", q.getCapacityConfigType().toString()); n.put("state", q.getState().toString());
      if (q instanceof AbstractLeafQueue) {
        AbstractLeafQueue l = (AbstractLeafQueue) q;
        n.put("maxApplications", l.getMaxApplications()); n.put("maxApplicationsPerUser", l.getMaxApplicationsPerUser());
        n.put("userLimit", l.getUserLimit()); n.put("userLimitFactor", l.getUserLimitFactor());
        n.put("amPercent", l.getMaxAMResourcePerQueuePercent());
        n.put("localityDelay", l.getNodeLocalityDelay()); n.put("rackDelay", l.getRackLocalityAdditionalDelay());
        n.set("amLimit", res(l.calculateAndGetAMResourceLimit()));
        n.put("order", l.getOrderingPolicy().getClass().getSimpleName());
      }
      if (partitions != null) partitions.shape(q, n);
      o.set(q.getQueuePath(), n);
    }
    return o;
  }

  /** State of the leaves that changed since the last call. */
  ObjectNode queuesChanged() {
    ObjectNode o = JSON.createObjectNode();
    List<CSQueue> ls = new ArrayList<>();
    leaves(cs.getRootQueue(), ls);
    for (CSQueue q : ls) {
      AbstractLeafQueue l = (AbstractLeafQueue) q;
      ObjectNode n = JSON.createObjectNode();
      n.set("used", res(l.getQueueResourceUsage().getUsed()));
      n.set("reserved", res(l.getQueueResourceUsage().getReserved()));
      n.set("pending", res(l.getQueueResourceUsage().getPending()));
      n.set("amUsed", res(l.getQueueResourceUsage().getAMUsed()));
      if (partitions != null) partitions.figures(q, n);
      n.put("active", l.getNumActiveApplications()); n.put("waiting", l.getNumPendingApplications());
      String s = n.toString();
      if (!s.equals(lastQueue.get(q.getQueuePath()))) { lastQueue.put(q.getQueuePath(), s); o.set(q.getQueuePath(), n); }
    }
    return o;
  }

  // ---- steps -----------------------------------------------------------------------------
  ObjectNode step(JsonNode s) throws Exception {
    events = JSON.createArrayNode(); refusals = 0;
    ObjectNode out = JSON.createObjectNode();
    String what = s.get("do").asText();
    boolean mayLose = Arrays.asList("preempt", "lose", "leave", "refresh", "round", "commit", "label").contains(what) || what.equals("beat") && needs.contains("lazy")
        || what.equals("ask") && conf.getBoolean("yarn.resourcemanager.scheduler.autocorrect.container.allocation", false);
    Set<String> before = mayLose ? live() : null;
    switch (what) {
      case "submit": submit(s, out); break;
      case "ask": ask(s, out); break;
      case "beat": beat(s, out); break;
      case "end": end(s, out); break;
      case "add": addNode(s.get("node")); break;
      case "lose": lose(s); break;
      case "leave": leave(s); break;
      case "decommission": decommission(s); break;
      case "refresh": refresh(s, out); break;
      case "preempt": preempt(out); break;
      case "round": cs.threads.round(this, s, out); break;
      case "commit": cs.threads.commit(s.has("count") ? s.get("count").asInt() : Integer.MAX_VALUE); break;
      case "label": partitions.put(nodes.get(s.get("node").asText()).nm.getNodeId(), s.get("label").asText()); break;
      case "sort": candidates.sort(); break;
      case "expire": firstUse.expire(); break;
      case "manage": firstUse.manage(); break;
      default: throw new IllegalArgumentException(s.toString());
    }
    dispatcher.drain();
    if (broken != null) throw new PolicyFailed(broken);
    if (endless || failed) { out = JSON.createObjectNode(); out.put(failed ? "failed" : "endless", true); return out; }
    for (AppState a : apps.values()) if (!a.ended) {
      RMApp app = rm.getRMContext().getRMApps().get(a.appId);
      if (app != null && (app.getState() == RMAppState.FAILED || app.getState() == RMAppState.KILLED || app.getState() == RMAppState.FINISHED)) {
        a.ended = true;
        out.withArray("ended").add(a.id);
      }
    }
    if (mayLose) {
      before.removeAll(live());
      if (s.has("done")) for (JsonNode d : s.get("done")) before.remove(d.get(0).asText() + "#" + d.get(1).asInt());
      if (s.has("release")) for (JsonNode r : s.get("release")) before.remove(s.get("app").asText() + "#" + r.asInt());
      if (!before.isEmpty()) before.forEach(out.withArray("gone")::add);
    }
    if (events.size() > 0) out.set("events", events);
    if (cs.threads != null) cs.threads.report(out);
    if (firstUse != null) firstUse.report(this, out);
    ObjectNode q = queuesChanged();
    if (q.size() > 0) out.set("queues", q);
    if (System.getenv("JUDGE_DETAIL") != null) out.set("detail", detail());
    return out;
  }

  /** What a difference is usually about: AM limits, users' limits as last computed, missed opportunities of every request key. */
  ObjectNode detail() {
    ObjectNode o = JSON.createObjectNode();
    List<CSQueue> ls = new ArrayList<>();
    leaves(cs.getRootQueue(), ls);
    for (CSQueue q : ls) {
      AbstractLeafQueue l = (AbstractLeafQueue) q;
      ObjectNode n = ((ObjectNode) o.with("queues")).putObject(q.getQueuePath());
      n.put("usedCapacity", q.getUsedCapacity()); n.put("absoluteUsed", q.getAbsoluteUsedCapacity());
      n.set("amLimit", res(l.getAMResourceLimit()));
      n.put("activeUsers", l.getUsersManager().getNumActiveUsers()); n.put("waitingUsers", l.getUsersManager().getNumActiveUsersWithOnlyPendingApps()); n.put("usersRatio", l.getUsersManager().getUsageRatio(""));
      for (UserInfo u : l.getUsersManager().getUsersInfo()) {
        ObjectNode x = ((ObjectNode) n.with("users")).putObject(u.getUsername());
        x.set("limit", res(u.getUserResourceLimit().getResource()));
        x.set("used", res(u.getResourcesUsed().getResource()));
        x.put("active", u.getNumActiveApplications()); x.put("waiting", u.getNumPendingApplications());
      }
    }
    for (AppState a : apps.values()) {
      SchedulerApplicationAttempt sa = a.ended ? null : cs.getApplicationAttempt(a.attempt);
      if (sa == null) continue;
      ArrayNode keys = ((ObjectNode) o.with("apps")).putArray(a.id);
      for (org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey k : sa.getSchedulerKeys()) {
        ObjectNode x = keys.addObject();
        x.put("priority", k.getPriority().getPriority()); x.put("outstanding", sa.getOutstandingAsksCount(k));
        x.put("opportunities", sa.getSchedulingOpportunities(k)); x.put("reReservations", sa.getReReservations(k)); x.put("reserved", sa.getNumReservedContainers(k));
      }
    }
    return o;
  }

  void submit(JsonNode s, ObjectNode out) throws Exception {
    AppState a = new AppState();
    a.id = s.get("app").asText(); a.user = s.get("user").asText();
    while (System.currentTimeMillis() < lastSubmit + 2) Thread.sleep(1);   // start times order parallel-limited and fair apps: never let two tie
    UserGroupInformation ugi = UserGroupInformation.createRemoteUser(a.user);
    String error = ugi.doAs((PrivilegedExceptionAction<String>) () -> {
      ClientRMService c = rm.getClientRMService();
      a.appId = c.getNewApplication(GetNewApplicationRequest.newInstance()).getApplicationId();
      ApplicationSubmissionContext ctx = ApplicationSubmissionContext.newInstance(a.appId, a.id, s.has("queue") ? s.get("queue").asText() : null,
          s.has("priority") ? Priority.newInstance(s.get("priority").asInt()) : null,   // null: none is asked for
          ContainerLaunchContext.newInstance(new HashMap<>(), new HashMap<>(), new ArrayList<>(), new HashMap<>(), null, new HashMap<>()),
          false, true, 1, Resource.newInstance(s.get("am").get(0).asInt(), s.get("am").get(1).asInt()), "MAPREDUCE", false);
      if (s.has("label")) ctx.setNodeLabelExpression(s.get("label").asText());
      if (s.has("amLabel")) {
        ResourceRequest master = ResourceRequest.newInstance(Priority.newInstance(0), ResourceRequest.ANY, ctx.getResource(), 1);
        master.setNodeLabelExpression(s.get("amLabel").asText());
        ctx.setAMContainerResourceRequests(Collections.singletonList(master));
      }
      try { c.submitApplication(SubmitApplicationRequest.newInstance(ctx)); return null; }
      catch (Exception e) { return reason(e); }
    });
    if (error != null) { out.put("rejected", error); return; }
    dispatcher.drain();
    lastSubmit = System.currentTimeMillis();
    RMApp app = rm.getRMContext().getRMApps().get(a.appId);
    failed |= app.getState() != RMAppState.FAILED && app.getCurrentAppAttempt() == null;   // the scheduler has thrown: the ResourceManager stops, since 3.5 with the next change of its nodes
    if (app.getState() == RMAppState.FAILED || app.getCurrentAppAttempt() == null) { out.put("rejected", reason(new Exception(app.getDiagnostics().toString().trim()))); return; }
    a.attempt = app.getCurrentAppAttempt().getAppAttemptId();
    apps.put(a.id, a); byAttempt.put(a.attempt, a);
    out.put("state", app.getState().toString());
    if (firstUse != null) out.put("queue", ((CSQueue) cs.getApplicationAttempt(a.attempt).getQueue()).getQueuePath());
  }

  RMAppAttempt attempt(AppState a) { return rm.getRMContext().getRMApps().get(a.appId).getRMAppAttempt(a.attempt); }

  boolean register(AppState a) throws Exception {
    if (a.ended) return false;
    if (a.am != null) return true;
    if (attempt(a).getAppAttemptState() != RMAppAttemptState.ALLOCATED) return false;
    ((RMAppAttemptImpl) attempt(a)).setAMRMToken(rm.getRMContext().getAMRMTokenSecretManager().createAndGetAMRMToken(a.attempt));
    rm.getRMContext().getDispatcher().getEventHandler().handle(new RMAppAttemptEvent(a.attempt, RMAppAttemptEventType.LAUNCHED));
    dispatcher.drain();
    a.am = new MockAM(rm.getRMContext(), rm.getApplicationMasterService(), a.attempt);
    a.am.registerAppAttempt(false);
    dispatcher.drain();
    return true;
  }

  void ask(JsonNode s, ObjectNode out) throws Exception {
    AppState a = apps.get(s.get("app").asText());
    if (a == null || !register(a)) { out.put("ignored", true); return; }
    List<ResourceRequest> asks = new ArrayList<>();
    for (JsonNode r : s.withArray("asks")) {
      ResourceRequest q = ResourceRequest.newInstance(Priority.newInstance(r.get("priority").asInt()), where(r.get("where").asText()),
          Resource.newInstance(r.get("memory").asInt(), r.get("vcores").asInt()), r.get("count").asInt(), !r.has("relax") || r.get("relax").asBoolean());
      if (r.has("label")) q.setNodeLabelExpression(r.get("label").asText());
      q.setAllocationRequestId(r.has("alloc") ? r.get("alloc").asLong() : 0);
      asks.add(q);
    }
    List<ContainerId> rel = new ArrayList<>();
    if (s.has("release")) for (JsonNode r : s.get("release")) rel.add(a.ordinals.get(r.asInt()));
    AllocateResponse resp;
    try { resp = a.am.allocate(asks, rel); }
    catch (Exception e) { out.put("error", reason(e)); return; }
    out.set("headroom", res(resp.getAvailableResources()));
    TreeSet<Integer> got = new TreeSet<>(), gone = new TreeSet<>();
    for (Container c : resp.getAllocatedContainers()) got.add(a.ordinal.get(c.getId()));
    for (ContainerStatus c : resp.getCompletedContainersStatuses()) if (a.ordinal.containsKey(c.getContainerId())) gone.add(a.ordinal.get(c.getContainerId()));
    if (!got.isEmpty()) got.forEach(out.withArray("granted")::add);
    if (!gone.isEmpty()) gone.forEach(out.withArray("completed")::add);
  }

  void beat(JsonNode s, ObjectNode out) throws Exception {
    NodeState n = nodes.get(s.get("node").asText());
    Map<ApplicationId, List<ContainerStatus>> done = new LinkedHashMap<>();
    if (s.has("done")) for (JsonNode d : s.get("done")) {
      AppState a = apps.get(d.get(0).asText());
      ContainerId id = a.ordinals.get(d.get(1).asInt());
      done.computeIfAbsent(a.appId, k -> new ArrayList<>()).add(ContainerStatus.newInstance(id, ContainerState.COMPLETE, "", 0));
    }
    if (candidates != null) {
      for (SchedulerNode x : cs.getNodeTracker().getAllNodes()) x.notifyNodeUpdate();
      candidates.report(this, out);
    }
    if (n.draining) report(n, done); else n.nm.nodeHeartbeat(done, true);
    dispatcher.drain();
  }

  void end(JsonNode s, ObjectNode out) throws Exception {
    AppState a = apps.get(s.get("app").asText());
    if (a == null || a.ended) { out.put("ignored", true); return; }
    UserGroupInformation.getCurrentUser().doAs((PrivilegedExceptionAction<Object>) () -> rm.getClientRMService().forceKillApplication(KillApplicationRequest.newInstance(a.appId)));
    dispatcher.drain();
  }

  void lose(JsonNode s) throws Exception {
    NodeState n = nodes.remove(s.get("node").asText());
    Threads.silence(cs.getNode(n.nm.getNodeId()));   // policies may still list it
    rm.getRMContext().getDispatcher().getEventHandler().handle(new RMNodeEvent(n.nm.getNodeId(), RMNodeEventType.EXPIRE));
    dispatcher.drain();
  }

  /** The node is in the state DECOMMISSIONING until a step makes it leave: when that is due is not the scheduler's matter. */
  void decommission(JsonNode s) {
    NodeState n = nodes.get(s.get("node").asText());
    n.draining = true;
    rm.getRMContext().getDispatcher().getEventHandler().handle(new RMNodeDecommissioningEvent(n.nm.getNodeId(), null));
    dispatcher.drain();
  }

  /** The heartbeat of such a node, past the service that would decide whether it may leave: it keeps an application alive. */
  void report(NodeState n, Map<ApplicationId, List<ContainerStatus>> done) {
    List<ContainerStatus> all = new ArrayList<>();
    done.values().forEach(all::addAll);
    NodeStatus status = NodeStatus.newInstance(n.nm.getNodeId(), 0, all, Collections.singletonList(ApplicationId.newInstance(1, 999_999)),
        NodeHealthStatus.newInstance(true, "", System.currentTimeMillis()), null, null, null);
    rm.getRMContext().getDispatcher().getEventHandler().handle(new RMNodeStatusEvent(n.nm.getNodeId(), status));
  }

  /** Decommissioned: what still runs there is killed. */
  void leave(JsonNode s) throws Exception {
    NodeState n = nodes.remove(s.get("node").asText());
    Threads.silence(cs.getNode(n.nm.getNodeId()));
    rm.getRMContext().getDispatcher().getEventHandler().handle(new RMNodeEvent(n.nm.getNodeId(), RMNodeEventType.DECOMMISSION));
    dispatcher.drain();
  }

  void refresh(JsonNode s, ObjectNode out) throws Exception {
    Configuration before = new Configuration(conf);
    if (!s.has("request") || !Request.apply(conf, s.get("request"), out)) {   // else changes of the same meaning
      apply(conf, s.get("conf"));
      if (s.has("unset")) for (JsonNode k : s.get("unset")) conf.unset(k.asText());
    }
    try { cs.reinitialize(conf, rm.getRMContext()); out.put("loaded", true); out.set("shape", shape()); }
    catch (Throwable t) { out.put("rejected", reason(t)); conf = before; try { cs.reinitialize(conf, rm.getRMContext()); } catch (Throwable u) { out.put("backFailed", reason(u)); } }
  }

  /** The policy, if the monitor is on: from the start, or from a refresh on that stands for a restart. */
  void monitor() {
    if (preemption == null && conf.getBoolean("yarn.resourcemanager.scheduler.monitor.enable", false))
      preemption = new ProportionalCapacityPreemptionPolicy(rm.getRMContext(), cs, clock);
  }

  void preempt(ObjectNode out) {
    clock.now += 3000;
    monitor();
    if (preemption == null) return;
    Map<ContainerId, String> reserved = reservations();
    if (needs.contains("underutilized")) ages.set(clock.now);
    try { preemption.editSchedule(); } catch (RuntimeException e) { throw new PolicyFailed(e); }
    if (needs.contains("underutilized")) reservations().forEach((c, n) -> {
      if (reserved.containsKey(c) && !reserved.get(c).equals(n)) out.withArray("moved").addArray().add(byAttempt.get(c.getApplicationAttemptId()).id).add(reserved.get(c)).add(n);
    });
    ArrayNode sel = JSON.createArrayNode();
    List<String> names = new ArrayList<>();
    for (RMContainer c : preemption.getToPreemptContainers().keySet()) {
      AppState a = byAttempt.get(c.getApplicationAttemptId());
      Integer o = a.ordinal.get(c.getContainerId());
      names.add(a.id + "#" + (o == null ? "reserved@" + nodeName(c.getNodeId() == null ? c.getReservedNode() : c.getNodeId()) : o.toString()));
    }
    Collections.sort(names);
    names.forEach(sel::add);
    out.set("selected", sel);
    dispatcher.drain();
    if (needs.contains("lazy")) killable(out);
  }

  final Ages ages = new Ages();
  RuntimeException broken;   // what the scheduler failed with

  /** Where containers are reserved. */
  Map<ContainerId, String> reservations() {
    Map<ContainerId, String> out = new LinkedHashMap<>();
    for (NodeState n : nodes.values()) {
      org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode x = cs.getNode(n.nm.getNodeId());
      if (x != null && x.getReservedContainer() != null) out.put(x.getReservedContainer().getContainerId(), n.id);
    }
    return out;
  }

  /** Containers that proposals may kill. */
  void killable(ObjectNode out) {
    Set<String> names = new TreeSet<>();
    List<String> labels = new ArrayList<>(List.of(""));
    if (partitions != null) labels.addAll(partitions.names);
    List<CSQueue> ls = new ArrayList<>();
    leaves(cs.getRootQueue(), ls);
    for (CSQueue q : ls) for (String key : new String[] {q.getQueuePath(), q.getQueueName()})   // before 3.4 by its short name
      for (String label : labels)
        for (ContainerId c : cs.getPreemptionManager().getKillableContainersMap(key, label).keySet()) {
          AppState a = byAttempt.get(c.getApplicationAttemptId());
          if (a.ordinal.containsKey(c)) names.add(a.id + "#" + a.ordinal.get(c));   // else still a reservation
        }
    ArrayNode list = out.putArray("killable");
    names.forEach(list::add);
  }

  /** Containers of live apps now on a node: [app, ordinal], AM excluded. */
  List<Object[]> runningOn(String node) {
    List<Object[]> out = new ArrayList<>();
    NodeState n = nodes.get(node);
    for (AppState a : apps.values()) {
      if (a.ended) continue;
      SchedulerApplicationAttempt sa = cs.getApplicationAttempt(a.attempt);
      if (sa == null) continue;
      for (int i = 1; i < a.ordinals.size(); i++) {
        RMContainer c = sa.getRMContainer(a.ordinals.get(i));
        if (c != null && c.getContainer().getNodeId().equals(n.nm.getNodeId())) out.add(new Object[] {a.id, i});
      }
    }
    return out;
  }

  /** Every live container as app#ordinal. */
  Set<String> live() {
    Set<String> out = new TreeSet<>();
    for (AppState a : apps.values()) {
      SchedulerApplicationAttempt sa = a.ended ? null : cs.getApplicationAttempt(a.attempt);
      if (sa != null) for (RMContainer c : sa.getLiveContainers()) out.add(a.id + "#" + a.ordinal.get(c.getContainerId()));
    }
    return out;
  }

  /** Ordinals of an app's live containers, AM excluded. */
  List<Integer> runningOf(AppState a) {
    List<Integer> out = new ArrayList<>();
    SchedulerApplicationAttempt sa = cs.getApplicationAttempt(a.attempt);
    if (sa != null && !a.ended) for (int i = 1; i < a.ordinals.size(); i++) if (sa.getRMContainer(a.ordinals.get(i)) != null) out.add(i);
    return out;
  }

  @Override public void close() { try { if (rm != null) rm.stop(); } catch (Throwable t) { /* nothing to save */ } }
}
