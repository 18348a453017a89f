package fs

import (
	"bytes"
	"context"
	"fmt"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// WriteArgs are the arguments of write_file.
type WriteArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
	// Content is the complete file, or the text to append, at most tools.Limits.MaxFile bytes. It is base64 if Encoding is
	// binary.
	Content string `json:"content"`
	// Encoding has the names of ReadArgs.Encoding. The default auto keeps the encoding of the file; for a new file it is
	// Options.NewFileEncoding. Another name converts an existing file. A new file in UTF-16 gets a byte-order mark; an existing
	// file keeps its mark or its absence.
	Encoding string `json:"encoding,omitempty" jsonschema:"default=auto"`
	// CreateDirectories creates missing directories. The default is Options.CreateDirectories.
	CreateDirectories *bool `json:"createDirectories,omitempty" jsonschema:"default=false"`
	// Overwrite allows to replace an existing file; without it the error is ALREADY_EXISTS. Appending does not need it.
	Overwrite *bool `json:"overwrite,omitempty" jsonschema:"default=true"`
	// CreateBackup keeps the former content. The default is Options.CreateBackup. A file that the caller has not read is kept
	// in any case.
	CreateBackup *bool `json:"createBackup,omitempty" jsonschema:"default=false"`
	// ExpectedSHA256 is the digest of the last read or write. If the file has another digest, the call fails with STALE_FILE
	// and writes nothing.
	ExpectedSHA256 string `json:"expectedSha256,omitempty" jsonschema:"description=From read_file; refuses if the file changed since"`
	// Mode is overwrite, the default, or append.
	Mode string `json:"mode,omitempty" jsonschema:"enum=overwrite,enum=append"`
	// EOL is lf, crlf or keep, the default. keep changes LF and CRLF in Content to the line end of the file, or of the replaced
	// line if they are mixed. A new file gets Content unchanged.
	EOL string `json:"eol,omitempty" jsonschema:"enum=keep,enum=lf,enum=crlf"`
	// DryRun returns the change and writes nothing. It fails in all cases in which the write would fail.
	DryRun bool `json:"dryRun,omitempty"`
}

// WriteResult is the result of write_file.
type WriteResult struct {
	Success bool   `json:"success"` // always true; a failure is an error
	Path    string `json:"path"`    // as ReadResult.Path
	Size    int64  `json:"size"`    // bytes of the file after the call
	Created bool   `json:"created"` // the file did not exist before
	// BytesWritten is the number of bytes of the new or appended content in the file.
	BytesWritten int64 `json:"bytesWritten"`
	// Unchanged means that the file had this content already and was not written. BytesWritten is 0 then.
	Unchanged bool `json:"unchanged,omitempty"`
	// BackupPath is the path of the former content, for other calls.
	BackupPath string `json:"backupPath,omitempty"`
	SHA256     string `json:"sha256"`   // digest after the call; empty if a dry run found no file
	Encoding   string `json:"encoding"` // encoding after the call, or after the change of a dry run
	InEditor
	// DryRun means that nothing was written. Created and Unchanged describe the planned change, Size and SHA256 the present
	// file.
	DryRun bool `json:"dryRun,omitempty"`
	// Diff is the unified diff of a dry run, cut to the budget of an answer.
	Diff string `json:"diff,omitempty"`
}

// TextContent returns the text for the model.
func (r WriteResult) TextContent() string {
	if r.DryRun {
		return r.dryRunText()
	}
	done := "wrote " + plural.Count(r.BytesWritten, "byte")
	switch {
	case r.Created:
		done = "created"
	case r.Unchanged:
		done = "unchanged, it had this content already"
	}
	text := fmt.Sprintf("[%s: %s%s; now %s, %s, sha256 %s]", r.Path, done, r.where(), plural.Count(r.Size, "byte"), r.Encoding, security.ShortSHA256(r.SHA256))
	if r.BackupPath != "" {
		text += "\n[former content: " + r.BackupPath + "]"
	}
	return text
}

// Write implements write_file.
//
// A write over a file that has changed since the same peer completely read or wrote it fails with STALE_FILE, unless
// ExpectedSHA256 is the present digest. If the peer has not read the file and gives no ExpectedSHA256, a backup is kept; with
// Options.RequireRead the error is READ_REQUIRED. See tools.WithPeer for calls without a client.
func (f *Files) Write(ctx context.Context, args WriteArgs) (WriteResult, error) {
	w, err := f.newPendingWrite(args)
	if err != nil {
		return WriteResult{}, wrapPath("writing", args.Path, err)
	}
	done, err := f.write(ctx, args, w)
	if err != nil {
		if !valueOr(args.CreateDirectories, f.options.CreateDirectories) && args.ExpectedSHA256 == "" {
			err = withNextStep(err, security.FileNotFound, func(old string) string {
				return old + " To make directories that are missing, call again with createDirectories=true."
			})
		}
		return WriteResult{}, wrapPath("writing", args.Path, err)
	}
	result := WriteResult{
		Success: true, Path: done.Path, Size: done.Size, Created: done.Created, BytesWritten: w.written, Unchanged: done.Unchanged,
		BackupPath: done.BackupPath, SHA256: done.SHA256, Encoding: w.encoding.String(), DryRun: args.DryRun, InEditor: inEditor(done),
	}
	if args.DryRun {
		result.BytesWritten = 0
		result.Diff = w.diff(done.Path, done.Created, f.budget(0, done.Path))
	} else if w.isKnown(done.Created) && !done.Altered {
		f.ledger.Record(ctx, done.Path, done.SHA256)
	}
	return result, nil
}

