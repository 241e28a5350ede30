package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.protocolrecords.*;
import org.apache.hadoop.yarn.api.records.*;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.server.resourcemanager.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.*;

/** Plays one scenario, step by step, against the real ResourceManager and its FairScheduler. */
class FairJudge implements AutoCloseable, FairRecorder.Listener {
  static class Node { String id, ip; MockNM nm; }
  static class App {
    String id, user; ApplicationId appId; ApplicationAttemptId attempt; MockAM am; boolean ended;
    final List<ContainerId> ordinals = new ArrayList<>();
    final Map<ContainerId, Integer> ordinal = new HashMap<>();
  }
  static class Kill { long due; RMContainer c; Kill(long due, RMContainer c) { this.due = due; this.c = c; } }

  final Map<String, Node> nodes = new LinkedHashMap<>();
  final Map<String, String> nodeByIp = new HashMap<>();
  final Map<String, App> apps = new LinkedHashMap<>();
  final Map<ApplicationAttemptId, App> byAttempt = new HashMap<>();
  final List<Kill> kills = new ArrayList<>();
  final Judge.StepClock clock = new Judge.StepClock();
  final Map<String, String> lastQueue = new HashMap<>(), lastApp = new HashMap<>();
  Judge.StepDispatcher dispatcher; MockRM rm; FairRecorder fs; Configuration conf; Path file;
  ArrayNode events = Judge.JSON.createArrayNode();
  ObjectNode filled;   // the last allocation, while its reservation is still to be given back
  int ipCounter; String loadError;
  boolean quick;   // figures are not wanted

