package security

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// change is one replacement of a file's content, from the lookup of the path to the rename. The zero values of the
// lower fields are set by begin.
type change struct {
	root      *Root
	operation string
	// expected is the SHA-256 that the old content must have, in hexadecimal; "" accepts any content.
	expected   string
	createDirs bool
	backup     bool
	mode       fs.FileMode
	dry        bool // decide only, change nothing

	target    target
	place     *rootfs.Place
	lock      *pathlock.Lock
	old       *os.File        // open for reading; nil if there is no file
	doc       *openedDocument // document of a program that has the file open; nil if none has
	oldInfo   fs.FileInfo
	oldSum    string // SHA-256 of the old content in hexadecimal; "" before readOld
	oldSize   int64  // bytes that readOld has read
	unchanged bool
	produce   func(io.Writer) error // writes the new content
}

// auditParams are the parameters of a change in the audit log.
type auditParams struct {
	Path           string `json:"path"`
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
	Permanent      bool   `json:"permanent,omitempty"` // of a deletion
}

// maxLockAttempts is the limit of attempts to lock a path. An attempt fails if the path leads to another file
// afterwards.
const maxLockAttempts = 8

// run makes the change. decide inspects the old file under the lock and sets produce.
func (c *change) run(ctx context.Context, name string, decide func() error) (WriteResult, error) {
	defer c.release() // also if a callback of the caller panics
	d := operation{name: c.operation, dry: c.dry, params: auditParams{Path: shorten(name), ExpectedSHA256: shorten(c.expected)}}
	var result WriteResult
	d.begin = func() error {
		if err := c.begin(ctx, name, decide); err != nil {
			return c.explain(err)
		}
		d.idle, d.params = c.unchanged, auditParams{Path: c.location().Path, ExpectedSHA256: c.expected}
		result = WriteResult{Location: c.location(), Created: c.old == nil, Unchanged: c.unchanged, SHA256: c.oldSum, Size: c.oldSize}
		return nil
	}
	d.commit = func() (err error) {
		if result, err = c.commit(ctx); err != nil {
			err = c.explain(err)
		}
		return err
	}
	if err := c.root.perform(ctx, &d); err != nil {
		return WriteResult{}, err
	}
	return result, nil
}

// begin performs all steps without an effect: it checks, locates, locks and opens the file, and calls decide.
func (c *change) begin(ctx context.Context, name string, decide func() error) error {
	var err error
	if c.expected, err = checkDigest(c.expected); err != nil {
		return err
	}
	if c.target, err = c.root.locateWritable(name); err != nil {
		return err
	}
	if err := c.settle(ctx); err != nil {
		return err
	}
	if c.doc, err = c.root.openDocument(ctx, c.target, c.place.Path); err != nil {
		return err
	}
	if c.doc != nil && c.old == nil {
		if c.doc.Unsaved {
			return unsavedPathError(c.target, c.doc.Program)
		}
		c.doc = nil
	}
	if len(c.place.Missing) > 0 && !c.createDirs {
		return c.root.notFound(c.target, &rootfs.StepError{Dir: c.place.Dir(), Name: c.place.Missing[0], Err: fs.ErrNotExist})
	}
	if c.old == nil && c.expected != "" {
		return c.root.notFound(c.target, nil)
	}
	return decide()
}

// locateWritable locates a path for a write. It refuses the path if its text violates a rule.
func (r *Root) locateWritable(name string) (target, error) {
	t, err := r.locate(name)
	if err != nil {
		return t, err
	}
	if r.readOnly {
		return t, refuse(PermissionDenied, ReadOnlyRoot, name, "The project is served read-only; "+quote(name)+" was not changed.", "Do not try to write. Show the change to the user instead.")
	}
	return t, r.admitChange(t, t.rel)
}

// settle locks the file that the path leads to and opens it.
func (c *change) settle(ctx context.Context) error {
	for range maxLockAttempts {
		first, err := c.root.find(c.target)
		if err != nil {
			return err
		}
		first.Close()
		if c.lock, err = c.root.lockFor(ctx, c.target, first.Path); err != nil {
			return err
		}
		if c.place, err = c.root.find(c.target); err != nil {
			return err
		}
		if c.place.Path == first.Path {
			if err = c.openOld(); !errors.Is(err, rootfs.ErrChanged) {
				return err
			}
		}
		c.release()
	}
	return rootfs.ErrChanged
}

// find follows the path and applies the rules to the final path. The caller closes the Place.
func (r *Root) find(t target) (*rootfs.Place, error) {
	place, err := t.tree.Place(t.rel, true)
	if err != nil {
		return nil, err
	}
	if err := r.admitChange(t, place.Path); err != nil {
		place.Close()
		return nil, err
	}
	return place, nil
}

// lockFor locks a final path, or returns the Error for a lock that is not available.
func (r *Root) lockFor(ctx context.Context, t target, final string) (*pathlock.Lock, error) {
	claim := pathlock.Claim{Root: t.tree.RealName(), Final: final, Dirs: []string{path.Dir(final), trash.Backups(final), BackupDir}}
	got, err := r.locks.Acquire(ctx, claim)
	if err != nil {
		return nil, lockError(ctx, t, err)
	}
	return got, nil
}

// openOld opens the existing file, if any. It refuses directories and hard links of blocked or protected files.
func (c *change) openOld() error {
	if c.place.Info == nil {
		return nil
	}
	if c.place.Info.IsDir() {
		return problem(IsDirectory, c.target.given, nil, "%s is a directory.", quote(c.target.given))
	}
	var err error
	if c.old, c.oldInfo, err = c.place.Open(); err != nil {
		return err
	}
	if err := c.place.Writable(); err != nil {
		return err
	}
	if rootfs.Links(c.old, c.oldInfo) < 2 {
		return nil
	}
	dir := path.Dir(c.place.Path)
	if ids := c.target.tree.links.Find(c.root.protected, dir); ids.Hold(c.oldInfo) {
		return protectedFile(c.target.given)
	}
	if ids := c.target.tree.links.Find(c.root.blocked, dir); ids.Hold(c.oldInfo) {
		return blocked(c.target.given)
	}
	return nil
}

