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

// WriteOptions says how Write treats what is there. The zero value makes a new file in a directory that exists.
type WriteOptions struct {
	// Overwrite allows a file to be there already; else that is ALREADY_EXISTS.
	Overwrite bool
	// Append puts the content behind that of a file that is there. It implies Overwrite.
	Append bool
	// CreateDirs makes directories that are missing.
	CreateDirs bool
	// ExpectedSHA256 is the digest that the file must have, in hexadecimal; STALE_FILE says that it has another. Empty: any.
	ExpectedSHA256 string
	// Backup keeps the former content in BackupDir: one directory a file, the newest 20 versions in it.
	Backup bool
	// Mode is the permission of a new file before the umask; 0 is 0o666. A file that is there keeps its own.
	Mode fs.FileMode
}

// UpdateOptions says how Update treats what is there. The zero value changes a file that exists.
type UpdateOptions struct {
	// MaxSize bounds the file, in bytes; a larger one is FILE_TOO_LARGE. 0 is 10 MiB.
	MaxSize int64
	// Create takes a missing file for an empty one; else that is FILE_NOT_FOUND.
	Create bool
	// CreateDirs, ExpectedSHA256, Backup and Mode are those of WriteOptions.
	CreateDirs     bool
	ExpectedSHA256 string
	Backup         bool
	// BackupIf decides on a backup of a file that exists, where Backup is false. It runs after the function, under the lock of
	// the file. Nil: no backup.
	BackupIf func(FileInfo) bool
	Mode     fs.FileMode
	// DryRun calls the function and decides everything, and writes and records nothing. The result tells of the file as it is.
	DryRun bool
}

// WriteResult tells what a write did.
type WriteResult struct {
	Location
	Created    bool   // there was no file before
	Unchanged  bool   // Update found the content as it should be and wrote nothing
	BackupPath string // where the former content is, for another call; "" without a backup
	SHA256     string // of the content now, in lower-case hexadecimal
	Size       int64  // of the content now, in bytes
}

const defaultMaxUpdate = 10 << 20

// Write puts content into a file: as a whole or not at all, under the lock of the file. A link stays, and what it leads to is
// replaced. Mode, owner and (on Linux) extended attributes are kept as far as the system allows; other hard links keep the
// former content.
func (r *Root) Write(ctx context.Context, name string, content []byte, o WriteOptions) (WriteResult, error) {
	return r.WriteFrom(ctx, name, bytes.NewReader(content), o)
}

// WriteFrom is Write for content that is read while it is written. The caller bounds it. The file is locked meanwhile.
func (r *Root) WriteFrom(ctx context.Context, name string, content io.Reader, o WriteOptions) (WriteResult, error) {
	c := change{root: r, operation: "write", expected: o.ExpectedSHA256, createDirs: o.CreateDirs, backup: o.Backup, mode: o.Mode}
	return c.run(ctx, name, func() error {
		if c.old != nil && !o.Overwrite && !o.Append {
			return problem(AlreadyExists, name, fs.ErrExist, "%s exists already.", quote(name))
		}
		if c.old != nil && (c.expected != "" || c.backup) {
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

// Update changes a file by a function of its content. The function runs under the lock of the file, so nothing that another
// caller of Update or Write does in between is lost; it must not touch the same file itself. Before the new content takes the
// place of the old one, the file is compared with what the function was given; STALE_FILE says that somebody changed it
// without the lock. An error of the function ends the update and is returned as it is. info is zero when there is no file.
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

// CheckWrite returns the refusal of a Write to a path by a rule, and writes nothing. nil does not promise that Write succeeds: the
// operating system is not asked.
func (r *Root) CheckWrite(ctx context.Context, name string) error {
	t, err := r.changeable(name)
	if err == nil {
		var place *rootfs.Place
		if place, err = r.find(t); err == nil {
			return place.Close()
		}
		err = r.explain(t, err)
	}
	return r.refused(ctx, "write", err)
}

// boundedBuffer refuses to grow beyond a limit.
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

// foreignError marks an error of the caller's own code, which reaches the caller as it is.
type foreignError struct{ error }

type foreignReader struct{ io.Reader }

func (r foreignReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = &foreignError{fmt.Errorf("read content: %w", err)}
	}
	return n, err
}

// copyContent copies until the end, and gives up when the context does.
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

// digest computes the sha256 and the size of what passes through it.
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
