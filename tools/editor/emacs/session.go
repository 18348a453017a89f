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
)

// helloTimeout is how long Emacs may take to say who it is.
const helloTimeout = 3 * time.Second

// silence ends a connection on which nothing is heard.
type silence struct {
	conn  net.Conn
	timer *time.Timer
	ended atomic.Bool
}

func (s *silence) end() {
	s.ended.Store(true)
	s.conn.Close()
}

// session is an Emacs that is there. Questions have connections of their own; this one shows when it ends.
type session struct {
	place   place
	version string
	conn    net.Conn
}

// connect finds out who answers.
func connect(ctx context.Context, p place) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	var hello struct {
		Version string `json:"version"`
	}
	if err := p.ask(ctx, "hello", struct{}{}, &hello); err != nil {
		return nil, err
	}
	version := truncate.Line(hello.Version, 20)
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 27 {
		return nil, fmt.Errorf("it is version %q, and has to be 27 or later", version)
	}
	conn, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	return &session{place: p, version: version, conn: conn}, nil
}

// wait waits until Emacs, or ctx, ends. Emacs says nothing on a connection that nothing was said on.
func (s *session) wait(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { s.conn.Close() })
	defer stop()
	defer s.conn.Close()
	var b [1]byte
	_, _ = s.conn.Read(b[:]) // whatever it is, this is over
}

func (s *session) ask(ctx context.Context, question string, args, result any) error {
	err := s.place.ask(ctx, question, args, result)
	if err != nil && ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}
