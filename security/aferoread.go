package security

import (
	"io"
	"io/fs"
	"slices"
	"strings"
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

// aferoReader is a file opened for reading.
type aferoReader struct {
	unsupportedFile
	*File
}

func (f *aferoReader) Stat() (fs.FileInfo, error) { return f.info.sys, nil }

func (f *aferoReader) Readdir(int) ([]fs.FileInfo, error) {
	return nil, pathError("readdir", f.name, problem(NotDirectory, f.name, nil, "%s is a file.", quote(f.name)))
}

func (f *aferoReader) Readdirnames(int) ([]string, error) {
	_, err := f.Readdir(0)
	return nil, err
}

// aferoDir is a directory opened for listing.
type aferoDir struct {
	unsupportedFile
	fs  *aferoFS
	dir *Dir
}

func (f *aferoDir) Stat() (fs.FileInfo, error) { return f.dir.dir.Info, nil }

func (f *aferoDir) Close() error { return pathError("close", f.name, f.dir.Close()) }

func (f *aferoDir) isDirectory() error {
	return pathError("read", f.name, problem(IsDirectory, f.name, nil, "%s is a directory.", quote(f.name)))
}

func (f *aferoDir) Read([]byte) (int, error)          { return 0, f.isDirectory() }
func (f *aferoDir) ReadAt([]byte, int64) (int, error) { return 0, f.isDirectory() }
func (f *aferoDir) Seek(int64, int) (int64, error)    { return 0, f.isDirectory() }

// Readdirnames returns the next n names, or all that remain, sorted, when n is not positive, as os.File does.
func (f *aferoDir) Readdirnames(n int) ([]string, error) {
	infos, err := f.Readdir(n)
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name()
	}
	return names, err
}

// Readdir returns the next n entries, or all that remain when n is not positive, as os.File does. A batch is sorted by name.
func (f *aferoDir) Readdir(n int) ([]fs.FileInfo, error) {
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
				infos = append(infos, info.sys)
			}
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return infos, nil
}
