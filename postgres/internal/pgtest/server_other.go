//go:build !unix

package pgtest

import (
	"context"
	"errors"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// Server is PostgreSQL, which is not started on this system.
type Server struct{ Durable bool }

var errSystem = errors.New("PostgreSQL is not started on this system")

// Database skips the test.
func (s *Server) Database(t testing.TB) string {
	testrequire.Thing(t, false, "PostgreSQL", errSystem.Error())
	return ""
}

// NewDatabase is an error.
func (s *Server) NewDatabase(context.Context) (string, error) { return "", errSystem }

// Address is that of a database.
func (s *Server) Address(string) string { return "" }

// Socket is where the server would listen.
func (s *Server) Socket() string { return "" }

// Start is an error.
func (s *Server) Start() error { return errSystem }

// Stop does nothing.
func (s *Server) Stop() {}

// Kill does nothing.
func (s *Server) Kill() {}

// Close does nothing.
func (s *Server) Close() {}
