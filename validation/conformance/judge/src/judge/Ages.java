package judge;

import java.util.*;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;

/**
 * Ages of containers by the scenario's clock, not by the wall's: 3 s for each preemption round since a container was made, and
 * within a round the first made is the oldest. A container that fills a reservation is the same as that for this table and keeps
 * the wall clock's time, so it is the youngest of all.
 */
class Ages {
  private final Map<RMContainer, long[]> made = new LinkedHashMap<>();
  private long inRound;

  void born(RMContainer c, long now) { long n = ++inRound; made.putIfAbsent(c, new long[] {now, n}); }

  /** Writes the ages into the containers before a round. */
  void set(long now) {
    inRound = 0;
    long zero = System.currentTimeMillis() - now - 1000;
    made.forEach((c, m) -> {
      try { Threads.field(c, "creationTime").setLong(c, zero + m[0] + m[1]); }
      catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }
    });
  }
}
