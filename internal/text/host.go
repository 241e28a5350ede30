package text

import "net"

// Loopback reports whether the name or address of a host is that of this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
