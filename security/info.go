package security

import (
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/hardlink"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// Kind is the type of an entry.
type Kind uint8

const (
	// RegularFile can be opened and written.
	RegularFile Kind = iota + 1
	// Directory can be listed.
	Directory
	// Symlink is a link in a listing; Open and Stat follow it.
	Symlink
	// OtherKind is a device, FIFO, socket or the like. It is listed and never opened.
	OtherKind
)

// String returns "file", "directory", "symlink" or "other".
func (k Kind) String() string {
	switch k {
	case RegularFile:
		return "file"
	case Directory:
		return "directory"
	case Symlink:
		return "symlink"
	}
	return "other"
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return RegularFile
	case mode.IsDir():
		return Directory
	case mode&fs.ModeSymlink != 0:
		return Symlink
	}
	return OtherKind
}

// Location is the path of a file in a Root.
type Location struct {
	// Path is the path for other calls: relative to the first directory of the Root, absolute in the other
	// directories. It is the final path with all links resolved, with slashes.
	Path string
	// Dir is the index of the directory in RootOptions.Dirs.
	Dir int
	// Rel is the final path relative to that directory, with slashes; "." is the directory itself.
	Rel string
}

// FileInfo describes a file or a directory. In a listing, it can describe any entry.
type FileInfo struct {
	Location
	Name    string // last name of Path; "." for a directory of the Root
	Kind    Kind
	Size    int64 // in bytes, as the system reports; the content that is read may be shorter or longer
	Mode    fs.FileMode
	ModTime time.Time
	// Unsaved is the name of the program whose unsaved text Size and ModTime describe; "" describes the file on the
	// disk. The ModTime of an unsaved text is the time at which the text was first read.
	Unsaved string
	// NotOnDisk reports that there is no file: the program has the text of a document that was never saved.
	NotOnDisk bool
	// Unverified is the reason why the file may have unsaved text that is not described; "" if that is excluded.
	Unverified string

	sys fs.FileInfo
}

// tree is one directory of a Root.
type tree struct {
	*rootfs.Root
	index   int
	links   hardlink.Finder
	removed *removedDir // nil if TrashDir and BackupDir are in the tree
}

func newTree(opened *rootfs.Root, index int) *tree {
	return &tree{Root: opened, index: index, links: hardlink.Finder{Root: opened}}
}

// location returns the Location of a final path.
func (t *tree) location(final string) Location {
	loc := Location{Path: final, Dir: t.index, Rel: final}
	if t.index > 0 {
		loc.Path = slashed(t.Name())
		if final != "." {
			loc.Path = slashpath.Join(loc.Path, final)
		}
	}
	return loc
}

// absolute returns the absolute path of a final path, with links resolved.
func (t *tree) absolute(final string) string {
	return filepath.Join(t.RealName(), filepath.FromSlash(final))
}

// info returns the FileInfo of a final path.
func (t *tree) info(final string, sys fs.FileInfo) FileInfo {
	return FileInfo{
		Location: t.location(final),
		Name:     path.Base(final),
		Kind:     kindOf(sys.Mode()),
		Size:     sys.Size(),
		Mode:     sys.Mode(),
		ModTime:  sys.ModTime(),
		sys:      sys,
	}
}

// Sys returns the description by the operating system; nil for a result of WalkEntry.Info.
func (i FileInfo) Sys() fs.FileInfo { return i.sys }

// Times returns the times of the last access and of the creation. A time that the system does not report is zero.
func (i FileInfo) Times() (accessed, created time.Time) {
	if i.sys == nil {
		return time.Time{}, time.Time{}
	}
	return times(i.sys)
}
