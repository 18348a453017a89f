// Package audit records the operations of tools. A [Log] writes one JSON object a line to a file,
// or keeps records in memory. A changing operation is recorded twice: [Log.Begin] before its effect
// and [Call.End] with its outcome. If Begin fails, the operation must not run. [Log.Record] records
// an operation without changes once, at its end.
//
// [WithIdentity] adds the [Identity] of a user and session to the context of an operation; package
// tools calls it. Package redact removes secrets from the parameters and truncates long values.
package audit

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/rotate"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security/internal/errcode"
	"github.com/dougu-go/dougu/security/redact"
)

// Options are the settings of Open. Each field has a default.
type Options struct {
	// Path is the file to which records are appended, readable by its owner only. Empty keeps
	// records in memory only.
	Path string
	// MaxSize is the size in bytes at which the file is rotated to Path.1, Path.2 and so on.
	// Default 10 MiB.
	MaxSize int64
	// MaxFiles is the number of rotated files that are kept. Default 5.
	MaxFiles int
	// Recent is the number of records in memory, for Log.Recent. Default 256.
	Recent int
	// Sync flushes each record to disk before the operation continues.
	Sync bool
	// Redactor removes secrets from parameters and truncates each value to redact.Options.MaxValue.
	// Nil uses the default Redactor, which truncates to 256 bytes.
	Redactor *redact.Redactor
}

const (
	defaultMaxSize  = 10 << 20
	defaultMaxFiles = 5
	defaultRecent   = 256
	// maxParams is the maximum size of one record's parameters in bytes. Larger parameters are
	// replaced by their size and hash.
	maxParams = 32 << 10
)

// Entry is an operation to record.
type Entry struct {
	Operation string // for example the name of a tool
	Params    any    // value to encode as JSON; Options.Redactor removes secrets and truncates values
}

// Record is one line of the audit log. A changing operation has two records with the same ID: one
// with the result "started" before its effect, and one with its outcome.
type Record struct {
	ID         string  `json:"id"`
	Timestamp  string  `json:"timestamp"` // of this record: start or end; RFC 3339, UTC, with milliseconds
	Operation  string  `json:"operation"`
	Params     string  `json:"params"`              // JSON text, as a string
	Result     string  `json:"result"`              // "started", "success", "error" or "blocked": refused by a rule for commands or paths
	ErrorCode  string  `json:"errorCode,omitempty"` // stable code of the error, from its method ErrorCode
	DurationMS float64 `json:"durationMs,omitempty"`
	UserID     string  `json:"userId"`    // "unknown" if the context has no Identity
	SessionID  string  `json:"sessionId"` // "unknown" if the context has no Identity
}

// Log records operations. A nil *Log records nothing and the zero value keeps records in memory. Its methods may be called
// from several goroutines at once, and several processes may share a file.
type Log struct {
	options Options

	mu     sync.Mutex   // guards recent and next, and orders the writes to file
	file   *rotate.File // nil if records are kept in memory only
	recent []Record     // ring buffer of Options.Recent records
	next   int          // index of the oldest record once recent is full
}

// Open opens the audit log and creates the file if necessary. A file that cannot be opened causes
// an *Error.
func Open(o Options) (*Log, error) {
	l := &Log{options: o}
	if o.Path == "" {
		return l, nil
	}
	// rootfs.Reason removes file names from errors, which tools must not show to a model.
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("find audit log: %w", rootfs.Reason(err))
	}
	l.options.Path = path
	l.file = &rotate.File{Name: path, Max: o.MaxSize, Keep: o.MaxFiles, Sync: o.Sync}
	if l.file.Max <= 0 {
		l.file.Max = defaultMaxSize
	}
	if l.file.Keep <= 0 {
		l.file.Keep = defaultMaxFiles
	}
	if err := l.file.Open(); err != nil {
		return nil, &Error{Next: "Choose a file that this user can write to.", Err: rootfs.Reason(err), message: fmt.Sprintf("The audit log cannot be opened: %v.", rootfs.Reason(err))}
	}
	return l, nil
}

