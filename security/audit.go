package security

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/rotate"
	"github.com/dougu-go/dougu/security/redact"
)

// AuditOptions configures OpenAudit. Every member has a default.
type AuditOptions struct {
	// Path is the file that records are appended to, one JSON object a line, readable by its owner alone. Empty keeps records
	// in memory only.
	Path string
	// MaxSize is the size in bytes beyond which the file is set aside as Path.1, Path.1 as Path.2 and so on; 10 MiB by default.
	MaxSize int64
	// MaxFiles is how many files that were set aside are kept; 5 by default.
	MaxFiles int
	// Recent is how many records are kept in memory for Recent; 256 by default.
	Recent int
	// Sync flushes every record to the disk before the operation goes on.
	Sync bool
	// Redactor removes secrets from parameters; nil is the default one.
	Redactor *redact.Redactor
}

const (
	defaultAuditSize   = 10 << 20
	defaultAuditFiles  = 5
	defaultAuditRecent = 256
	maxAuditParams     = 32 << 10 // bytes of one record's parameters
)

// AuditEntry is an operation to record.
type AuditEntry struct {
	Operation string // such as a tool's name
	Params    any    // encoded as JSON, without its secrets, with long values cut to their beginning and digest
}

// AuditRecord is one line of the audit log. An operation that changes something has two of the same ID: one with the result
// "started" before its effect, and one with its outcome.
type AuditRecord struct {
	ID         string  `json:"id"`
	Timestamp  string  `json:"timestamp"` // RFC 3339, UTC, with milliseconds
	Operation  string  `json:"operation"`
	Params     string  `json:"params"` // JSON text
	Result     string  `json:"result"` // "started", "ok" or "error"
	ErrorCode  Code    `json:"errorCode,omitempty"`
	DurationMS float64 `json:"durationMs,omitempty"`
	UserID     string  `json:"userId"`
	SessionID  string  `json:"sessionId"`
}

// Audit records operations. A nil *Audit records nothing and the zero value keeps records in memory. Its methods may be called
// from several goroutines at once, and several processes may share a file.
type Audit struct {
	options AuditOptions

	mu     sync.Mutex
	file   *rotate.File
	recent []AuditRecord // a ring once it is full
	next   int           // where the next record goes in a full ring
}

// OpenAudit opens the audit log.
func OpenAudit(o AuditOptions) (*Audit, error) {
	a := &Audit{options: o}
	if o.Path == "" {
		return a, nil
	}
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("find audit log: %w", rootfs.Reason(err))
	}
	a.options.Path = path
	a.file = &rotate.File{Name: path, Max: o.MaxSize, Keep: o.MaxFiles, Sync: o.Sync}
	if a.file.Max <= 0 {
		a.file.Max = defaultAuditSize
	}
	if a.file.Keep <= 0 {
		a.file.Keep = defaultAuditFiles
	}
	if err := a.file.Open(); err != nil {
		return nil, &Error{Code: AuditFailed, Message: fmt.Sprintf("The audit log cannot be opened: %v.", rootfs.Reason(err)), Next: "Choose a file that this user can write to.", Err: rootfs.Reason(err)}
	}
	return a, nil
}

// Close closes the file. Changes that are recorded afterwards are refused.
func (a *Audit) Close() error {
	if a == nil || a.file == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.file.Close()
}

// path is the absolute name of the file, or "".
func (a *Audit) path() string {
	if a == nil {
		return ""
	}
	return a.options.Path
}

// AuditCall is an operation that was recorded as started.
type AuditCall struct {
	audit  *Audit
	record AuditRecord
	start  time.Time
}

// Begin records that an operation that changes something is about to start. When it fails, with AUDIT_FAILED, the operation
// must not be carried out.
func (a *Audit) Begin(ctx context.Context, e AuditEntry) (*AuditCall, error) {
	if a == nil {
		return nil, nil
	}
	call := &AuditCall{audit: a, record: a.record(ctx, e), start: time.Now()}
	call.record.Result = "started"
	if err := a.write(call.record); err != nil {
		return nil, err
	}
	return call, nil
}

// End records the outcome of the operation.
func (c *AuditCall) End(outcome error) error {
	if c == nil {
		return nil
	}
	c.record.Timestamp = timestamp()
	c.record.finish(time.Since(c.start), outcome)
	return c.audit.write(c.record)
}

// Log records an operation that is over and changed nothing, with the time it took.
func (a *Audit) Log(ctx context.Context, e AuditEntry, took time.Duration, outcome error) error {
	if a == nil {
		return nil
	}
	record := a.record(ctx, e)
	record.finish(took, outcome)
	return a.write(record)
}

// Recent returns up to n of the latest records, the latest first.
func (a *Audit) Recent(n int) []AuditRecord {
	if a == nil || n <= 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	records := make([]AuditRecord, 0, min(n, len(a.recent)))
	for i := range min(n, len(a.recent)) {
		at := (a.next - 1 - i + 2*len(a.recent)) % len(a.recent)
		records = append(records, a.recent[at])
	}
	return records
}

func (a *Audit) record(ctx context.Context, e AuditEntry) AuditRecord {
	id := IdentityFrom(ctx)
	return AuditRecord{
		ID:        rand.Text(),
		Timestamp: timestamp(),
		Operation: shorten(e.Operation),
		Params:    encodeParams(a.options.Redactor, e.Params),
		UserID:    shorten(id.UserID),
		SessionID: shorten(id.SessionID),
	}
}

func (r *AuditRecord) finish(took time.Duration, outcome error) {
	r.DurationMS = float64(took.Microseconds()) / 1000
	r.Result = "ok"
	if outcome != nil {
		r.Result, r.ErrorCode = "error", CodeOf(outcome)
	}
}

// write puts a record into the file first, and then among the recent ones.
func (a *Audit) write(record AuditRecord) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file != nil {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		err := enc.Encode(record)
		if err == nil {
			err = a.file.Append(line.Bytes())
		}
		if err != nil {
			cause := rootfs.Reason(err)
			return &Error{Code: AuditFailed, Message: fmt.Sprintf("The audit log cannot be written: %v.", cause), Err: cause}
		}
	}
	limit := a.options.Recent
	if limit <= 0 {
		limit = defaultAuditRecent
	}
	if len(a.recent) < limit {
		a.recent = append(a.recent, record)
		a.next = len(a.recent) % limit
		return nil
	}
	a.recent[a.next] = record
	a.next = (a.next + 1) % limit
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
	if len(text) > maxAuditParams {
		sum := sha256.Sum256(text)
		text = fmt.Appendf(nil, `{"omitted":"… [%d bytes, sha256 %x]"}`, len(text), sum[:8])
	}
	return string(text)
}

func timestamp() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }
