package tools

import (
	"context"
	"log/slog"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
)

// Env is all that a set may touch. Sets have no globals: two sets with
// different environments do not know of each other.
type Env struct {
	Root   *security.Root // the files
	Limits Limits
	Log    *slog.Logger // nil discards
	Audit  *audit.Log   // nil records nothing
	Seen   *Ledger      // the peers' knowledge of the files; nil: each set has its own
}

// Logger returns the log, or one that discards.
func (e Env) Logger() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}

// Limits are the limits of answers and of files that tools read, in bytes. Zero fields have the defaults.
type Limits struct {
	// Answer is the budget of an answer unless a call asks for another.
	// Default 32 KiB.
	Answer int
	// MaxAnswer is the most that a call may ask for. Default 10 MB.
	MaxAnswer int
	// MaxFile is the most that is read of one file. Default 10 MiB.
	MaxFile int64
}

// WithDefaults fills in the defaults.
func (l Limits) WithDefaults() Limits {
	if l.MaxAnswer <= 0 {
		l.MaxAnswer = 10_000_000
	}
	if l.Answer <= 0 {
		l.Answer = 32 << 10
	}
	l.Answer = min(l.Answer, l.MaxAnswer)
	if l.MaxFile <= 0 {
		l.MaxFile = 10 << 20
	}
	return l
}

// Set is a group of tools with shared state.
type Set interface {
	// Features returns the features of the set. It is called once for each installation, and again after changes of a Watcher.
	Features() mcp.Features
	// Close releases the resources of the set. None of its tools is running at that time.
	Close(ctx context.Context) error
}
