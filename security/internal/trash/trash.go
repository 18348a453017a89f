// Package trash is the layout of the two directories at the top of a project directory that keep removed content: the trash, with one
// entry for each deletion, and the backups, with the former versions of each file. It makes, finds and prunes them over a
// [rootfs.Root]; rules, locks and the audit log are the task of the caller.
//
//	.dougu-trash/<time>-<random>/<former path>
//	.dougu-backup/files/<path>/<time>-<digest>
package trash

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

const (
	// Dir is the directory of the trash.
	Dir = ".dougu-trash"
	// BackupDir is the directory of the backups.
	BackupDir = ".dougu-backup"

	maxEntries = 1000 // entries of the trash that are kept
	maxBackups = 20   // versions of one file that are kept

	// layout is the time in the name of an entry or version, in UTC.
	layout = "20060102T150405.000000Z"
)

// ErrLink is the error of a trash or backup directory with a symbolic link on the way, which would lead the content elsewhere.
var ErrLink = errors.New("a directory for removed content holds a symbolic link")

// IsDir reports whether a name is that of the trash or of the backups.
func IsDir(name string) bool { return name == BackupDir || name == Dir }

// NewPath returns a path in a new entry of the trash for an entry with a final path. accepts reports whether a call can name a path; the
// directories of an entry with a longer path are left out.
func NewPath(final string, accepts func(trashed string) bool) string {
	var random [4]byte
	rand.Read(random[:])
	entry := Dir + "/" + time.Now().UTC().Format(layout) + "-" + hex.EncodeToString(random[:])
	if !accepts(slashpath.Join(entry, final)) {
		final = path.Base(final)
	}
	return slashpath.Join(entry, final)
}

// EntryOf returns the name of the entry that holds a path in the trash.
func EntryOf(trashed string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(trashed, Dir+"/"), "/")
	return name
}

// Original returns the path that a path in the trash had before. ok is false for a path outside of the entries of the trash.
func Original(final string) (from string, ok bool) {
	rest, ok := strings.CutPrefix(final, Dir+"/")
	if !ok {
		return "", false
	}
	entry, from, ok := strings.Cut(rest, "/")
	return from, ok && isEntry(entry)
}

func isEntry(name string) bool {
	if len(name) != len(layout)+1+8 || name[len(layout)] != '-' {
		return false
	}
	_, err := time.Parse(layout, name[:len(layout)])
	return err == nil && strings.Trim(name[len(layout)+1:], "0123456789abcdef") == ""
}

// Place finds a place below the trash or the backups, and makes its parent directories with the permission perm. The caller closes it.
func Place(root *rootfs.Root, final string, perm fs.FileMode, durability rootfs.Durability) (*rootfs.Place, error) {
	top, _, _ := strings.Cut(final, "/")
	if err := ignoreInGit(root, top, durability); err != nil {
		return nil, err
	}
	place, err := root.Place(final, false)
	if err != nil {
		return nil, err
	}
	if place.Path != final {
		err = ErrLink
	} else {
		err = place.MakeParents(perm, durability)
	}
	if err != nil {
		place.Close()
		return nil, err
	}
	return place, nil
}

// ignoreAll is the .gitignore of a directory whose content git ignores.
const ignoreAll = "*\n"

// ignoreInGit keeps git from the content of a directory at the top, and makes the directory if it is missing. A .gitignore with other
// content, which a repository may bring, is replaced.
func ignoreInGit(root *rootfs.Root, top string, durability rootfs.Durability) error {
	final := slashpath.Join(top, ".gitignore")
	place, err := root.Place(final, false)
	if err != nil {
		return err
	}
	defer place.Close()
	if place.Path != final || ignoresAll(place) {
		return nil // Place refuses a link
	}
	if err := place.MakeParents(0o777, durability); err != nil {
		return err
	}
	_, err = place.Replace(rootfs.Replacement{Perm: 0o666, New: place.Info == nil, Durability: durability}, rootfs.Content([]byte(ignoreAll)))
	if place.Info == nil && errors.Is(err, fs.ErrExist) {
		return nil // another process has made it
	}
	return err
}

// IsIgnored reports whether the content of the directory dir at the top is kept from git as Place keeps it.
func IsIgnored(root *rootfs.Root, dir string) bool {
	place, err := root.Place(slashpath.Join(dir, ".gitignore"), false)
	if err != nil {
		return false
	}
	defer place.Close()
	return place.Path == slashpath.Join(dir, ".gitignore") && ignoresAll(place)
}