// readOld copies the old content, or the unsaved text of the document, to a writer. It returns a STALE_FILE error if the content is not the expected one.
func (c *change) readOld(ctx context.Context, to io.Writer) error {
	d := newDigest(to)
	if c.doc != nil && c.doc.Unsaved {
		if err := copyContent(ctx, d, strings.NewReader(c.doc.Text)); err != nil {
			return err
		}
	} else {
		if _, err := c.old.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := copyContent(ctx, d, c.old); err != nil {
			return err
		}
	}
	if was := c.oldSum; was != "" && was != d.sum() {
		return c.staleError(d.sum(), was)
	}
	c.oldSum, c.oldSize = d.sum(), d.size
	if !strings.HasPrefix(c.oldSum, c.expected) {
		return c.staleError(c.oldSum, c.expected)
	}
	return nil
}

func (c *change) staleError(is, expected string) error { return stale(c.target.given, is, expected) }

// stale returns the STALE_FILE error for a file with another digest than expected.
func stale(given, is, expected string) error {
	return problem(StaleFile, given, nil, "%s has changed: its sha256 is %s and not %s.", quote(given), ShortSHA256(is), ShortSHA256(expected))
}

// The lengths of an abbreviated SHA-256, in hexadecimal digits.
const (
	shortDigest    = 12 // of ShortSHA256
	minShortDigest = 8  // accepted as an expected digest
)

// ShortSHA256 returns the beginning of a digest in hexadecimal, 12 digits, which stands for it in texts and is accepted as an
// expected digest.
func ShortSHA256(sum string) string { return sum[:min(len(sum), shortDigest)] }

// CheckSHA256 compares the digest of a file with an expected one in hexadecimal, which may be abbreviated to at least 8 digits. ""
// expects nothing. The error is INVALID_PARAMS for another form; same is false for another digest.
func CheckSHA256(sum, expected string) (same bool, err error) {
	expected, err = checkDigest(expected)
	return err == nil && strings.HasPrefix(sum, expected), err
}

// hexDigits matches an expected digest in lower case.
var hexDigits = regexp.MustCompile(`^[0-9a-f]*$`)

// checkDigest checks the form of an expected SHA-256, see CheckSHA256, and returns it in lower case.
func checkDigest(expected string) (string, error) {
	lower := strings.ToLower(expected)
	if n := len(lower); n != 0 && n < minShortDigest || n > 2*sha256.Size || !hexDigits.MatchString(lower) {
		return "", invalid("Give the sha256 that the last read of the file returned.", "The expected sha256 %s is not 8 to 64 hexadecimal digits.", quote(expected))
	}
	return lower, nil
}

// commit writes the backup and the new content.
func (c *change) commit(ctx context.Context) (WriteResult, error) {
	if c.doc != nil {
		result, made, err := c.commitDocument(ctx)
		if err != nil || made {
			return result, err
		}
		c.backup = c.backup && result.BackupPath == ""
	}
	result := WriteResult{Location: c.location(), Created: c.old == nil}
	if err := c.place.MakeParents(0o777, c.root.durability); err != nil {
		return WriteResult{}, err
	}
	if c.backup && c.old != nil {
		backup, err := c.backUp(ctx)
		if err != nil {
			return WriteResult{}, err
		}
		result.BackupPath = backup
	}
	var d *digest
	how := rootfs.Replacement{Perm: c.mode, Like: c.old, New: c.old == nil, Durability: c.root.durability}
	how.Before = func() error { return c.recheck(ctx) }
	if how.Perm == 0 {
		how.Perm = 0o666
	}
	_, err := c.place.Replace(how, func(w io.Writer) error {
		d = newDigest(w)
		return c.produce(d)
	})
	if c.old == nil && errors.Is(err, fs.ErrExist) {
		err = rootfs.ErrChanged // the file appeared after begin
	}
	if err != nil {
		return WriteResult{}, err
	}
	result.SHA256, result.Size = d.sum(), d.size
	return result, nil
}

// recheck compares, just before the rename, the present file with the one that begin opened. For a new file the
// rename itself refuses to replace an entry.
func (c *change) recheck(ctx context.Context) error {
	if c.old == nil {
		return nil
	}
	if err := c.place.Refresh(); err != nil {
		return err
	}
	now := c.place.Info
	switch {
	case now == nil || !now.Mode().IsRegular():
		return rootfs.ErrChanged
	case c.oldSum == "":
		return nil // the caller overwrites any content
	case !os.SameFile(now, c.oldInfo):
		return problem(StaleFile, c.target.given, nil, "%s was replaced by another program meanwhile.", quote(c.target.given))
	}
	return c.readOld(ctx, io.Discard)
}

func (c *change) location() Location { return c.target.tree.location(c.place.Path) }

// explain turns an error of the file system into an *Error. Errors of the caller's callbacks stay unchanged.
func (c *change) explain(err error) error {
	if foreign, ok := errors.AsType[*foreignError](err); ok {
		return foreign.error
	}
	return c.root.explain(c.target, err)
}

// release closes the files and releases the lock. It can be called more than once.
func (c *change) release() {
	if c.old != nil {
		c.old.Close()
	}
	if c.place != nil {
		c.place.Close()
	}
	if c.lock != nil {
		c.lock.Release()
	}
	c.old, c.place, c.lock = nil, nil, nil
}
