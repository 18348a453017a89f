package security

import (
	"io/fs"
	"path"
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

// String is "file", "directory", "symlink" or "other".
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

// Location says where a file is.
type Location struct {
	// Path names the file in another call: relative to the first directory of the Root, absolute in the others.
	// It is the final path, with every link resolved, and slashes.
	Path string
	// Dir is the index of the directory in RootOptions.Dirs.
	Dir int
	// Rel is the final path relative to that directory, with slashes; "." is the directory.
	Rel string
}

// FileInfo describes a file, a directory, or in a listing any entry.
type FileInfo struct {
	Location
	Name    string // last name of Path; "." for the directory of a Root
	Kind    Kind
	Size    int64 // in bytes, as the system says; what is read can be more or less
	Mode    fs.FileMode
	ModTime time.Time

	sys fs.FileInfo
}

// tree is one directory of a Root.
type tree struct {
	*rootfs.Root
	index int
	links hardlink.Finder
}

func newTree(opened *rootfs.Root, index int) *tree {
	return &tree{Root: opened, index: index, links: hardlink.Finder{Root: opened}}
}

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

// Sys returns the description of the operating system, nil for one of WalkEntry.Info.
func (i FileInfo) Sys() fs.FileInfo { return i.sys }

// Times are when the entry was last read and when it was made, as far as the system tells; else zero.
func (i FileInfo) Times() (accessed, created time.Time) {
	if i.sys == nil {
		return time.Time{}, time.Time{}
	}
	return times(i.sys)
}