// Close closes the file. Later changes fail.
func (l *Log) Close() error {
	if l == nil || l.file == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// Path returns the absolute name of the file, or "" if records are kept in memory only.
func (l *Log) Path() string {
	if l == nil {
		return ""
	}
	return l.options.Path
}

// Call is an operation in progress.
type Call struct {
	log    *Log
	record Record
	start  time.Time
}

// Begin records the start of a changing operation. If it returns an error, an *Error, the operation
// must not run. A nil Log returns a nil Call, whose methods do nothing.
func (l *Log) Begin(ctx context.Context, e Entry) (*Call, error) {
	if l == nil {
		return nil, nil
	}
	call := &Call{log: l, record: l.record(ctx, e), start: time.Now()}
	call.record.Result = "started"
	if err := l.write(call.record); err != nil {
		return nil, err
	}
	return call, nil
}

// End records the outcome of the operation; a nil outcome is success.
func (c *Call) End(outcome error) error {
	if c == nil {
		return nil
	}
	c.record.Timestamp = timestamp()
	c.record.finish(time.Since(c.start), outcome)
	return c.log.write(c.record)
}

// Record records a finished operation without changes, with its duration.
func (l *Log) Record(ctx context.Context, e Entry, took time.Duration, outcome error) error {
	if l == nil {
		return nil
	}
	record := l.record(ctx, e)
	record.finish(took, outcome)
	if err := l.write(record); err != nil {
		return err
	}
	if c, ok := ctx.Value(callKey{}).(*callRecord); ok && record.Result == "blocked" {
		c.refused.Store(&record.Operation)
	}
	return nil
}

// callRecord is the value of callKey.
type callRecord struct{ refused atomic.Pointer[string] }

// callKey is the context key of a callRecord.
type callKey struct{}

// WithCall returns the context of a call that is recorded at its end, and a function that reports whether Record has
// already recorded a refusal of the operation in this context. Then it must not be recorded again.
func WithCall(ctx context.Context) (_ context.Context, refused func(operation string) bool) {
	c := new(callRecord)
	return context.WithValue(ctx, callKey{}, c), func(operation string) bool {
		recorded := c.refused.Load()
		return recorded != nil && *recorded == operation
	}
}

// Recent returns up to n of the latest records, the latest first.
func (l *Log) Recent(n int) []Record {
	if l == nil || n <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	records := make([]Record, 0, min(n, len(l.recent)))
	for i := range min(n, len(l.recent)) {
		at := (l.next - 1 - i + 2*len(l.recent)) % len(l.recent)
		records = append(records, l.recent[at])
	}
	return records
}

func (l *Log) record(ctx context.Context, e Entry) Record {
	id := IdentityFrom(ctx)
	return Record{
		ID:        rand.Text(),
		Timestamp: timestamp(),
		Operation: bounded(e.Operation),
		Params:    encodeParams(l.options.Redactor, e.Params),
		UserID:    bounded(id.UserID),
		SessionID: bounded(id.SessionID),
	}
}

func (r *Record) finish(took time.Duration, outcome error) {
	r.DurationMS = float64(took.Microseconds()) / 1000
	r.Result = "success"
	if outcome != nil {
		r.Result, r.ErrorCode = "error", errcode.Of(outcome) // for example TIMEOUT; INTERNAL_ERROR for other errors
	}
	if isRefusal(outcome) {
		r.Result = "blocked"
	}
}

// isRefusal reports whether an outcome is the refusal of a command, or that of a path rule, which has the detail "reason".
func isRefusal(outcome error) bool {
	if errcode.Of(outcome) == "COMMAND_BLOCKED" {
		return true
	}
	var detailed interface{ ErrorDetails() map[string]any }
	return errors.As(outcome, &detailed) && detailed.ErrorDetails()["reason"] != nil
}

// write appends a record to the file, then to the recent records.
func (l *Log) write(record Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		err := enc.Encode(record)
		if err == nil {
			err = l.file.Append(line.Bytes())
		}
		if err != nil {
			cause := rootfs.Reason(err)
			return &Error{Next: "Tell the user that the audit log cannot be written.", Err: cause, message: fmt.Sprintf("The audit log cannot be written: %v.", cause)}
		}
	}
	limit := l.options.Recent
	if limit <= 0 {
		limit = defaultRecent
	}
	if len(l.recent) < limit {
		l.recent = append(l.recent, record)
		l.next = len(l.recent) % limit
		return nil
	}
	l.recent[l.next] = record
	l.next = (l.next + 1) % limit
	return nil
}

// encodeParams encodes the parameters of an operation as JSON text without secrets, of bounded size.
func encodeParams(redactor *redact.Redactor, params any) string {
	if params == nil {
		return "{}"
	}
	encoded, err := json.Marshal(params)
	if err != nil {
		encoded, _ = json.Marshal(fmt.Sprintf("parameters of type %T cannot be encoded", params))
	}
	text := redactor.JSON(encoded)
	if len(text) > maxParams {
		sum := sha256.Sum256(text)
		text = fmt.Appendf(nil, `{"omitted":"… [%d bytes, sha256 %x]"}`, len(text), sum[:8])
	}
	return string(text)
}

// maxText is the maximum length of an operation or identity in a record, in bytes.
const maxText = 300

// bounded truncates a text to maxText bytes of valid UTF-8.
func bounded(s string) string { return truncate.Cut(strings.ToValidUTF8(s, "\uFFFD"), maxText) }

func timestamp() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// Error reports that the log cannot be opened or written. Its code is AUDIT_FAILED.
type Error struct {
	Next    string // the next step of the caller
	Err     error  // the cause, without file names
	message string
}

// Error returns the message.
func (e *Error) Error() string { return e.message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorCode returns the code, which tools answer with.
func (e *Error) ErrorCode() string { return "AUDIT_FAILED" }

// NextStep returns the next step of the caller.
func (e *Error) NextStep() string { return e.Next }
