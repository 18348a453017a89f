package aferofs

import (
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
)

// unsupportedFile has the methods of afero.File that a file opened for reading cannot serve.
type unsupportedFile struct{ name string }

func (f *unsupportedFile) Name() string { return f.name }

func (f *unsupportedFile) Write([]byte) (int, error) {
	return 0, pathError("write", f.name, fs.ErrPermission)
}

func (f *unsupportedFile) WriteAt([]byte, int64) (int, error) {
	return 0, pathError("write", f.name, fs.ErrPermission)
}

func (f *unsupportedFile) WriteString(string) (int, error) {
	return 0, pathError("write", f.name, fs.ErrPermission)
}

func (f *unsupportedFile) Truncate(int64) error {
	return pathError("truncate", f.name, fs.ErrPermission)
}

func (f *unsupportedFile) Sync() error { return nil }

// reader is a file opened for reading.
type reader struct {
	unsupportedFile
	*security.File
}

func (f *reader) Stat() (fs.FileInfo, error) { return f.File.Info().Sys(), nil }

func (f *reader) Readdir(int) ([]fs.FileInfo, error) {
	return nil, pathError("readdir", f.name, notDirectory(f.name))
}

func (f *reader) Readdirnames(int) ([]string, error) {
	_, err := f.Readdir(0)
	return nil, err
}

// directory is a directory opened for listing.
type directory struct {
	unsupportedFile
	fs  *fileSystem
	dir *security.Dir
}

func (f *directory) Stat() (fs.FileInfo, error) { return f.dir.Info().Sys(), nil }

func (f *directory) Close() error { return pathError("close", f.name, f.dir.Close()) }

func (f *directory) refuseRead() error {
	return pathError("read", f.name, isDirectory(f.name))
}

func (f *directory) Read([]byte) (int, error)          { return 0, f.refuseRead() }
func (f *directory) ReadAt([]byte, int64) (int, error) { return 0, f.refuseRead() }
func (f *directory) Seek(int64, int) (int64, error)    { return 0, f.refuseRead() }

// Readdirnames returns the next n names, or all that remain, sorted, when n is not positive, as os.File does.
func (f *directory) Readdirnames(n int) ([]string, error) {
	infos, err := f.Readdir(n)
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name()
	}
	return names, err
}

// Readdir returns the next n entries, or all that remain when n is not positive, as os.File does. A batch is sorted by name.
func (f *directory) Readdir(n int) ([]fs.FileInfo, error) {
	all := n <= 0
	if all {
		n = 256
	}
	infos := []fs.FileInfo{}
	for all || len(infos) == 0 {
		entries, err := f.dir.Next(f.fs.ctx, n)
		if err == io.EOF && all {
			break
		}
		if err == io.EOF {
			return infos, io.EOF
		}
		if err != nil {
			return infos, pathError("readdir", f.name, err)
		}
		for _, e := range entries {
			if info, err := f.dir.Lstat(f.fs.ctx, e.Name); err == nil {
				infos = append(infos, info.Sys())
			}
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return infos, nil
}
