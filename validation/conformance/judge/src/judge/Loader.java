package judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;

/**
 * Loads configurations one after the other, each with a scheduler of its own inside one ResourceManager, which takes
 * a hundredth of the time that a ResourceManager for each takes. Says of every scenario whether it is refused.
 */
class Loader {
  private Judge host;
  private String labels = "";

  void run(BufferedReader r, BufferedWriter w) throws Exception {
    for (String line; (line = r.readLine()) != null; ) {
      if (line.isBlank()) continue;
      JsonNode h = Judge.JSON.readTree(line);
      if (!h.has("scenario")) continue;
      ObjectNode out = Judge.JSON.createObjectNode();
      out.put("scenario", h.get("scenario").asText());
      String why = load(h);
      if (why != null) out.put("rejected", why);
      w.write(out.toString());
      w.newLine();
    }
    if (host != null) host.close();
  }

  /** Null, or why the configuration is refused. */
  private String load(JsonNode header) throws Exception {
    standIn(header);
    Configuration c = Judge.base();
    Judge.apply(c, header.get("conf"));
    CapacityScheduler s = new CapacityScheduler();
    try {
      s.setConf(c);
      s.setRMContext(host.rm.getRMContext());
      s.init(c);
      return null;
    } catch (Throwable t) { return Judge.reason(t); }
    finally { s.stop(); }
  }

  /** A ResourceManager whose cluster has the labels of a scenario. */
  private void standIn(JsonNode header) throws Exception {
    String declared = header.path("labels").toString();
    if (host != null && declared.equals(labels)) return;
    if (host != null) host.close();
    ObjectNode h = Judge.JSON.createObjectNode();
    if (header.has("labels")) h.set("labels", header.get("labels"));
    h.putObject("conf").put(Judge.P + "root.queues", "a").put(Judge.P + "root.a.capacity", "100");
    host = new Judge(h);
    labels = declared;
    if (host.loadError != null) throw new IllegalStateException(host.loadError);
  }
}
