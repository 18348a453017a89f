package security

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
)

const (
	maxBackups   = 20 // versions that are kept of one file
	backupLayout = "20060102T150405.000000Z"
)

// backupDir is the directory that keeps the former versions of a file.
func backupDir(final string) string { return BackupDir + "/files/" + final }

// keep copies the old content to the backup directory, and removes the oldest versions beyond 20. It returns the path of the
// copy for another call. The directory must be a real one all the way: a link planted there would lead the copy elsewhere.
func (c *change) keep(ctx context.Context) (string, error) {
	tree, dir := c.target.tree, backupDir(c.place.Path)
	for {
		final := joinPath(dir, time.Now().UTC().Format(backupLayout)+"-"+c.oldSum[:8])
		err := c.put(final, rootfs.Replacement{Like: c.old}, func(w io.Writer) error { return c.readOld(ctx, w) })
		if errors.Is(err, fs.ErrExist) && ctx.Err() == nil {
			continue // a version of the same microsecond
		}
		if err != nil {
			return "", err
		}
		c.prune(dir)
		return tree.location(final).Path, nil
	}
}

// put writes a new file below the backup directory.
func (c *change) put(final string, how rootfs.Replacement, write func(io.Writer) error) error {
	place, err := c.target.tree.Place(final, false)
	if err != nil {
		return err
	}
	defer place.Close()
	if place.Path != final {
		return refuse(PermissionDenied, ProtectedFile, c.target.given, "The backup directory "+BackupDir+" holds a symbolic link.",
			"Ask the user to remove the link, or write without a backup.")
	}
	first := slices.Contains(place.Missing, BackupDir)
	if err := place.MakeParents(0o777, c.root.durability); err != nil {
		return err
	}
	how.New, how.Durability = true, c.root.durability
	if _, err := place.Replace(how, write); err != nil || !first {
		return err
	}
	// Version control need not see any of it.
	err = c.put(joinPath(BackupDir, ".gitignore"), rootfs.Replacement{Perm: 0o666}, func(w io.Writer) error {
		_, err := io.WriteString(w, "*\n")
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// prune removes the oldest versions of a file. What fails is tried again at the next backup.
func (c *change) prune(dir string) {
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
			if e.Type.IsRegular() && isVersion(e.Name) {
				versions = append(versions, e.Name)
			}
		}
	}
	slices.Sort(versions) // by time
	for _, name := range versions[:max(0, len(versions)-maxBackups)] {
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
