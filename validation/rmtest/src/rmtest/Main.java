package rmtest;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.protocolrecords.SubmitApplicationRequest;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceUtilization;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeHeartbeatRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeHeartbeatResponse;
import org.apache.hadoop.yarn.server.api.protocolrecords.RegisterNodeManagerRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.RegisterNodeManagerResponse;
import org.apache.hadoop.yarn.server.api.records.NodeHealthStatus;
import org.apache.hadoop.yarn.server.api.records.NodeStatus;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.util.Records;

/**
 * A real ResourceManager with its web services on loopback and node managers
 * that only register and send heartbeats. Arguments: configuration store
 * (memory or file), nodes, MiB and vcores of a node. capacity-scheduler.xml is
 * taken from the class path, as are yarn-site.xml and its minimum allocation. Prints "READY URL"; ends when standard input does.
 * Input lines: "submit USER QUEUE" submits an application, "refresh" re-reads
 * the queues; each is answered by one line.
 */
public final class Main {
  private final ResourceManager rm = new ResourceManager();
  private final List<NodeId> nodes = new ArrayList<>();
  private final List<NodeHeartbeatResponse> last = new ArrayList<>();

  public static void main(String[] args) {
    try {
      Main m = new Main();
      m.start(args[0]);
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        m.register("n" + (i + 1), Integer.parseInt(args[2]), Integer.parseInt(args[3]));
      }
      System.out.println("READY http://" + m.rm.getConfig().get(YarnConfiguration.RM_WEBAPP_ADDRESS));
      m.serve();
      m.rm.stop();
      System.exit(0);
    } catch (Throwable e) {
      // The ResourceManager's own threads would keep the process alive.
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private void start(String store) throws Exception {
    Configuration conf = new YarnConfiguration();
    conf.set("yarn.resourcemanager.hostname", "127.0.0.1");
    String[] addresses = {YarnConfiguration.RM_WEBAPP_ADDRESS, YarnConfiguration.RM_ADDRESS, YarnConfiguration.RM_SCHEDULER_ADDRESS,
        YarnConfiguration.RM_RESOURCE_TRACKER_ADDRESS, YarnConfiguration.RM_ADMIN_ADDRESS};
    List<ServerSocket> held = new ArrayList<>(); // until all are chosen: no port is given twice
    for (String k : addresses) {
      held.add(new ServerSocket(0));
      conf.set(k, "127.0.0.1:" + held.get(held.size() - 1).getLocalPort());
    }
    for (ServerSocket s : held) {
      s.close();
    }
    conf.set(YarnConfiguration.RM_SCHEDULER, "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler");
    conf.set("yarn.scheduler.configuration.store.class", store);
    conf.setBoolean("hadoop.security.token.service.use_ip", true);
    conf.set("hadoop.tmp.dir", new File("tmp").getAbsolutePath());
    rm.init(conf);
    rm.start();
  }

  private void register(String host, int mib, int vcores) throws Exception {
    NodeId id = NodeId.newInstance(host, 1);
    Resource total = Resource.newInstance(mib, vcores);
    RegisterNodeManagerRequest req = RegisterNodeManagerRequest.newInstance(id, 2, total, "3.4.1",
        Collections.emptyList(), Collections.emptyList(), Collections.emptySet());
    RegisterNodeManagerResponse r = rm.getResourceTrackerService().registerNodeManager(req);
    if (!r.getNodeAction().toString().equals("NORMAL")) {
      throw new IllegalStateException(r.getDiagnosticsMessage());
    }
    nodes.add(id);
    last.add(null);
    beat(nodes.size() - 1);
  }

  private void beat(int i) throws Exception {
    int seq = last.get(i) == null ? 0 : last.get(i).getResponseId();
    NodeHealthStatus healthy = NodeHealthStatus.newInstance(true, "", System.currentTimeMillis());
    NodeStatus s = NodeStatus.newInstance(nodes.get(i), seq, Collections.emptyList(), Collections.emptyList(), healthy,
        ResourceUtilization.newInstance(0, 0, 0f), ResourceUtilization.newInstance(0, 0, 0f), null);
    NodeHeartbeatRequest req = Records.newRecord(NodeHeartbeatRequest.class);
    req.setNodeStatus(s);
    last.set(i, rm.getResourceTrackerService().nodeHeartbeat(req));
  }

  private void serve() throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    while (true) {
      while (!in.ready()) {
        for (int i = 0; i < nodes.size(); i++) {
          beat(i);
        }
        Thread.sleep(200);
        if (System.in.available() < 0) {
          return;
        }
      }
      String line = in.readLine();
      if (line == null || line.equals("quit")) {
        return;
      }
      answer(line.trim().split(" "));
    }
  }

  private void answer(String[] w) {
    try {
      switch (w[0]) {
        case "submit":
          System.out.println("SUBMITTED " + submit(w[1], w[2]));
          return;
        case "refresh":
          rm.getResourceScheduler().reinitialize(rm.getConfig(), rm.getRMContext());
          System.out.println("REFRESHED");
          return;
        default:
          System.out.println("UNKNOWN");
      }
    } catch (Exception e) {
      System.out.println("FAILED " + String.valueOf(e.getMessage()).replace('\n', ' '));
    }
  }

  private ApplicationId submit(String user, String queue) throws Exception {
    ApplicationId id = rm.getClientRMService().getNewApplication(Records.newRecord(
        org.apache.hadoop.yarn.api.protocolrecords.GetNewApplicationRequest.class)).getApplicationId();
    ApplicationSubmissionContext c = Records.newRecord(ApplicationSubmissionContext.class);
    c.setApplicationId(id);
    c.setApplicationName("test");
    c.setQueue(queue);
    c.setPriority(Priority.newInstance(0));
    c.setResource(Resource.newInstance(512, 1));
    c.setAMContainerSpec(ContainerLaunchContext.newInstance(Collections.emptyMap(), Collections.emptyMap(),
        Collections.singletonList("true"), Collections.emptyMap(), null, Collections.emptyMap()));
    SubmitApplicationRequest r = SubmitApplicationRequest.newInstance(c);
    UserGroupInformation.createRemoteUser(user).doAs((java.security.PrivilegedExceptionAction<Void>) () -> {
      rm.getClientRMService().submitApplication(r);
      return null;
    });
    return id;
  }
}
