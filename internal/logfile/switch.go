package logfile

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// Switch is a handler that passes records of a level and above on to others, and
// whose level and others can be exchanged at any time, for all loggers that were
// derived from it as well.
type Switch struct {
	current *atomic.Pointer[setting]
	with    []func(slog.Handler) slog.Handler // functions that With has added, in order
	derived atomic.Pointer[setting]           // the current setting, with that
}

// setting is the present configuration of a Switch.
type setting struct {
	level slog.Level
	to    slog.Handler
	of    *setting // that it was derived from
}

// NewSwitch returns a Switch that passes nothing on.
func NewSwitch() *Switch {
	s := &Switch{current: new(atomic.Pointer[setting])}
	s.Set(slog.LevelError)
	return s
}

// Set passes records of a level and above on to the handlers from now on.
func (s *Switch) Set(level slog.Level, to ...slog.Handler) {
	s.current.Store(&setting{level: level, to: slog.NewMultiHandler(to...)})
}

// now is the current setting, with the attributes and groups of this Switch.
func (s *Switch) now() *setting {
	current := s.current.Load()
	if len(s.with) == 0 {
		return current
	}
	if known := s.derived.Load(); known != nil && known.of == current {
		return known
	}
	next := &setting{level: current.level, to: current.to, of: current}
	for _, add := range s.with {
		next.to = add(next.to)
	}
	s.derived.Store(next)
	return next
}

// Enabled implements slog.Handler.
func (s *Switch) Enabled(ctx context.Context, level slog.Level) bool {
	now := s.now()
	return level >= now.level && now.to.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (s *Switch) Handle(ctx context.Context, r slog.Record) error {
	now := s.now()
	if r.Level < now.level {
		return nil // the level has been raised since Enabled
	}
	return now.to.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (s *Switch) WithAttrs(attrs []slog.Attr) slog.Handler {
	return s.adding(func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (s *Switch) WithGroup(name string) slog.Handler {
	return s.adding(func(h slog.Handler) slog.Handler { return h.WithGroup(name) })
}

func (s *Switch) adding(add func(slog.Handler) slog.Handler) *Switch {
	return &Switch{current: s.current, with: append(s.with[:len(s.with):len(s.with)], add)}
}
