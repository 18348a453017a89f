package emacs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// helloTimeout limits the connection to a server.
const helloTimeout = 3 * time.Second

// silence closes a connection after a time without data.
type silence struct {
	conn  net.Conn
	timer *time.Timer
	ended atomic.Bool
}

// end closes the connection.
func (s *silence) end() {
	s.ended.Store(true)
	s.conn.Close()
}

// session is a running Emacs. Requests use their own connections; conn only shows when Emacs ends.
type session struct {
	endpoint endpoint
	pid      int // process of Emacs; 0 if not known
	version  string
	conn     net.Conn
}

// connect checks the version of Emacs and opens a session.
func (e *Emacs) connect(p endpoint) (*session, error) {
	ctx, cancel := context.WithTimeout(e.ctx, helloTimeout)
	defer cancel()
	conn, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{endpoint: p, pid: local.PeerPID(conn), conn: conn}
	e.connections.Dialed(p.file, s.pid)
	if s.version, err = p.version(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

// version returns the version of Emacs. Versions that are not supported are errors.
func (p endpoint) version(ctx context.Context) (string, error) {
	var hello struct {
		Version string `json:"version"`
	}
	if err := p.ask(ctx, "hello", struct{}{}, &hello); err != nil {
		return "", err
	}
	version := truncate.Line(hello.Version, 20)
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 27 {
		return "", fmt.Errorf("version %q is not supported; 27 or later is required", version)
	}
	return version, nil
}

// wait blocks until Emacs or ctx ends. Emacs sends nothing on a connection without a request.
func (s *session) wait(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { s.conn.Close() })
	defer stop()
	defer s.conn.Close()
	var b [1]byte
	_, _ = s.conn.Read(b[:]) // any result means the end of the connection
}

// ask runs a request. If ctx has ended, the error wraps its cause.
func (s *session) ask(ctx context.Context, question string, args, result any) error {
	err := s.endpoint.ask(ctx, question, args, result)
	if err != nil && ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}