// ignoresAll reports whether the .gitignore at a place is a file with the content ignoreAll.
func ignoresAll(place *rootfs.Place) bool {
	if place.Info == nil || !place.Info.Mode().IsRegular() {
		return false
	}
	f, _, err := place.Open()
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64))
	return err == nil && len(text) < 64 && strings.TrimSpace(string(text)) == strings.TrimSpace(ignoreAll)
}

// Surplus returns the oldest entries of the trash beyond 1,000, without the entries that were just made.
func Surplus(root *rootfs.Root, made ...string) []string {
	entries := list(root, Dir, func(e rootfs.Entry) bool { return e.Type.IsDir() && isEntry(e.Name) })
	surplus := len(entries) - maxEntries
	if surplus <= 0 {
		return nil
	}
	entries = slices.DeleteFunc(entries, func(name string) bool { return slices.Contains(made, name) })
	sortOldest(entries)
	return entries[:min(surplus, len(entries))]
}

// Remove removes an entry of the trash for good. A missing entry is no error.
func Remove(root *rootfs.Root, entry string) error {
	final := slashpath.Join(Dir, entry)
	place, err := root.Place(final, false)
	if err != nil {
		return err
	}
	defer place.Close()
	if place.Path != final || place.Info == nil {
		return nil
	}
	return place.RemoveAll()
}

// RemoveEmpty removes the empty directories of an entry of the trash, from the given one upwards. It does nothing outside of the trash.
func RemoveEmpty(root *rootfs.Root, dir string) {
	for ; strings.HasPrefix(dir, Dir+"/"); dir = path.Dir(dir) {
		place, err := root.Place(dir, false)
		if err != nil {
			return
		}
		if place.Path != dir || place.Info == nil || !place.Info.IsDir() {
			place.Close()
			return
		}
		err = place.Remove(rootfs.Process)
		place.Close()
		if err != nil {
			return // not empty
		}
	}
}

// Backups returns the directory with the former versions of a file.
func Backups(final string) string { return BackupDir + "/files/" + final }

// NewBackup returns the path of a new version of a file. sum is the digest of its content, in hexadecimal.
func NewBackup(final, sum string) string {
	return slashpath.Join(Backups(final), time.Now().UTC().Format(layout)+"-"+sum[:8])
}

// PruneBackups removes the oldest versions of a file beyond 20. made is the path of the version that was just made, and stays. The
// error joins the versions that could not be removed; the next call tries them again.
func PruneBackups(root *rootfs.Root, made string) error {
	dir, name := path.Split(made)
	dir = path.Clean(dir)
	versions := list(root, dir, func(e rootfs.Entry) bool { return e.Type.IsRegular() && isBackup(e.Name) && e.Name != name })
	surplus := len(versions) + 1 - maxBackups
	if surplus <= 0 {
		return nil
	}
	sortOldest(versions)
	d, err := root.OpenDir(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if d.Path != dir {
		return ErrLink
	}
	var failed error
	for _, version := range versions[:surplus] {
		failed = errors.Join(failed, d.Remove(version))
	}
	return failed
}

func isBackup(name string) bool {
	if len(name) != len(layout)+1+8 {
		return false
	}
	_, err := time.Parse(layout, name[:len(layout)])
	return err == nil
}

// list lists some entries of a directory. A directory behind a link has none.
func list(root *rootfs.Root, dir string, want func(rootfs.Entry) bool) []string {
	d, err := root.OpenDir(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	if d.Path != dir {
		return nil
	}
	var names []string
	for {
		entries, err := d.Next(512)
		if err != nil {
			return names
		}
		for _, e := range entries {
			if want(e) {
				names = append(names, e.Name)
			}
		}
	}
}

// sortOldest sorts names that begin with a time of layout, the oldest first. A name whose time lies ahead of the clock counts as older
// than all other names: a wrong clock, or a repository, must not bring entries that displace every later one.
func sortOldest(names []string) {
	now := time.Now().UTC().Format(layout) // after the names were listed: other processes make entries meanwhile
	ahead := func(name string) bool { return name[:len(layout)] > now }
	slices.SortFunc(names, func(a, b string) int {
		switch {
		case ahead(a) == ahead(b):
			return strings.Compare(a, b)
		case ahead(a):
			return -1
		}
		return 1
	})
}
