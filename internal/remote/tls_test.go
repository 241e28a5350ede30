package remote

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority signs certificates for tests.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a.key = key
	a.cert = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of the test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.sign("ca", a.cert, key)
	return a
}

// sign writes NAME.pem and NAME.key.
func (a *authority) sign(name string, c *x509.Certificate, key *ecdsa.PrivateKey) {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".pem": {Type: "CERTIFICATE", Bytes: der},
		name + ".key": {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(a.dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
}

// server makes a certificate for a name that ends after a time, and returns the
// security of a server with it.
func (a *authority) server(name string, ends time.Duration) Security {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.sign("server", &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		DNSNames:  []string{name},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(ends),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, key)
	return Security{TLSCert: a.path("server.pem"), TLSKey: a.path("server.key")}
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

// A server whose certificate is for another name, has expired, or is signed by
// an authority that nobody named gets neither token nor study, and the error says
// at once what would be right.
func TestCertificates(t *testing.T) {
	other := newAuthority(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a-token-of-the-test-0123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		host string
		ends time.Duration
		ca   *authority
		want string
	}{
		"good":       {"localhost", time.Hour, nil, ""},
		"wrong name": {"elsewhere.example", time.Hour, nil, "the address under a name"},
		"expired":    {"localhost", -time.Hour, nil, "a server certificate that is valid today"},
		"unknown":    {"localhost", time.Hour, other, "--tls-ca"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			sec := a.server(c.host, c.ends)
			sec.TokenFile = token
			srv, err := Listen("127.0.0.1:0", t.TempDir(), sec)
			if err != nil {
				t.Fatal(err)
			}
			defer srv.Close()
			ca := a
			if c.ca != nil {
				ca = c.ca
			}
			url := strings.Replace(strings.Replace(srv.URL(), "127.0.0.1", "localhost", 1), "nats://", "tls://", 1)
			start := time.Now()
			nc, err := Connect(context.Background(), url, Security{TLSCA: ca.path("ca.pem"), TokenFile: token}, "worker")
			if nc != nil {
				nc.Close()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v", err)
			}
			if d := time.Since(start); d > 25*time.Second {
				t.Errorf("told after %s, though waiting mends nothing", d)
			}
		})
	}
}
