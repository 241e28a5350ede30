package judge;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.nodelabels.NodeAttributeStore;
import org.apache.hadoop.yarn.nodelabels.NodeAttributesManager;
import org.apache.hadoop.yarn.server.api.protocolrecords.NodeToAttributes;

/** Spares a ResourceManager's start what no scenario looks at. */
class Thrift {
  /** Hadoop's defaults. */
  static Configuration defaults() {
    Configuration c = new Configuration(false);
    c.addResource("core-default.xml"); c.addResource("yarn-default.xml");
    c.setClass("yarn.node-attribute.fs-store.impl.class", NoAttributes.class, NodeAttributeStore.class);
    c.setClass("hadoop.security.group.mapping", FirstUse.Groups.class, org.apache.hadoop.security.GroupMappingServiceProvider.class);
    return c;
  }

  /** Keeps nothing: node attributes are not used, and the original store starts three processes to set file modes. */
  public static class NoAttributes implements NodeAttributeStore {
    @Override public void replaceNodeAttributes(List<NodeToAttributes> a) {}
    @Override public void addNodeAttributes(List<NodeToAttributes> a) {}
    @Override public void removeNodeAttributes(List<NodeToAttributes> a) {}
    @Override public void init(Configuration c, NodeAttributesManager m) {}
    @Override public void recover() {}
    @Override public void close() {}
  }
}
