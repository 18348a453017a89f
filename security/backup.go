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

// BackupDir is the directory for former versions of files, at the top of each project directory; see also
// RootOptions.RemovedInState. Tools can read it but not write to it. Listings omit it unless it is opened by name.
const BackupDir = trash.BackupDir

// backUp copies the old content to BackupDir and returns the path of the copy for another call. It keeps the newest
// 20 versions of each file.
func (c *change) backUp(ctx context.Context) (string, error) {
	tree := c.target.tree
	final, err := c.root.writeBackup(ctx, c.target, c.place.Path, c.oldSum, rootfs.Replacement{Like: c.old}, func(w io.Writer) error { return c.readOld(ctx, w) })
	if err != nil {
		return "", err
	}
	if err := trash.PruneBackups(tree.holder(final), final); err != nil {
		c.root.log.Warn("old backup not removed", "path", path.Dir(final), "error", err)
	}
	return tree.location(final).Path, nil
}

// writeBackup writes a version of a file to BackupDir and returns its final path. sum is the digest of the version.
func (r *Root) writeBackup(ctx context.Context, t target, file, sum string, how rootfs.Replacement, write func(io.Writer) error) (string, error) {
	for {
		final := trash.NewBackup(file, sum)
		place, err := r.openKeptPlace(t, final, 0o777)
		if err != nil {
			return "", err
		}
		how.New, how.Durability = true, r.durability
		_, err = place.Replace(how, write)
		place.Close()
		if errors.Is(err, fs.ErrExist) && ctx.Err() == nil {
			continue // the name, which contains the time, is in use
		}
		return final, err
	}
}

// openKeptPlace returns a place below BackupDir or TrashDir and creates its directories. It refuses symbolic links on
// the way, since a planted link would redirect the content.
func (r *Root) openKeptPlace(t target, final string, perm fs.FileMode) (*rootfs.Place, error) {
	return r.openKeptPlaceIn(t.tree.keeper(), t, final, perm)
}

// openKeptPlaceIn is openKeptPlace in a given directory.
func (r *Root) openKeptPlaceIn(root *rootfs.Root, t target, final string, perm fs.FileMode) (*rootfs.Place, error) {
	place, err := trash.Place(root, final, perm, r.durability)
	if errors.Is(err, trash.ErrLink) {
		top := BackupDir
		if slashpath.IsBelow(final, TrashDir) {
			top = TrashDir
		}
		err = refuse(PermissionDenied, ProtectedFile, t.given, "The directory "+top+" of the project holds a symbolic link.", "Ask the user to remove the link.")
	}
	return place, err
}
