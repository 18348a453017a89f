package security

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/slashpath"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// BackupDir is the directory, at the top of each project directory, in which Root keeps former versions of files. Tools can
// read it but not write to it, and listings leave it out unless it is opened by name.
const BackupDir = trash.BackupDir

// keep copies the old content to the backup directory, and removes the oldest versions beyond 20. It returns the path of the
// copy for another call.
func (c *change) keep(ctx context.Context) (string, error) {
	tree := c.target.tree
	final, err := c.root.writeBackup(ctx, c.target, c.place.Path, c.oldSum, rootfs.Replacement{Like: c.old}, func(w io.Writer) error { return c.readOld(ctx, w) })
	if err != nil {
		return "", err
	}
	if err := trash.PruneBackups(tree.Root, final); err != nil {
		c.root.log.Warn("old backup not removed", "path", path.Dir(final), "error", err)
	}
	return tree.location(final).Path, nil
}

// writeBackup writes a version of a file with a digest, and returns its final path.
func (r *Root) writeBackup(ctx context.Context, t target, file, sum string, how rootfs.Replacement, write func(io.Writer) error) (string, error) {
	for {
		final := trash.NewBackup(file, sum)
		place, err := r.keepPlace(t, final, 0o777)
		if err != nil {
			return "", err
		}
		how.New, how.Durability = true, r.durability
		_, err = place.Replace(how, write)
		place.Close()
		if errors.Is(err, fs.ErrExist) && ctx.Err() == nil {
			continue // a version of the same microsecond
		}
		return final, err
	}
}

// keepPlace finds a place below the backup directory or the trash, and makes the directories on the way there. The directories must be
// real ones: a link planted there would lead the kept content elsewhere.
func (r *Root) keepPlace(t target, final string, perm fs.FileMode) (*rootfs.Place, error) {
	place, err := trash.Place(t.tree.Root, final, perm, r.durability)
	if errors.Is(err, trash.ErrLink) {
		top := BackupDir
		if slashpath.IsBelow(final, TrashDir) {
			top = TrashDir
		}
		err = refuse(PermissionDenied, ProtectedFile, t.given, "The directory "+top+" of the project holds a symbolic link.", "Ask the user to remove the link.")
	}
	return place, err
}
