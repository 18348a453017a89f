package security

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

const (
	maxBackups   = 20 // versions that are kept of one file
	backupLayout = trashLayout
)

// backupDir is the directory that keeps the former versions of a file.
func backupDir(final string) string { return BackupDir + "/files/" + final }

// keep copies the old content to the backup directory, and removes the oldest versions beyond 20. It returns the path of the
// copy for another call. The directory must be a real one all the way: a link planted there would lead the copy elsewhere.
func (c *change) keep(ctx context.Context) (string, error) {
	tree, dir := c.target.tree, backupDir(c.place.Path)
	for {
		final := slashpath.Join(dir, time.Now().UTC().Format(backupLayout)+"-"+c.oldSum[:8])
		err := c.put(final, rootfs.Replacement{Like: c.old}, func(w io.Writer) error { return c.readOld(ctx, w) })
		if errors.Is(err, fs.ErrExist) && ctx.Err() == nil {
			continue // a version of the same microsecond
		}
		if err != nil {
			return "", err
		}
		c.prune(dir, path.Base(final))
		return tree.location(final).Path, nil
	}
}

// put writes a new file below the backup directory.
func (c *change) put(final string, how rootfs.Replacement, write func(io.Writer) error) error {
	place, err := c.root.keepPlace(c.target, final, 0o777)
	if err != nil {
		return err
	}
	defer place.Close()
	how.New, how.Durability = true, c.root.durability
	_, err = place.Replace(how, write)
	return err
}

// keepPlace finds a place below the backup directory or the trash, and makes the directories on the way there. They must be real
// ones: a link planted there would lead elsewhere what is to be kept.
func (r *Root) keepPlace(t target, final string, perm fs.FileMode) (*rootfs.Place, error) {
	top, _, _ := strings.Cut(final, "/")
	if err := r.hideTop(t, top); err != nil {
		return nil, err
	}
	place, err := t.tree.Place(final, false)
	if err != nil {
		return nil, err
	}
	if place.Path != final {
		err = refuse(PermissionDenied, ProtectedFile, t.given, "The directory "+top+" of the project holds a symbolic link.", "Ask the user to remove the link.")
	} else {
		err = place.MakeParents(perm, r.durability)
	}
	if err != nil {
		place.Close()
		return nil, err
	}
	return place, nil
}

// hideTop keeps git from everything in a directory at the top, and makes the directory if it is missing. A .gitignore with another
// content, which a repository may bring, is replaced.
func (r *Root) hideTop(t target, top string) error {
	final := slashpath.Join(top, ".gitignore")
	place, err := t.tree.Place(final, false)
	if err != nil {
		return err
	}
	defer place.Close()
	if place.Path != final || ignoresAll(place) {
		return nil // keepPlace refuses a link
	}
	if err := place.MakeParents(0o777, r.durability); err != nil {
		return err
	}
	_, err = place.Replace(rootfs.Replacement{Perm: 0o666, New: place.Info == nil, Durability: r.durability}, rootfs.Content([]byte(ignoreAll)))
	if place.Info == nil && errors.Is(err, fs.ErrExist) {
		return nil // another process has made it
	}
	return err
}

// ignoreAll is the .gitignore of a directory that git leaves alone.
const ignoreAll = "*\n"

// ignoresAll reports whether the .gitignore at a place is a file with ignoreAll in it.
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

// prune removes the oldest versions of a file, but never the given one, which was just made. A removal that fails is tried again at the next
// backup.
func (c *change) prune(dir, made string) {
	d, err := c.target.tree.OpenDir(dir)
	if err != nil {
		return
	}
	defer d.Close()
	if d.Path != dir {
		return
	}
	var versions []string
	for {
		entries, err := d.Next(256)
		if err != nil {
			break
		}
		for _, e := range entries {
			if e.Type.IsRegular() && isVersion(e.Name) && e.Name != made {
				versions = append(versions, e.Name)
			}
		}
	}
	oldestFirst(versions)
	for _, name := range versions[:max(0, len(versions)+1-maxBackups)] {
		if err := d.Remove(name); err != nil {
			c.root.log.Warn("old backup not removed", "path", path.Join(dir, name), "error", err)
		}
	}
}

func isVersion(name string) bool {
	if len(name) != len(backupLayout)+1+8 {
		return false
	}
	_, err := time.Parse(backupLayout, name[:len(backupLayout)])
	return err == nil
}
