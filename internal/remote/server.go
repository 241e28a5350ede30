package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Security says how driver, server and workers trust each other.
type Security struct {
	TokenFile string // one line; both sides
	NkeyFile  string // seed of a worker's or driver's nkey, for an external server
	TLSCert   string // certificate of the server
	TLSKey    string
	TLSCA     string // authority to trust; for a server: of client certificates
	Insecure  bool   // allow a non-loopback address without TLS and token
}

func (s Security) token() (string, error) {
	if s.TokenFile == "" {
		return "", nil
	}
	b, err := os.ReadFile(s.TokenFile)
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	t := strings.TrimSpace(string(b))
	if t == "" {
		return "", fmt.Errorf("token file %s is empty; allowed: one line with the token", s.TokenFile)
	}
	return t, nil
}

// Server is a JetStream server inside this process.
type Server struct{ s *server.Server }

// Listen starts a server. addr is host:port; a host that is not loopback needs
// TLS and a token, or Insecure. dir holds its store.
func Listen(addr, dir string, sec Security) (*Server, error) {
	host, portText, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("--listen: %q; allowed: HOST:PORT", addr)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("--listen: port %q; allowed: 0 to 65535", portText)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if !loopback(host) && !sec.Insecure && (sec.TokenFile == "" || sec.TLSCert == "") {
		return nil, fmt.Errorf("--listen: %s is reachable from other machines; allowed: with --tls-cert, --tls-key and --token-file, or with --insecure", addr)
	}
	o := &server.Options{Host: host, Port: port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true, MaxPayload: maxMessage}
	if o.Authorization, err = sec.token(); err != nil {
		return nil, err
	}
	if sec.TLSCert != "" {
		if o.TLSConfig, err = serverTLS(sec); err != nil {
			return nil, err
		}
		o.TLS = true
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("message server: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		return nil, fmt.Errorf("--listen: %s can't be listened on; allowed: a free port of this machine", addr)
	}
	return &Server{s}, nil
}

// maxMessage bounds one message, in bytes.
const maxMessage = 8 << 20

// URL is where workers connect.
func (s *Server) URL() string { return s.s.ClientURL() }

// Close stops the server and keeps its store.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func serverTLS(sec Security) (*tls.Config, error) {
	cert, err := tls.LoadX509KeyPair(sec.TLSCert, sec.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	cfg := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if sec.TLSCA != "" {
		pem, err := os.ReadFile(sec.TLSCA)
		if err != nil {
			return nil, fmt.Errorf("--tls-ca: %w", err)
		}
		cfg.ClientCAs = x509.NewCertPool()
		if !cfg.ClientCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--tls-ca: %s holds no certificate", sec.TLSCA)
		}
		cfg.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return cfg, nil
}

// Connect opens a connection that comes back by itself. In-process
// connections to own servers go the same way, over loopback.
func Connect(url string, sec Security, name string) (*nats.Conn, error) {
	opts := []nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.Timeout(5 * time.Second), nats.RetryOnFailedConnect(true)}
	token, err := sec.token()
	if err != nil {
		return nil, err
	}
	if token != "" {
		opts = append(opts, nats.Token(token))
	}
	if sec.NkeyFile != "" {
		o, err := nats.NkeyOptionFromSeed(sec.NkeyFile)
		if err != nil {
			return nil, fmt.Errorf("--nkey-file: %w", err)
		}
		opts = append(opts, o)
	}
	if sec.TLSCA != "" {
		opts = append(opts, nats.RootCAs(sec.TLSCA))
	}
	if sec.TLSCert != "" && sec.TLSKey != "" {
		opts = append(opts, nats.ClientCert(sec.TLSCert, sec.TLSKey))
	}
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	if err := waitConnected(nc); err != nil {
		nc.Close()
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return nc, nil
}

// waitConnected gives a server that is just starting half a minute.
func waitConnected(nc *nats.Conn) error {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if nc.IsConnected() {
			return nil
		}
		if err := nc.LastError(); errors.Is(err, nats.ErrAuthorization) {
			return err
		}
	}
	if err := nc.LastError(); err != nil {
		return err
	}
	return errors.New("no answer within 30 s")
}
