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

// codeReadRequired refuses to overwrite what the peer has not read.
const codeReadRequired = "READ_REQUIRED"

// memory is what is known of a file, and of the peer that writes it, when it is written.
type memory struct {
	peer     bool   // somebody calls whose reading is remembered
	seen     string // digest of what the peer has last seen of the file; "" for nothing
	old, new []byte // contents of the file, before and after
}

// keep makes the new content and remembers both.
func (m *memory) keep(old []byte, produce func() ([]byte, error)) ([]byte, error) {
	content, err := produce()
	m.old, m.new = old, content
	return content, err
}

// known reports whether the peer knows all of a file that it has just written, and did so before if it only added to it.
func (w *writing) known(created bool) bool {
	return !w.append || created || w.seen != "" && w.seen == digestOf(w.old)
}

// blind reports whether the content replaces one that the caller has not read.
func (w *writing) blind(o security.UpdateOptions) bool {
	return !w.append && o.ExpectedSHA256 == "" && w.seen == ""
}

// checkSeen refuses to overwrite a file that is not what the peer last saw. It runs under the lock of the file.
func (f *Files) checkSeen(w *writing, path string, old []byte) error {
	if !w.peer || w.seen == "" && !f.options.RequireRead {
		return nil
	}
	if w.seen == "" {
		return unread(path)
	}
	if is := digestOf(old); is != w.seen {
		return changedSince(path, is, w.seen)
	}
	return nil
}

// checkLarge is checkSeen for a file that is too large to be read as a whole, so that nobody can have seen it.
func (f *Files) checkLarge(ctx context.Context, s *source, path string, w *writing, o security.UpdateOptions) error {
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
		return unread(path)
	}
	is, err := s.digest(ctx)
	if err == nil {
		err = changedSince(path, is, seen)
	}
	return err
}

func unread(path string) error {
	return &mcp.ToolError{Code: codeReadRequired, Message: quote(path) + " exists, and was not read before it is overwritten",
		Next: "read all of it first, or name the sha256 that it has as expectedSha256"}
}

func changedSince(path, is, seen string) error {
	return &security.Error{Code: security.StaleFile, AttemptedPath: path,
		Message: fmt.Sprintf("%s has changed since it was last read here: its sha256 is %s and was %s.", quote(path), is, seen),
		Next:    "Read it again, and base the change on its present content."}
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// digest reads the whole file, however large.
func (s *source) digest(ctx context.Context) (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, ctxReader{ctx, io.NewSectionReader(s, 0, s.size)}); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// ctxReader ends when its context does.
type ctxReader struct {
	ctx context.Context
	io.Reader
}

func (r ctxReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, &security.Error{Code: security.CodeOf(err), Err: err}
	}
	return r.Reader.Read(p)
}
