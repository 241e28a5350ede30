package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Method;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacitySchedulerConfiguration;
import org.apache.hadoop.yarn.webapp.dao.QueueConfigInfo;
import org.apache.hadoop.yarn.webapp.dao.SchedConfUpdateInfo;

/** What a body of the ResourceManager's scheduler-conf API changes, as Hadoop itself reads it; since 3.4.0. */
class Request {
  /** Properties with their new values, null where one is removed; null: this version has no class for it. */
  static SortedMap<String, String> changes(Configuration now, JsonNode body) throws Exception {
    Method m;
    try {
      m = Class.forName("org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.conf.ConfigurationUpdateAssembler")
          .getMethod("constructKeyValueConfUpdate", CapacitySchedulerConfiguration.class, SchedConfUpdateInfo.class);
    } catch (ClassNotFoundException e) { return null; }
    SchedConfUpdateInfo info = new SchedConfUpdateInfo();
    for (JsonNode q : body.path("update-queue")) info.getUpdateQueueInfo().add(new QueueConfigInfo(q.get("queue-name").asText(), entries(q.get("params"))));
    for (JsonNode g : body.path("global-updates")) info.getGlobalParams().putAll(entries(g));
    @SuppressWarnings("unchecked") Map<String, String> changes = (Map<String, String>) m.invoke(null, new CapacitySchedulerConfiguration(now, false), info);
    return new TreeMap<>(changes);
  }

  private static Map<String, String> entries(JsonNode params) {
    Map<String, String> out = new HashMap<>();
    for (JsonNode e : params.path("entry")) out.put(e.get("key").asText(), e.has("value") ? e.get("value").asText() : null);
    return out;
  }

  /** Makes the changes of a step's request, and tells them; false where that can't be done here. */
  static boolean apply(Configuration conf, JsonNode body, ObjectNode out) throws Exception {
    SortedMap<String, String> changes = changes(conf, body);
    if (changes == null) return false;
    ObjectNode told = out.putObject("changes");
    changes.forEach((k, v) -> { told.put(k, v); if (v == null) conf.unset(k); else conf.set(k, v); });
    return true;
  }
}
