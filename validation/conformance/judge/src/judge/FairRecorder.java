package org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.api.records.*;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.*;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.PendingAsk;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;

/**
 * The FairScheduler, telling a listener what it decides in a heartbeat. It has to live in Hadoop's package: what a decision passes
 * through is not public. Its threads stay off; updates and preemption happen when a step says so.
 */
public class FairRecorder extends FairScheduler {
  /** Hears the decisions of a heartbeat in their order. */
  public interface Listener {
    void allocated(FSAppAttempt app, NodeType type, FSSchedulerNode node, RMContainer c, boolean fromReservation);
    void unreserved(FSAppAttempt app, FSSchedulerNode node, RMContainer c);
    void reserved(FSAppAttempt app, FSSchedulerNode node, RMContainer c);
  }

  /** The clock of schedulers to be built: queues note the time when they are made. */
  public static org.apache.hadoop.yarn.util.Clock clock;
  public FairRecorder() { setClock(clock); }

  public Listener listener;
  private boolean scheduling;

  class App extends FSAppAttempt {
    App(ApplicationAttemptId id, String user, FSLeafQueue queue, RMContext ctx) {
      super(FairRecorder.this, id, user, queue, new ActiveUsersManager(getRootQueueMetrics()), ctx);
    }

    @Override public RMContainer allocate(NodeType type, FSSchedulerNode node, SchedulerRequestKey key, PendingAsk ask, Container reserved) {
      RMContainer c = super.allocate(type, node, key, ask, reserved);
      if (c != null && listener != null) listener.allocated(this, type, node, c, reserved != null);
      return c;
    }

    @Override public void unreserve(SchedulerRequestKey key, FSSchedulerNode node) {
      RMContainer c = node.getReservedContainer();
      super.unreserve(key, node);
      if (scheduling && listener != null) listener.unreserved(this, node, c);
    }
  }

  /** As the original's, but for the class of the attempt. */
  @Override protected void addApplicationAttempt(ApplicationAttemptId id, boolean transfer, boolean recovering) {
    writeLock.lock();
    try {
      SchedulerApplication<FSAppAttempt> application = applications.get(id.getApplicationId());
      FSLeafQueue queue = (FSLeafQueue) application.getQueue();
      FSAppAttempt attempt = new App(id, application.getUser(), queue, rmContext);
      application.setCurrentAppAttempt(attempt);
      boolean runnable = maxRunningEnforcer.canAppBeRunnable(queue, attempt);
      queue.addApp(attempt, runnable);
      if (runnable) maxRunningEnforcer.trackRunnableApp(attempt); else maxRunningEnforcer.trackNonRunnableApp(attempt);
      queue.getMetrics().submitAppAttempt(application.getUser(), application.isUnmanagedAM());
      rmContext.getDispatcher().getEventHandler().handle(new RMAppAttemptEvent(id, RMAppAttemptEventType.ATTEMPT_ADDED));
    } finally { writeLock.unlock(); }
  }

  @Override void attemptScheduling(FSSchedulerNode node) {
    RMContainer before = node == null ? null : node.getReservedContainer();
    scheduling = true;
    try { super.attemptScheduling(node); } finally { scheduling = false; }
    RMContainer after = node == null ? null : node.getReservedContainer();
    if (after != null && after != before && listener != null) listener.reserved(node.getReservedAppSchedulable(), node, after);
  }

  // ---- preemption without its threads ----------------------------------------------------
  private FSPreemptionThread preemptor;

  @Override protected void createPreemptionThread() { preemptor = new FSPreemptionThread(this); }

  /** What the preemption thread does with every starved application that waits: the containers it chose, application by application. */
  @SuppressWarnings("unchecked")
  public List<List<RMContainer>> preemptStarved() throws Exception {
    List<List<RMContainer>> out = new ArrayList<>();
    if (preemptor == null) return out;
    Field f = FSStarvedApps.class.getDeclaredField("appsToProcess");
    f.setAccessible(true);
    java.util.Queue<FSAppAttempt> waiting = (java.util.Queue<FSAppAttempt>) f.get(getContext().getStarvedApps());
    Method choose = FSPreemptionThread.class.getDeclaredMethod("identifyContainersToPreempt", FSAppAttempt.class);
    choose.setAccessible(true);
    Field delay = FSPreemptionThread.class.getDeclaredField("delayBeforeNextStarvationCheck");
    delay.setAccessible(true);
    while (!waiting.isEmpty()) {
      FSAppAttempt app = getContext().getStarvedApps().take();
      out.add((List<RMContainer>) choose.invoke(preemptor, app));
      app.preemptionTriggered(delay.getLong(preemptor));
    }
    Field busy = FSStarvedApps.class.getDeclaredField("appBeingProcessed");   // the thread waits in take() again
    busy.setAccessible(true);
    busy.set(getContext().getStarvedApps(), null);
    return out;
  }

  public void kill(RMContainer c) {
    completedContainer(c, SchedulerUtils.createPreemptedContainerStatus(c.getContainerId(), SchedulerUtils.PREEMPTED_CONTAINER), RMContainerEventType.KILL);
  }

  // ---- figures ---------------------------------------------------------------------------
  public static Resource amUsed(FSLeafQueue q) { return q.getAmResourceUsage(); }
  public static int waiting(FSLeafQueue q) { return q.getNumNonRunnableApps(); }
  public static long minTimeout(FSQueue q) { return q.getMinSharePreemptionTimeout(); }
  public static long fairTimeout(FSQueue q) { return q.getFairSharePreemptionTimeout(); }
  public static float threshold(FSQueue q) { return q.getFairSharePreemptionThreshold(); }

  /** The reloading thread would do on its own what steps are to do. */
  public void stopReloading() throws Exception {
    Field f = FairScheduler.class.getDeclaredField("allocsLoader");
    f.setAccessible(true);
    ((AllocationFileLoaderService) f.get(this)).stop();
  }

  /** As reinitialize, telling whether the file was taken. */
  public void reload() throws Exception {
    Field f = FairScheduler.class.getDeclaredField("allocsLoader");
    f.setAccessible(true);
    ((AllocationFileLoaderService) f.get(this)).reloadAllocations();
  }
}
