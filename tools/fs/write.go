package fs

import (
	"bytes"
	"context"
	"fmt"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// WriteArgs are the arguments of write_file.
type WriteArgs struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
	// Content is the whole file, or what is appended; at most tools.Limits.MaxFile bytes. It is base64 if Encoding is binary.
	Content string `json:"content"`
	// Encoding has the names of ReadArgs.Encoding. auto, the default, keeps that of the file; for a new one it is Options.NewFileEncoding.
	// Another one converts a file that is there. A new file in UTF-16 gets a byte-order mark, an old one keeps what it has.
	Encoding string `json:"encoding,omitempty" jsonschema:"default=auto"`
	// CreateDirectories creates directories that are missing. The default is that of Options.
	CreateDirectories *bool `json:"createDirectories,omitempty" jsonschema:"default=false"`
	// Overwrite allows the file to be there already; else it is ALREADY_EXISTS. Appending needs no permission.
	Overwrite *bool `json:"overwrite,omitempty" jsonschema:"default=true"`
	// CreateBackup keeps the former content. The default is that of Options. A file that the caller has not read is kept anyway.
	CreateBackup *bool `json:"createBackup,omitempty" jsonschema:"default=false"`
	// ExpectedSHA256 is the digest that the file must still have, as the last read or write told it; else it is STALE_FILE
	// and nothing is written.
	ExpectedSHA256 string `json:"expectedSha256,omitempty" jsonschema:"description=From read_file; refuses if the file changed since"`
	// Mode is overwrite, the default, or append.
	Mode string `json:"mode,omitempty" jsonschema:"enum=overwrite,enum=append"`
	// EOL is lf, crlf or keep, the default: LF and CRLF in Content become the line end of the file, and in a file with
	// mixed line ends that of the line replaced. A new file gets Content as it is, and so does a last line without an end.
	EOL string `json:"eol,omitempty" jsonschema:"enum=keep,enum=lf,enum=crlf"`
	// DryRun answers how the file would change, and writes nothing. Everything that would refuse the write refuses it too.
	DryRun bool `json:"dryRun,omitempty"`
}

// WriteResult is what write_file answers.
type WriteResult struct {
	Success bool   `json:"success"` // always true: what failed is an error
	Path    string `json:"path"`    // as ReadResult.Path
	Size    int64  `json:"size"`    // of the file now, in bytes
	Created bool   `json:"created"` // there was no file before
	// BytesWritten is the length of the new content, or of what was appended, in the file.
	BytesWritten int64 `json:"bytesWritten"`
	// Unchanged tells that the file had just this content already, and was left alone. BytesWritten is 0 then.
	Unchanged bool `json:"unchanged,omitempty"`
	// BackupPath is where the former content is, for another call.
	BackupPath string `json:"backupPath,omitempty"`
	SHA256     string `json:"sha256"`   // of the file now; empty when a dry run found none
	Encoding   string `json:"encoding"` // of the file now; after a dry run, what it would be
	// DryRun tells that nothing was written: Created and Unchanged say what would be, Size and SHA256 what is.
	DryRun bool `json:"dryRun,omitempty"`
	// Diff is a unified diff of the characters, cut to the budget of an answer, after a dry run.
	Diff string `json:"diff,omitempty"`
}

// TextContent is what a model reads.
func (r WriteResult) TextContent() string {
	if r.DryRun {
		return r.plan()
	}
	done := "wrote " + count(r.BytesWritten, "byte")
	switch {
	case r.Created:
		done = "created"
	case r.Unchanged:
		done = "unchanged, it had this content already"
	}
	text := fmt.Sprintf("[%s: %s; now %s, %s, sha256 %s]", r.Path, done, count(r.Size, "byte"), r.Encoding, r.SHA256)
	if r.BackupPath != "" {
		text += "\n[former content: " + r.BackupPath + "]"
	}
	return text
}