// newPendingWrite validates the arguments for the content.
func (f *Files) newPendingWrite(args WriteArgs) (*pendingWrite, error) {
	w := &pendingWrite{content: args.Content, append: args.Mode == "append", forNew: f.encoding}
	var err error
	if w.encoding, err = textfile.Parse(args.Encoding); err != nil {
		return nil, err
	}
	if w.policy, err = textfile.ParsePolicy(args.EOL); err != nil {
		return nil, err
	}
	switch {
	case args.Mode != "" && args.Mode != "overwrite" && args.Mode != "append":
		return nil, invalid("use overwrite or append", "there is no mode %s", quote(args.Mode))
	case w.encoding == textfile.Binary && w.policy != textfile.Keep:
		return nil, conflict("eol "+w.policy.String(), "encoding binary", "leave eol out")
	case w.encoding == textfile.Binary:
		if err := w.decodeBase64(); err != nil {
			return nil, err
		}
	}
	if n := int64(len(w.content)); n > f.limits.MaxFile {
		return nil, &security.Error{Code: security.FileTooLarge, AttemptedPath: args.Path,
			Message: fmt.Sprintf("The content has %d bytes; at most %d can be written at once.", n, f.limits.MaxFile),
			Next:    "Write the first part, and the others with mode=append."}
	}
	return w, nil
}

// write writes the content to the file. f.ledger records the digests of the files that each peer has seen. write sets in w the
// digest that the peer has seen, and the old and new content for the diff of a dry run.
func (f *Files) write(ctx context.Context, args WriteArgs, w *pendingWrite) (security.WriteResult, error) {
	o := security.UpdateOptions{
		MaxSize: f.limits.MaxFile, Create: true, ExpectedSHA256: args.ExpectedSHA256, DryRun: args.DryRun,
		CreateDirs: valueOr(args.CreateDirectories, f.options.CreateDirectories), Backup: valueOr(args.CreateBackup, f.options.CreateBackup),
	}
	if !w.append && !valueOr(args.Overwrite, true) {
		return f.writeNew(ctx, args.Path, w, o)
	}
	o.BackupIf = func(security.FileInfo) bool { return w.overwritesUnread(o) }
	done, err := f.root.Update(ctx, args.Path, o, func(old []byte, info security.FileInfo) ([]byte, error) {
		if info.Kind == 0 {
			return w.record(nil, w.encodeNew)
		}
		w.seen, w.peer = f.ledger.Seen(ctx, info.Path)
		return w.record(old, func() ([]byte, error) {
			content, err := w.encodeChange(old)
			// Nothing is lost if the content is equal or appended. An ExpectedSHA256 was checked by Root.Update.
			losesNothing := w.append || err == nil && bytes.Equal(content, old)
			if losesNothing || args.ExpectedSHA256 != "" {
				return content, err
			}
			if stale := f.checkSeen(w, args.Path, old); stale != nil {
				return nil, stale
			}
			return content, err
		})
	})
	if security.CodeOf(err) == security.FileTooLarge {
		return f.writeLarge(ctx, args.Path, w, o)
	}
	if done.Unchanged {
		w.written = 0
	}
	return done, err
}

// writeNew creates a file. An existing file is an error.
func (f *Files) writeNew(ctx context.Context, path string, w *pendingWrite, o security.UpdateOptions) (security.WriteResult, error) {
	content, err := w.record(nil, w.encodeNew)
	if err != nil {
		return security.WriteResult{}, err
	}
	var done security.WriteResult
	if o.DryRun {
		done, err = f.dryRunNew(ctx, path, content, o)
	} else {
		done, err = f.root.Write(ctx, path, content, security.WriteOptions{CreateDirs: o.CreateDirs, ExpectedSHA256: o.ExpectedSHA256})
	}
	return done, withNextStep(err, security.AlreadyExists, func(string) string {
		return "Read the file and call again with overwrite=true to replace it, or choose another path."
	})
}

// writeLarge replaces or extends a file that is larger than tools.Limits.MaxFile. It detects the encoding and line ends from the
// beginning of the file. checkLarge refuses a dry run, because the change cannot be shown without the old content.
func (f *Files) writeLarge(ctx context.Context, path string, w *pendingWrite, o security.UpdateOptions) (security.WriteResult, error) {
	s, err := openSource(ctx, f.root, path, 0)
	if err != nil {
		return security.WriteResult{}, err
	}
	defer s.Close()
	if err := f.checkLarge(ctx, s, path, w, o); err != nil {
		return security.WriteResult{}, err
	}
	content, err := w.encodeLargeChange(s)
	if err != nil {
		return security.WriteResult{}, err
	}
	w.seen, w.peer = f.ledger.Seen(ctx, s.info.Path)
	return f.root.Write(ctx, path, content, security.WriteOptions{
		Overwrite: true, Append: w.append, ExpectedSHA256: o.ExpectedSHA256, CreateDirs: o.CreateDirs, Backup: o.Backup || w.overwritesUnread(o),
	})
}
