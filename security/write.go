package security

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// WriteOptions are the options of Write. The zero value creates a new file in an existing directory.
type WriteOptions struct {
	// Overwrite allows an existing file, whose content is replaced. Otherwise an existing file is ALREADY_EXISTS.
	Overwrite bool
	// Append adds the content to the end of an existing file. It implies Overwrite.
	Append bool
	// CreateDirs creates missing directories.
	CreateDirs bool
	// ExpectedSHA256 is the digest that the file must have; see CheckSHA256. STALE_FILE reports another digest. ""
	// accepts any content.
	ExpectedSHA256 string
	// Backup copies the former content to BackupDir, which keeps the newest 20 versions of each file.
	Backup bool
	// Mode is the mode of a new file before the umask; 0 is 0o666. An existing file keeps its mode.
	Mode fs.FileMode
}

// UpdateOptions are the options of Update. The zero value changes an existing file.
type UpdateOptions struct {
	// MaxSize is the limit of the old content in bytes; a larger file is FILE_TOO_LARGE. 0 is 10 MiB.
	MaxSize int64
	// Create treats a missing file as an empty one. Otherwise a missing file is FILE_NOT_FOUND.
	Create bool
	// CreateDirs, ExpectedSHA256, Backup and Mode are as in WriteOptions.
	CreateDirs     bool
	ExpectedSHA256 string
	Backup         bool
	// BackupIf decides on a backup of an existing file if Backup is false. It runs after the edit function, under the
	// lock of the file. nil makes no backup.
	BackupIf func(FileInfo) bool
	Mode     fs.FileMode
	// DryRun calls the edit function and checks everything, but writes and records nothing. The result describes the
	// unchanged file.
	DryRun bool
}

// WriteResult is the result of Write, WriteFrom or Update.
type WriteResult struct {
	Location
	Created    bool   // the file did not exist before
	Unchanged  bool   // Update found the content unchanged and wrote nothing
	BackupPath string // path of the backup for another call; "" without a backup
	SHA256     string // SHA-256 of the present content, in lower-case hexadecimal
	Size       int64  // size of the present content in bytes
	// Program is the name of the program that has the file open and made the change; "" for a change on the disk.
	Program string
	// Unsaved reports that the change is in the program and not on the disk. SHA256 and Size are those of its text.
	Unsaved bool
	// SaveError is the reason why the program could not save the change; "" if it did not have to, or if it gave none.
	SaveError string
	// Altered reports that the program changed the content further when it saved, for example by formatting.
	Altered bool
}

// defaultMaxUpdate is the default of UpdateOptions.MaxSize, in bytes.
const defaultMaxUpdate = 10 << 20

// Write writes a file atomically, under its lock. It follows links, and a link itself stays. Mode, owner and (on
// Linux) extended attributes are kept as far as the system allows. Other hard links keep the former content.
func (r *Root) Write(ctx context.Context, name string, content []byte, o WriteOptions) (WriteResult, error) {
	return r.WriteFrom(ctx, name, bytes.NewReader(content), o)
}

// WriteFrom is Write with content from a reader. The caller limits its size. The file stays locked during the
// reading.
func (r *Root) WriteFrom(ctx context.Context, name string, content io.Reader, o WriteOptions) (WriteResult, error) {
	c := change{root: r, operation: "write", expected: o.ExpectedSHA256, createDirs: o.CreateDirs, backup: o.Backup, mode: o.Mode}
	return c.run(ctx, name, func() error {
		if c.old != nil && !o.Overwrite && !o.Append {
			return problem(AlreadyExists, name, fs.ErrExist, "%s exists already.", quote(name))
		}
		if c.old != nil && (c.expected != "" || c.backup || c.doc != nil) {
			if err := c.readOld(ctx, io.Discard); err != nil {
				return err
			}
		}
		c.produce = func(w io.Writer) error {
			if o.Append && c.old != nil {
				if err := c.readOld(ctx, w); err != nil {
					return err
				}
			}
			return copyContent(ctx, w, foreignReader{content})
		}
		return nil
	})
}

