package security

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/walk"
)

// WalkEntry is the entry that Walk passes to visit. The entry and its methods are valid until visit returns; its
// strings remain valid.
type WalkEntry struct {
	Name  string
	Kind  Kind
	Depth int // levels below the start; an entry of the start has 1

	root  *Root
	tree  *tree
	view  *View
	entry *walk.Entry
}

// viewed returns a context with the View of the walk, unless ctx has one.
func (e *WalkEntry) viewed(ctx context.Context) context.Context {
	if e.root.documentsFor(ctx) == nil || e.root.viewIn(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, viewKey{}, e.view)
}

// Rel returns the slash-separated path relative to the start of the walk.
func (e *WalkEntry) Rel() string { return e.entry.Rel() }

// Path returns the path of the entry for other methods of the Root.
func (e *WalkEntry) Path() string { return e.tree.location(e.entry.Final()).Path }

// Info describes the entry; a link is not followed. FileInfo.Times of the result is always zero.
func (e *WalkEntry) Info(ctx context.Context) (FileInfo, error) {
	if err := contextError(ctx); err != nil {
		return FileInfo{}, err
	}
	meta, err := e.entry.Dir().Describe(e.Name)
	if err != nil {
		return FileInfo{}, e.explain(&rootfs.StepError{Dir: e.entry.Dir().Path, Name: e.Name, Err: err})
	}
	return e.root.describe(e.viewed(ctx), e.tree, e.info(meta), manyFiles), nil
}

func (e *WalkEntry) info(meta rootfs.Meta) FileInfo {
	return FileInfo{
		Location: e.tree.location(e.entry.Final()),
		Name:     e.Name,
		Kind:     kindOf(meta.Mode),
		Size:     meta.Size,
		Mode:     meta.Mode,
		ModTime:  meta.ModTime,
	}
}

// Open opens a regular file for reading. It follows no link, applies the rules to the opened file, and never blocks
// on a FIFO or a device.
func (e *WalkEntry) Open(ctx context.Context) (*File, error) {
	if err := e.readable(ctx); err != nil {
		return nil, err
	}
	opened, err := e.entry.Dir().Open(e.Name)
	if err != nil {
		return nil, e.explain(err)
	}
	if opened.Info.IsDir() {
		opened.Close()
		return nil, e.explain(rootfs.ErrDirectory)
	}
	if rootfs.Links(opened.File, opened.Info) > 1 && e.entry.IsBlockedLink(opened.Info) {
		opened.Close()
		return nil, blocked(e.Path())
	}
	return e.root.present(e.viewed(ctx), e.tree, &File{file: opened.File, info: e.tree.info(e.entry.Final(), opened.Info)}, manyFiles), nil
}

// ReadFile reads an entire file as Open does, at less cost. buf is a buffer to reuse; it may be nil, and its content
// is overwritten. A file larger than limit bytes is FILE_TOO_LARGE; its first limit bytes are returned with the
// error.
func (e *WalkEntry) ReadFile(ctx context.Context, buf []byte, limit int) (content []byte, err error) {
	if err := e.readable(ctx); err != nil {
		return buf[:0], err
	}
	content, meta, err := e.entry.Dir().ReadFile(e.Name, buf, limit)
	if meta.Links > 1 {
		return e.readLinked(ctx, buf, limit)
	}
	if err == nil || err == rootfs.ErrLarge {
		if text, _ := e.root.lookup(e.viewed(ctx), e.tree, e.entry.Final(), manyFiles); text != nil {
			content = append(content[:0], text.Text[:min(len(text.Text), limit)]...)
			if err = nil; len(text.Text) > limit {
				err = rootfs.ErrLarge
			}
		}
	}
	if err == rootfs.ErrLarge {
		return content, tooLarge(e.Path(), int64(limit))
	}
	if err != nil {
		return content, e.explain(err)
	}
	return content, nil
}

// readLinked reads a file with several hard links. Open checks that none of them is blocked.
func (e *WalkEntry) readLinked(ctx context.Context, buf []byte, limit int) ([]byte, error) {
	f, err := e.Open(ctx)
	if err != nil {
		return buf[:0], err
	}
	defer f.Close()
	content, err := f.readAll(ctx, buf, int64(limit))
	if err == nil && len(content) > limit {
		return content[:limit], tooLarge(e.Path(), int64(limit))
	}
	return content, err
}

// readable refuses entries that are no regular files, without opening them.
func (e *WalkEntry) readable(ctx context.Context) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	switch e.Kind {
	case Directory:
		return e.explain(rootfs.ErrDirectory)
	case Symlink:
		return e.explain(rootfs.ErrLink)
	case OtherKind:
		return e.explain(rootfs.ErrIrregular)
	}
	return nil
}

// explain turns an error of the file system into an *Error about the entry.
func (e *WalkEntry) explain(err error) error {
	t := target{given: e.Path(), tree: e.tree, rel: e.entry.Final()}
	if errors.Is(err, rootfs.ErrDirectory) {
		return problem(IsDirectory, t.given, nil, "%s is a directory.", quote(t.given))
	}
	return e.root.explain(t, err)
}
