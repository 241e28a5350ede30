package judge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.util.*;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.MultiNodeSorter;

/** Placement on several nodes: which are offered together, and the policies that sort them when a step says so. */
class Candidates {
  private final CapacityScheduler scheduler;
  private final Collection<?> sorters;
  private final Map<String, String> told = new HashMap<>();   // by partition, as last reported
  private String toldPartitions = "";

  /** Null where nodes are offered one by one. The policies' timers are stopped after a first sorting without nodes. */
  static Candidates takeOver(MockRM rm, CapacityScheduler s) throws Exception {
    return s.isMultiNodePlacementEnabled() ? new Candidates(rm, s) : null;
  }

  private Candidates(MockRM rm, CapacityScheduler s) throws Exception {
    scheduler = s;
    Object manager = rm.getRMContext().getMultiNodeSortingManager();
    sorters = ((Map<?, ?>) Threads.field(manager, "runningMultiNodeSorters").get(manager)).values();
    for (Object sorter : sorters) {
      ExecutorService timer = (ExecutorService) Threads.field(sorter, "ses").get(sorter);
      timer.shutdownNow();
      if (!timer.awaitTermination(10, TimeUnit.SECONDS)) throw new IllegalStateException("a sorting does not end");
    }
    sort();
  }

  void sort() { for (Object s : sorters) ((MultiNodeSorter<?>) s).reSortClusterNodes(); }

  List<String> partitions() { return scheduler.getNodeTracker().getPartitions(); }

  /** The order of partitions and of each one's candidates, where that is new. */
  void report(Judge j, ObjectNode out) throws Exception {
    ArrayNode parts = Judge.JSON.createArrayNode();
    for (String p : partitions()) {
      parts.add(p);
      ArrayNode names = Judge.JSON.createArrayNode();
      for (FiCaSchedulerNode n : offered(p)) names.add(j.nodeName(n.getNodeID()));
      if (!names.toString().equals(told.put(p, names.toString()))) ((ObjectNode) out.with("orders")).set(p, names);
    }
    if (!parts.toString().equals(toldPartitions)) { toldPartitions = parts.toString(); out.set("partitions", parts); }
  }

  @SuppressWarnings("unchecked")
  private Collection<FiCaSchedulerNode> offered(String partition) throws Exception {
    Method m = CapacityScheduler.class.getDeclaredMethod("getNodesHeartbeated", String.class);
    m.setAccessible(true);
    return ((Map<NodeId, FiCaSchedulerNode>) m.invoke(scheduler, partition)).values();
  }
}
