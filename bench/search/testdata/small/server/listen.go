// Package server answers requests.
package server

import "time"

// Server answers requests on one address.
type Server struct {
	Addr        string
	IdleTimeout time.Duration
}

// ListenAndServe listens on the address and answers requests until Close.
func (s *Server) ListenAndServe() error {
	host, port := splitHostPort(s.Addr)
	return s.serve(host, port)
}

// Close ends the server without waiting for requests that are being answered.
func (s *Server) Close() error { return nil }

// Shutdown waits until all requests are answered, and closes idle connections.
func (s *Server) Shutdown(grace time.Duration) error { return nil }

func (s *Server) serve(host, port string) error { return nil }

// splitHostPort cuts an address at its last colon.
func splitHostPort(addr string) (host, port string) {
	for i := len(addr) - 1; i >= 0; i-- {
		if addr[i] == ':' {
			return addr[:i], addr[i+1:]
		}
	}
	return addr, ""
}
