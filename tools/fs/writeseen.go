package fs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
)

// codeReadRequired is the code for a write over a file that the peer has not read.
const codeReadRequired = "READ_REQUIRED"

// writeState holds the old and new content of a file, and the digest that the writing peer has seen.
type writeState struct {
	peer bool // the caller is a peer whose reads are recorded
	// digest of the file when the peer last saw it; "" if it has not
	seen     string
	old, new []byte // contents of the file, before and after
}

// record runs produce and records the old and the new content.
func (m *writeState) record(old []byte, produce func() ([]byte, error)) ([]byte, error) {
	content, err := produce()
	m.old, m.new = old, content
	return content, err
}

// isKnown reports whether the peer knows the complete file after the write. After an append it must have known the file before.
func (w *pendingWrite) isKnown(created bool) bool {
	return !w.append || created || w.seen != "" && w.seen == digestOf(w.old)
}

// overwritesUnread reports whether the write replaces content that the caller has not read.
func (w *pendingWrite) overwritesUnread(o security.UpdateOptions) bool {
	return !w.append && o.ExpectedSHA256 == "" && w.seen == ""
}

// checkSeen returns an error if the file differs from the content that the peer last saw. The caller holds the lock of the
// file.
func (f *Files) checkSeen(w *pendingWrite, path string, old []byte) error {
	if !w.peer || w.seen == "" && !f.options.RequireRead {
		return nil
	}
	if w.seen == "" {
		return errReadRequired(path)
	}
	if is := digestOf(old); is != w.seen {
		return errStaleFile(path, is, w.seen)
	}
	return nil
}

// checkLarge is checkSeen for a file that is too large to be held. A complete read of it is never recorded.
func (f *Files) checkLarge(ctx context.Context, s *source, path string, w *pendingWrite, o security.UpdateOptions) error {
	if o.DryRun {
		return &security.Error{Code: security.FileTooLarge, AttemptedPath: path,
			Message: fmt.Sprintf("%s has %d bytes, too many to be compared.", quote(path), s.size), Next: "Call again without dryRun."}
	}
	if w.append || o.ExpectedSHA256 != "" {
		return nil
	}
	seen, peer := f.ledger.Seen(ctx, s.info.Path)
	switch {
	case !peer || seen == "" && !f.options.RequireRead:
		return nil
	case seen == "":
		return errReadRequired(path)
	}
	is, err := s.digest(ctx)
	if err == nil {
		err = errStaleFile(path, is, seen)
	}
	return err
}

// errReadRequired returns the READ_REQUIRED error.
func errReadRequired(path string) error {
	return &mcp.ToolError{Code: codeReadRequired, Message: quote(path) + " exists, and was not read before it is overwritten",
		Next: "read all of it first, or name the sha256 that it has as expectedSha256"}
}

// errStaleFile returns the STALE_FILE error.
func errStaleFile(path, is, seen string) error {
	return &security.Error{Code: security.StaleFile, AttemptedPath: path,
		Message: fmt.Sprintf("%s has changed since it was last read here: its sha256 is %s and was %s.", quote(path), security.ShortSHA256(is), security.ShortSHA256(seen)),
		Next:    "Read it again, and base the change on its present content."}
}

// digestOf returns the SHA-256 of the content in hexadecimal.
func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// digest reads the complete file and returns its SHA-256.
func (s *source) digest(ctx context.Context) (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, ctxReader{ctx, io.NewSectionReader(s, 0, s.size)}); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// ctxReader is a reader that fails when its context has ended.
type ctxReader struct {
	ctx context.Context
	io.Reader
}

// Read reads from the Reader unless the context has ended.
func (r ctxReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, &security.Error{Code: security.CodeOf(err), Err: err}
	}
	return r.Reader.Read(p)
}
