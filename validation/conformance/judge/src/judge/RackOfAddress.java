package judge;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.net.DNSToSwitchMapping;

/** 127.R.x.y stands in rack /rR. */
public class RackOfAddress implements DNSToSwitchMapping {
  @Override public List<String> resolve(List<String> names) {
    List<String> out = new ArrayList<>();
    for (String n : names) { String[] p = n.split("\\."); out.add(p.length == 4 ? "/r" + p[1] : "/default-rack"); }
    return out;
  }
  @Override public void reloadCachedMappings() {}
  @Override public void reloadCachedMappings(List<String> names) {}
}