  FairJudge(JsonNode header) throws Exception {
    conf = new Configuration(Judge.DEFAULTS);
    conf.setClass("yarn.node-attribute.fs-store.impl.class", Thrift.NoAttributes.class, org.apache.hadoop.yarn.nodelabels.NodeAttributeStore.class);
    conf.set("yarn.resourcemanager.scheduler.class", FairRecorder.class.getName());
    conf.set("net.topology.node.switch.mapping.impl", RackOfAddress.class.getName());
    conf.setLong("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", 0);
    conf.set("yarn.resourcemanager.am.max-attempts", "1");
    conf.set("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "1000");
    conf.setLong("yarn.nm.liveness-monitor.expiry-interval-ms", 7_200_000L);
    conf.setLong("yarn.am.liveness-monitor.expiry-interval-ms", 7_200_000L);
    conf.setLong("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", 7_200_000L);
    conf.setLong("yarn.scheduler.fair.update-interval-ms", 0);   // no thread: updates are steps
    conf.set("hadoop.tmp.dir", Judge.SCRATCH.toString());
    conf.set("yarn.node-labels.fs-store.root-dir", Judge.SCRATCH.resolve("labels").toUri().toString());
    Judge.clear(Judge.SCRATCH.toFile());
    header.get("conf").fields().forEachRemaining(e -> conf.set(e.getKey(), e.getValue().asText()));
    file = Judge.SCRATCH.resolve("fair-scheduler.xml");
    Files.writeString(file, header.get("allocations").asText());
    conf.set("yarn.scheduler.fair.allocation.file", file.toString());
    DefaultMetricsSystem.setMiniClusterMode(true);
    QueueMetrics.clearQueueMetrics();   // the scheduler decides by them
    dispatcher = new Judge.StepDispatcher();
    FairRecorder.clock = clock;
    try {
      rm = new Judge.FixedTimeRM(conf) {
        @Override protected Dispatcher createDispatcher() { return dispatcher == null ? (dispatcher = new Judge.StepDispatcher()) : dispatcher; }
      };
      org.apache.log4j.Logger.getRootLogger().setLevel(org.apache.log4j.Level.OFF);
      rm.start();
      ((Judge.FixedTimeRM) rm).fixTime();
      fs = (FairRecorder) rm.getResourceScheduler();
      fs.stopReloading();
      fs.listener = this;
      inOrder();
      dispatcher.drain();
    } catch (Throwable t) {
      if (System.getenv("JUDGE_TRACE") != null) t.printStackTrace();
      loadError = Judge.reason(t);
      return;
    }
    for (JsonNode n : header.withArray("nodes")) addNode(n);
    changed(Judge.JSON.createObjectNode());
  }

  /** Queues that stand in the way of others are kept in a set of objects without a hash of their own: in which order they are tried again is chance. Here it is the order of entry. */
  void inOrder() throws ReflectiveOperationException {
    java.lang.reflect.Field f = fs.getQueueManager().getClass().getDeclaredField("incompatibleQueuesPendingRemoval");
    f.setAccessible(true);
    f.set(fs.getQueueManager(), new LinkedHashSet<>((Set<?>) f.get(fs.getQueueManager())));
  }

  void addNode(JsonNode n) throws Exception {
    Node s = new Node();
    s.id = n.get("id").asText();
    int rack = Integer.parseInt(n.get("rack").asText().substring(2));
    ipCounter++;
    s.ip = "127." + rack + "." + (ipCounter / 250) + "." + (1 + ipCounter % 250);
    nodeByIp.put(s.ip, s.id);
    s.nm = new MockNM(s.ip + ":1234", n.get("memory").asInt(), n.get("vcores").asInt(), rm.getResourceTrackerService());
    s.nm.registerNode();
    dispatcher.drain();
    nodes.put(s.id, s);
  }

  String where(String logical) { Node n = nodes.get(logical); return n != null ? n.ip : logical; }

  // ---- recording -------------------------------------------------------------------------
  ObjectNode event(String kind, FSAppAttempt app, FSSchedulerNode node, RMContainer c) {
    ObjectNode ev = Judge.JSON.createObjectNode();
    ev.put("kind", kind);
    ev.put("app", byAttempt.get(app.getApplicationAttemptId()).id);
    ev.put("node", nodeByIp.get(node.getNodeID().getHost()));
    org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey k = kind.equals("allocate") ? c.getAllocatedSchedulerKey() : c.getReservedSchedulerKey();
    ev.put("priority", k.getPriority().getPriority());
    ev.put("alloc", k.getAllocationRequestId());
    Resource r = c.getContainer().getResource();
    ev.put("memory", r.getMemorySize()); ev.put("vcores", r.getVirtualCores());
    events.add(ev);
    return ev;
  }

  @Override public void allocated(FSAppAttempt app, NodeType type, FSSchedulerNode node, RMContainer c, boolean fromReservation) {
    ObjectNode ev = event("allocate", app, node, c);
    ev.put("locality", type.toString());
    if (fromReservation) { ev.put("from", "reservation"); filled = ev; }
    App a = byAttempt.get(app.getApplicationAttemptId());
    a.ordinal.put(c.getContainerId(), a.ordinals.size());
    ev.put("container", a.ordinals.size());
    a.ordinals.add(c.getContainerId());
  }

  @Override public void unreserved(FSAppAttempt app, FSSchedulerNode node, RMContainer c) {
    if (filled != null) { filled = null; return; }
    event("release", app, node, c);
  }

  @Override public void reserved(FSAppAttempt app, FSSchedulerNode node, RMContainer c) { event("reserve", app, node, c); }

  static ArrayNode res(Resource r) { return Judge.res(r); }

  List<FSQueue> queues() {
    List<FSQueue> qs = new ArrayList<>(fs.getQueueManager().getQueues());
    qs.sort(Comparator.comparing(FSQueue::getName));
    return qs;
  }

  /** What the allocation file came to. */
  ObjectNode shape() {
    ObjectNode o = Judge.JSON.createObjectNode();
    for (FSQueue q : queues()) {
      ObjectNode n = o.putObject(q.getName());
      n.put("leaf", q instanceof FSLeafQueue); n.put("dynamic", q.isDynamic());
      n.put("weight", q.getWeight()); n.put("policy", q.getPolicy().getName());
      n.set("min", res(q.getMinShare())); n.set("max", res(q.getMaxShare()));
      n.put("maxApps", q.getMaxRunningApps()); n.put("maxAMShare", q.getMaxAMShare());
      n.set("maxContainer", res(q.getMaximumContainerAllocation()));
      n.put("minTimeout", FairRecorder.minTimeout(q)); n.put("fairTimeout", FairRecorder.fairTimeout(q));
      n.put("threshold", FairRecorder.threshold(q)); n.put("preemptable", q.isPreemptable());
      n.set("steady", res(q.getSteadyFairShare()));
    }
    return o;
  }

  /** Figures of the queues and applications that changed since the last call. */
  void changed(ObjectNode out) {
    if (quick) return;
    ObjectNode qs = Judge.JSON.createObjectNode(), as = Judge.JSON.createObjectNode();
    for (FSQueue q : queues()) {
      ObjectNode n = Judge.JSON.createObjectNode();
      n.set("used", res(q.getResourceUsage())); n.set("demand", res(q.getDemand()));
      n.set("fair", res(q.getFairShare())); n.set("steady", res(q.getSteadyFairShare()));
      n.put("active", q.getNumRunnableApps());
      if (q instanceof FSLeafQueue) { n.set("amUsed", res(FairRecorder.amUsed((FSLeafQueue) q))); n.put("waiting", FairRecorder.waiting((FSLeafQueue) q)); }
      if (!n.toString().equals(lastQueue.put(q.getName(), n.toString()))) qs.set(q.getName(), n);
    }
    for (App a : apps.values()) {
      FSAppAttempt sa = a.ended ? null : fs.getSchedulerApp(a.attempt);
      if (sa == null) continue;
      ObjectNode n = Judge.JSON.createObjectNode();
      n.set("used", res(sa.getResourceUsage())); n.set("demand", res(sa.getDemand())); n.set("fair", res(sa.getFairShare()));
      n.set("reserved", res(sa.getCurrentReservation()));
      if (!n.toString().equals(lastApp.put(a.id, n.toString()))) as.set(a.id, n);
    }
    if (qs.size() > 0) out.set("queues", qs);
    if (as.size() > 0) out.set("apps", as);
  }

  // ---- steps -----------------------------------------------------------------------------
  ObjectNode step(JsonNode s) throws Exception {
    events = Judge.JSON.createArrayNode(); filled = null;
    ObjectNode out = Judge.JSON.createObjectNode();
    String what = s.get("do").asText();
    Set<String> before = quick ? new TreeSet<>() : live();
    switch (what) {
      case "submit": submit(s, out); break;
      case "ask": ask(s, out); break;
      case "beat": beat(s); break;
      case "end": end(s, out); break;
      case "add": addNode(s.get("node")); break;
      case "lose": lose(s); break;
      case "update": fs.update(); break;
      case "tidy": fs.getQueueManager().removeEmptyDynamicQueues(); fs.getQueueManager().removePendingIncompatibleQueues(); break;
      case "refresh": refresh(s, out); break;
      case "wait": waitFor(s.get("ms").asLong()); break;
      case "preempt": preempt(out); break;
      default: throw new IllegalArgumentException(s.toString());
    }
    dispatcher.drain();
    for (App a : apps.values()) if (!a.ended) {
      RMApp app = rm.getRMContext().getRMApps().get(a.appId);
      if (app != null && (app.getState() == RMAppState.FAILED || app.getState() == RMAppState.KILLED || app.getState() == RMAppState.FINISHED)) {
        a.ended = true;
        out.withArray("ended").add(a.id);
      }
    }
    if (what.equals("lose") || what.equals("wait") || what.equals("preempt")) {
      before.removeAll(live());
      if (!before.isEmpty()) before.forEach(out.withArray("gone")::add);
    }
    if (events.size() > 0) out.set("events", events);
    changed(out);
    return out;
  }

  void submit(JsonNode s, ObjectNode out) throws Exception {
    App a = new App();
    a.id = s.get("app").asText(); a.user = s.get("user").asText();
    clock.now += 2;
    UserGroupInformation ugi = UserGroupInformation.createRemoteUser(a.user);
    String error = ugi.doAs((PrivilegedExceptionAction<String>) () -> {
      ClientRMService c = rm.getClientRMService();
      a.appId = c.getNewApplication(GetNewApplicationRequest.newInstance()).getApplicationId();
      ApplicationSubmissionContext ctx = ApplicationSubmissionContext.newInstance(a.appId, a.id, s.get("queue").asText(), Priority.newInstance(0),
          ContainerLaunchContext.newInstance(new HashMap<>(), new HashMap<>(), new ArrayList<>(), new HashMap<>(), null, new HashMap<>()),
          false, true, 1, Resource.newInstance(s.get("am").get(0).asInt(), s.get("am").get(1).asInt()), "MAPREDUCE", false);
      try { c.submitApplication(SubmitApplicationRequest.newInstance(ctx)); return null; }
      catch (Exception e) { return Judge.reason(e); }
    });
    if (error != null) { out.put("rejected", error); return; }
    dispatcher.drain();
    RMApp app = rm.getRMContext().getRMApps().get(a.appId);
    if (app.getState() == RMAppState.FAILED) { out.put("rejected", Judge.reason(new Exception(app.getDiagnostics().toString().trim()))); return; }
    a.attempt = app.getCurrentAppAttempt().getAppAttemptId();
    apps.put(a.id, a); byAttempt.put(a.attempt, a);
    out.put("state", app.getState().toString());
    out.put("queue", app.getQueue());
  }

  RMAppAttempt attempt(App a) { return rm.getRMContext().getRMApps().get(a.appId).getRMAppAttempt(a.attempt); }

  boolean register(App a) throws Exception {
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
    App a = apps.get(s.get("app").asText());
    if (a == null || !register(a)) { out.put("ignored", true); return; }
    List<ResourceRequest> asks = new ArrayList<>();
    for (JsonNode r : s.withArray("asks")) {
      ResourceRequest q = ResourceRequest.newInstance(Priority.newInstance(r.get("priority").asInt()), where(r.get("where").asText()),
          Resource.newInstance(r.get("memory").asInt(), r.get("vcores").asInt()), r.get("count").asInt(), !r.has("relax") || r.get("relax").asBoolean());
      q.setAllocationRequestId(r.has("alloc") ? r.get("alloc").asLong() : 0);
      asks.add(q);
    }
    List<ContainerId> rel = new ArrayList<>();
    if (s.has("release")) for (JsonNode r : s.get("release")) rel.add(a.ordinals.get(r.asInt()));
    AllocateResponse resp;
    try { resp = a.am.allocate(asks, rel); }
    catch (Exception e) { out.put("error", Judge.reason(e)); return; }
    out.set("headroom", res(resp.getAvailableResources()));
    TreeSet<Integer> got = new TreeSet<>(), gone = new TreeSet<>();
    for (Container c : resp.getAllocatedContainers()) got.add(a.ordinal.get(c.getId()));
    for (ContainerStatus c : resp.getCompletedContainersStatuses()) if (a.ordinal.containsKey(c.getContainerId())) gone.add(a.ordinal.get(c.getContainerId()));
    if (!got.isEmpty()) got.forEach(out.withArray("granted")::add);
    if (!gone.isEmpty()) gone.forEach(out.withArray("completed")::add);
  }

  void beat(JsonNode s) throws Exception {
    Node n = nodes.get(s.get("node").asText());
    Map<ApplicationId, List<ContainerStatus>> done = new LinkedHashMap<>();
    if (s.has("done")) for (JsonNode d : s.get("done")) {
      App a = apps.get(d.get(0).asText());
      done.computeIfAbsent(a.appId, k -> new ArrayList<>()).add(ContainerStatus.newInstance(a.ordinals.get(d.get(1).asInt()), ContainerState.COMPLETE, "", 0));
    }
    n.nm.nodeHeartbeat(done, true);
    dispatcher.drain();
  }

  void end(JsonNode s, ObjectNode out) throws Exception {
    App a = apps.get(s.get("app").asText());
    if (a == null || a.ended) { out.put("ignored", true); return; }
    UserGroupInformation.getCurrentUser().doAs((PrivilegedExceptionAction<Object>) () -> rm.getClientRMService().forceKillApplication(KillApplicationRequest.newInstance(a.appId)));
    dispatcher.drain();
  }

  void lose(JsonNode s) throws Exception {
    Node n = nodes.remove(s.get("node").asText());
    rm.getRMContext().getDispatcher().getEventHandler().handle(new RMNodeEvent(n.nm.getNodeId(), RMNodeEventType.EXPIRE));
    dispatcher.drain();
  }

  void refresh(JsonNode s, ObjectNode out) throws Exception {
    Files.writeString(file, s.get("allocations").asText());
    try { fs.reload(); out.put("loaded", true); }
    catch (Exception e) { out.put("rejected", Judge.reason(e)); }
    out.set("shape", shape());
  }

  void waitFor(long ms) {
    clock.now += ms;
    for (Iterator<Kill> i = kills.iterator(); i.hasNext(); ) {
      Kill k = i.next();
      if (k.due <= clock.now) { fs.kill(k.c); i.remove(); }
    }
  }

  void preempt(ObjectNode out) throws Exception {
    long warn = conf.getInt("yarn.scheduler.fair.waitTimeBeforeKill", 15000);
    List<String> names = new ArrayList<>();
    for (List<RMContainer> cs : fs.preemptStarved()) for (RMContainer c : cs) {
      App a = byAttempt.get(c.getApplicationAttemptId());
      names.add(a.id + "#" + a.ordinal.get(c.getContainerId()));
      kills.add(new Kill(clock.now + warn, c));
    }
    ArrayNode sel = out.putArray("selected");
    Collections.sort(names);
    names.forEach(sel::add);
  }

  /** Containers of live apps now on a node: [app, ordinal], AM excluded. */
  List<Object[]> runningOn(String node) {
    List<Object[]> out = new ArrayList<>();
    NodeId id = nodes.get(node).nm.getNodeId();
    for (App a : apps.values()) for (int i : runningOf(a))
      if (fs.getSchedulerApp(a.attempt).getRMContainer(a.ordinals.get(i)).getContainer().getNodeId().equals(id)) out.add(new Object[] {a.id, i});
    return out;
  }

  Set<String> live() {
    Set<String> out = new TreeSet<>();
    for (App a : apps.values()) {
      FSAppAttempt sa = a.ended ? null : fs.getSchedulerApp(a.attempt);
      if (sa != null) for (RMContainer c : sa.getLiveContainers()) out.add(a.id + "#" + a.ordinal.get(c.getContainerId()));
    }
    return out;
  }

  List<Integer> runningOf(App a) {
    List<Integer> out = new ArrayList<>();
    FSAppAttempt sa = a.ended ? null : fs.getSchedulerApp(a.attempt);
    if (sa != null) for (int i = 1; i < a.ordinals.size(); i++) if (sa.getRMContainer(a.ordinals.get(i)) != null) out.add(i);
    return out;
  }

  @Override public void close() { try { if (rm != null) rm.stop(); } catch (Throwable t) { /* nothing to save */ } }
}
