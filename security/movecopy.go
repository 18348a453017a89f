package security

import (
	"context"
	"io"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// copyAway is for a file that cannot be renamed, because its new place lies on another file system: it is copied, the copy is read
// again and compared, and so is the file itself; only then the file is disposed of. On an error the copy is removed.
func (r *Root) copyAway(ctx context.Context, source, dest *rootfs.Place, dispose func() error) error {
	f, _, err := source.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	var want string
	how := rootfs.Replacement{Like: f, New: true, Durability: r.durability}
	_, err = dest.Replace(how, func(w io.Writer) error {
		d := newDigest(w)
		err := copyContent(ctx, d, f)
		want = d.sum()
		return err
	})
	if err != nil {
		return err
	}
	if err = dest.Refresh(); err == nil {
		err = compare(ctx, dest, want)
	}
	if err == nil {
		err = compare(ctx, source, want)
	}
	if err == nil {
		err = dispose()
	}
	if err != nil {
		if e := dest.Remove(r.durability); e != nil {
			r.log.WarnContext(ctx, "copy of a file that was not moved is left", "path", dest.Path, "error", rootfs.Reason(e))
		}
	}
	return err
}

// compare reads a file and reports ErrChanged when it has another digest.
func compare(ctx context.Context, p *rootfs.Place, want string) error {
	sum, err := digestOf(ctx, p)
	if err == nil && sum != want {
		err = rootfs.ErrChanged
	}
	return err
}

// digestOf is the sha256 of what a file holds.
func digestOf(ctx context.Context, p *rootfs.Place) (string, error) {
	f, _, err := p.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	d := newDigest(io.Discard)
	if err := copyContent(ctx, d, f); err != nil {
		return "", err
	}
	return d.sum(), nil
}
