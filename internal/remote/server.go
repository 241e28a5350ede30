package remote

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"schedtune/internal/fileio"
	"schedtune/internal/text"
)

// Security says how driver, server and workers trust each other.
type Security struct {
	TokenFile string // one line; both sides
	NkeyFile  string // seed of a worker's or driver's nkey, for an external server
	TLSCert   string // certificate of the server
	TLSKey    string
	TLSCA     string // authority to trust; for a server: of client certificates
	Insecure  bool   // allow other machines without TLS, and servers without token
}

// Server is a JetStream server inside this process.
type Server struct {
	s           *server.Server
	token, left string // a token of its own, and where it was left
}

// Listen starts a server. addr is host:port; a host that is not loopback needs
// TLS and a token, or Insecure. On loopback without a token it makes one. dir
// holds its store.
func Listen(addr, dir string, sec Security) (*Server, error) {
	return listen(addr, dir, sec, newToken())
}

// listen is Listen with the token to use on loopback if sec has none.
func listen(addr, dir string, sec Security, fresh string) (*Server, error) {
	host, port, err := hostPort(addr)
	if err != nil {
		return nil, err
	}
	if !text.Loopback(host) && !sec.Insecure && (sec.TokenFile == "" || sec.TLSCert == "") {
		return nil, fmt.Errorf("--listen: %s is reachable from other machines; add --tls-cert, --tls-key and "+
			"--token-file, or --insecure", addr)
	}
	o := &server.Options{Host: host, Port: port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true,
		MaxPayload: maxMessage}
	if o.Authorization, err = readToken(sec.TokenFile); err != nil {
		return nil, err
	}
	own := ""
	if o.Authorization == "" && text.Loopback(host) {
		own = fresh
		o.Authorization = own
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
		return nil, fmt.Errorf("--listen: %s can't be listened on; use a free port of this machine", addr)
	}
	srv := &Server{s: s, token: own}
	if own != "" {
		addr := s.Addr().(*net.TCPAddr)
		if srv.left, err = leaveToken(strconv.Itoa(addr.Port), own); err != nil {
			s.Shutdown()
			return nil, err
		}
	}
	return srv, nil
}

// hostPort splits HOST:PORT; port 0 is one that is free.
func hostPort(addr string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("--listen: %q: must be HOST:PORT", addr)
	}
	if port, err = strconv.Atoi(text); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("--listen: port %q: must be 0 to 65535", text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// TokenFile is where the server left the token it made; empty if it was given
// one, or has none.
func (s *Server) TokenFile() string { return s.left }

// maxMessage bounds one message, in bytes.
const maxMessage = 8 << 20

// URL is where workers connect.
func (s *Server) URL() string { return s.s.ClientURL() }

// Close stops the server and keeps its store.
func (s *Server) Close() {
	if s.left != "" {
		takeToken(s.left, s.token)
	}
	s.s.Shutdown()
	s.s.WaitForShutdown()
}

func serverTLS(sec Security) (*tls.Config, error) {
	cert, err := tls.LoadX509KeyPair(sec.TLSCert, sec.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	cfg := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if sec.TLSCA != "" {
		pem, err := fileio.ReadFile(sec.TLSCA, fileio.Small)
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
