package judge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.util.*;
import org.apache.hadoop.security.GroupMappingServiceProvider;
import org.apache.hadoop.util.Time;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.monitor.SchedulingEditPolicy;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.*;

/** Queues made on first use: their two policies, run when a step says so, and which queues came and went. */
class FirstUse {
  final CapacityScheduler cs;
  final SchedulingEditPolicy removal;   // null before 3.4
  final QueueManagementDynamicEditPolicy shares = new QueueManagementDynamicEditPolicy();
  private Set<String> there; private String told;

  FirstUse(MockRM rm, CapacityScheduler cs) throws Exception {
    this.cs = cs;
    SchedulingEditPolicy r = null;
    try {
      r = (SchedulingEditPolicy) Class.forName("org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AutoCreatedQueueDeletionPolicy").getDeclaredConstructor().newInstance();
      r.init(rm.getConfig(), rm.getRMContext(), cs);
    } catch (ClassNotFoundException e) { /* a version that removes nothing */ }
    removal = r;
    shares.init(rm.getConfig(), rm.getRMContext(), cs);
  }

  /** What is there before the first step. */
  void begin(Judge j) { there = paths(); told = j.shape().toString(); }

  private Set<String> paths() {
    Set<String> out = new TreeSet<>();
    for (CSQueue q : cs.getCapacitySchedulerQueueManager().getQueues().values()) out.add(q.getQueuePath());
    return out;
  }

  /** No queue has had a submission for longer than queues are kept; the removal policy runs once. */
  void expire() throws Exception {
    if (removal == null) return;
    Method m = AbstractCSQueue.class.getDeclaredMethod("setLastSubmittedTimestamp", long.class);
    m.setAccessible(true);
    for (CSQueue q : cs.getCapacitySchedulerQueueManager().getQueues().values()) m.invoke(q, Time.monotonicNow() - 1_000_000_000L);
    removal.editSchedule();
  }

  void manage() {
    try { shares.editSchedule(); }
    catch (ClassCastException e) { throw new Judge.PolicyFailed(e); }   // a listed leaf below a managed parent
  }

  void report(Judge j, ObjectNode out) {
    Set<String> now = paths();
    for (String q : now) if (!there.contains(q)) out.withArray("created").add(q);
    for (String q : there) if (!now.contains(q)) { out.withArray("removed").add(q); j.lastQueue.remove(q); }
    there = now;
    ObjectNode shape = j.shape();
    if (!shape.toString().equals(told)) out.set("shape", shape);
    told = shape.toString();
  }

  /** The groups of user uN are gM, M being N modulo 3, and as secondary one sM, M being N modulo 2. */
  public static class Groups implements GroupMappingServiceProvider {
    @Override public List<String> getGroups(String user) {
      if (!user.matches("u\\d+")) return Collections.singletonList(user);
      int n = Integer.parseInt(user.substring(1));
      return Arrays.asList("g" + n % 3, "s" + n % 2);
    }
    public Set<String> getGroupsSet(String user) { return new LinkedHashSet<>(getGroups(user)); }
    @Override public void cacheGroupsRefresh() {}
    @Override public void cacheGroupsAdd(List<String> groups) {}
  }
}