// Update replaces the content of a file with the result of edit. edit runs under the lock of the file, so concurrent
// calls of Update and Write lose no change; edit must not change the same file itself. info is zero if there is no
// file. Before the rename, Update compares the file with the content that edit received. STALE_FILE reports a change
// by a program that ignores the lock. An error of edit ends the update and is returned unchanged.
func (r *Root) Update(ctx context.Context, name string, o UpdateOptions, edit func(old []byte, info FileInfo) ([]byte, error)) (WriteResult, error) {
	c := change{root: r, operation: "update", expected: o.ExpectedSHA256, createDirs: o.CreateDirs, backup: o.Backup, mode: o.Mode, dry: o.DryRun}
	limit := o.MaxSize
	if limit <= 0 {
		limit = defaultMaxUpdate
	}
	return c.run(ctx, name, func() error {
		var old bytes.Buffer
		var info FileInfo
		if c.old == nil {
			if !o.Create {
				return r.notFound(c.target, nil)
			}
		} else {
			if err := c.readOld(ctx, &boundedBuffer{buffer: &old, name: name, limit: limit}); err != nil {
				return err
			}
			info = c.target.tree.info(c.place.Path, c.oldInfo)
			if c.doc != nil && c.doc.Unsaved {
				info.Size, info.Unsaved = int64(len(c.doc.Text)), c.doc.Program
			}
		}
		content, err := edit(old.Bytes(), info)
		if err != nil {
			return &foreignError{err}
		}
		sum := sha256.Sum256(content)
		c.backup = c.backup || c.old != nil && o.BackupIf != nil && o.BackupIf(info)
		c.unchanged = c.old != nil && hex.EncodeToString(sum[:]) == c.oldSum
		c.produce = func(w io.Writer) error { return copyContent(ctx, w, bytes.NewReader(content)) }
		return nil
	})
}

// CheckWrite returns the refusal by a rule that a Write to the path would get, and writes nothing. nil does not
// guarantee that Write succeeds, because permissions of the operating system are not checked.
func (r *Root) CheckWrite(ctx context.Context, name string) error {
	t, err := r.locateWritable(name)
	if err == nil {
		var place *rootfs.Place
		if place, err = r.find(t); err == nil {
			return place.Close()
		}
		err = r.explain(t, err)
	}
	return r.logRefusal(ctx, "write", err)
}

// boundedBuffer is a buffer that refuses more than limit bytes.
type boundedBuffer struct {
	buffer *bytes.Buffer
	name   string
	limit  int64
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if int64(b.buffer.Len())+int64(len(p)) > b.limit {
		return 0, tooLarge(b.name, b.limit)
	}
	return b.buffer.Write(p)
}

// foreignError marks an error of a callback, which the caller gets unchanged.
type foreignError struct{ error }

// foreignReader marks the errors of the caller's reader with foreignError.
type foreignReader struct{ io.Reader }

func (r foreignReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = &foreignError{fmt.Errorf("read content: %w", err)}
	}
	return n, err
}

// copyContent copies until io.EOF or until the context ends.
func copyContent(ctx context.Context, to io.Writer, from io.Reader) error {
	buf := make([]byte, 32<<10)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := from.Read(buf)
		if _, werr := to.Write(buf[:n]); werr != nil {
			return werr
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// digest is a writer that computes the SHA-256 and the size of the bytes it forwards to another writer.
type digest struct {
	to   io.Writer
	hash hash.Hash
	size int64
}

func newDigest(to io.Writer) *digest { return &digest{to: to, hash: sha256.New()} }

func (d *digest) Write(p []byte) (int, error) {
	n, err := d.to.Write(p)
	d.hash.Write(p[:n])
	d.size += int64(n)
	return n, err
}

func (d *digest) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }
