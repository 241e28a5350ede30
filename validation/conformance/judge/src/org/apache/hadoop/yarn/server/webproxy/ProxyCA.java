package org.apache.hadoop.yarn.server.webproxy;

import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;

/**
 * Stands before Hadoop's class of this name on the class path. The original makes and signs RSA keys for the proxy in front of
 * application masters' web pages: a third of the time a scenario takes, and nothing a scheduler sees.
 */
public class ProxyCA {
  public void init() {}
  public void init(X509Certificate cert, PrivateKey key) {}
  public X509Certificate getCaCert() { return null; }
  public KeyPair getCaKeyPair() { return new KeyPair(null, null); }
}