// Write is write_file.
//
// A write over a file that has changed since the same peer has last read or written it as a whole is STALE_FILE, unless it names the
// sha256 that the file has. A write over a file that the peer has neither read nor named the sha256 of keeps a backup, as with
// WriteArgs.CreateBackup; with Options.RequireRead it is READ_REQUIRED. See tools.WithPeer for calls that come from no client.
func (f *Files) Write(ctx context.Context, args WriteArgs) (WriteResult, error) {
	w, err := f.writing(args)
	if err != nil {
		return WriteResult{}, about("writing", args.Path, err)
	}
	done, err := f.write(ctx, args, w)
	if err != nil {
		if !or(args.CreateDirectories, f.options.CreateDirectories) && args.ExpectedSHA256 == "" {
			err = advise(err, security.FileNotFound, func(old string) string {
				return old + " To make directories that are missing, call again with createDirectories=true."
			})
		}
		return WriteResult{}, about("writing", args.Path, err)
	}
	result := WriteResult{
		Success: true, Path: done.Path, Size: done.Size, Created: done.Created, BytesWritten: w.written, Unchanged: done.Unchanged,
		BackupPath: done.BackupPath, SHA256: done.SHA256, Encoding: w.encoding.String(), DryRun: args.DryRun,
	}
	if args.DryRun {
		result.BytesWritten = 0
		result.Diff = w.diff(done.Path, done.Created, f.budget(0, done.Path))
	} else if w.known(done.Created) {
		f.ledger.Saw(ctx, done.Path, done.SHA256)
	}
	return result, nil
}

// writing checks the arguments that say what to write.
func (f *Files) writing(args WriteArgs) (*writing, error) {
	w := &writing{content: args.Content, append: args.Mode == "append", forNew: f.encoding}
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

// write brings the content into the file.
func (f *Files) write(ctx context.Context, args WriteArgs, w *writing) (security.WriteResult, error) {
	o := security.UpdateOptions{
		MaxSize: f.limits.MaxFile, Create: true, ExpectedSHA256: args.ExpectedSHA256, DryRun: args.DryRun,
		CreateDirs: or(args.CreateDirectories, f.options.CreateDirectories), Backup: or(args.CreateBackup, f.options.CreateBackup),
	}
	if !w.append && !or(args.Overwrite, true) {
		return f.writeNew(ctx, args.Path, w, o)
	}
	o.BackupIf = func(security.FileInfo) bool { return w.blind(o) }
	done, err := f.root.Update(ctx, args.Path, o, func(old []byte, info security.FileInfo) ([]byte, error) {
		if info.Kind == 0 {
			return w.keep(nil, w.fresh)
		}
		w.seen, w.peer = f.ledger.Seen(ctx, info.Path)
		return w.keep(old, func() ([]byte, error) {
			content, err := w.change(old)
			if err == nil && bytes.Equal(content, old) || w.append || args.ExpectedSHA256 != "" {
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

// writeNew makes a file that is not there yet.
func (f *Files) writeNew(ctx context.Context, path string, w *writing, o security.UpdateOptions) (security.WriteResult, error) {
	content, err := w.keep(nil, w.fresh)
	if err != nil {
		return security.WriteResult{}, err
	}
	var done security.WriteResult
	if o.DryRun {
		done, err = f.rehearseNew(ctx, path, content, o)
	} else {
		done, err = f.root.Write(ctx, path, content, security.WriteOptions{CreateDirs: o.CreateDirs, ExpectedSHA256: o.ExpectedSHA256})
	}
	return done, advise(err, security.AlreadyExists, func(string) string {
		return "Read the file and call again with overwrite=true to replace it, or choose another path."
	})
}

// writeLarge replaces or extends a file that is too large to be held. What must be kept of it shows at its beginning.
func (f *Files) writeLarge(ctx context.Context, path string, w *writing, o security.UpdateOptions) (security.WriteResult, error) {
	s, err := openSource(ctx, f.root, path, 0)
	if err != nil {
		return security.WriteResult{}, err
	}
	defer s.Close()
	if err := f.checkLarge(ctx, s, path, w, o); err != nil {
		return security.WriteResult{}, err
	}
	content, err := w.changeLarge(s)
	if err != nil {
		return security.WriteResult{}, err
	}
	w.seen, w.peer = f.ledger.Seen(ctx, s.info.Path)
	return f.root.Write(ctx, path, content, security.WriteOptions{
		Overwrite: true, Append: w.append, ExpectedSHA256: o.ExpectedSHA256, CreateDirs: o.CreateDirs, Backup: o.Backup || w.blind(o),
	})
}
