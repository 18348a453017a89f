// Package pack writes reproducible archives (tar and ZIP): all entries have one time and one owner, and are sorted by name.
package pack

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// File is an entry. Owner is the user ID in tar archives; 0 is root.
type File struct {
	Name    string // slash-separated; a directory ends with a slash
	Mode    fs.FileMode
	Content []byte
	Owner   int
}

// Executable returns an entry for a program, with mode 0755.
func Executable(name string, content []byte) File {
	return File{Name: name, Mode: 0o755, Content: content}
}

// Text returns an entry for a text file, with mode 0644.
func Text(name string, content []byte) File { return File{Name: name, Mode: 0o644, Content: content} }

// check returns an error for duplicate names and names that lead outside the target directory.
func check(files []File) error {
	seen := make(map[string]bool)
	for _, f := range files {
		name := strings.TrimSuffix(f.Name, "/")
		if name == "" || path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") || strings.ContainsAny(name, "\\:") {
			return fmt.Errorf("%q is no name for an entry", f.Name)
		}
		if seen[name] {
			return fmt.Errorf("%q is there twice", f.Name)
		}
		seen[name] = true
	}
	return nil
}

// sorted returns the files sorted by name.
func sorted(files []File) []File {
	return slices.SortedFunc(slices.Values(files), func(a, b File) int { return strings.Compare(a.Name, b.Name) })
}

// Tar writes a tar archive of the files.
func Tar(w io.Writer, at time.Time, files []File) error {
	if err := check(files); err != nil {
		return err
	}
	archive := tar.NewWriter(w)
	for _, f := range sorted(files) {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.Name, Size: int64(len(f.Content)), Mode: tarMode(f.Mode),
			ModTime: at.UTC().Truncate(time.Second), Uid: f.Owner, Gid: f.Owner, Format: tar.FormatPAX,
		}
		if strings.HasSuffix(f.Name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if _, err := archive.Write(f.Content); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return archive.Close()
}

// tarMode returns the mode of a tar entry, in which the sticky bit has another position.
func tarMode(m fs.FileMode) int64 {
	if m&fs.ModeSticky != 0 {
		return int64(m.Perm()) | 0o1000
	}
	return int64(m.Perm())
}

// TarGz writes a tar archive compressed with gzip.
func TarGz(w io.Writer, at time.Time, files []File) error {
	compressed := gzip.NewWriter(w)
	if err := Tar(compressed, at, files); err != nil {
		return err
	}
	return compressed.Close()
}

// Compressed is compressed content of a ZIP archive. Compression is the most expensive step, and a program is in several archives.
type Compressed struct {
	header zip.FileHeader
	data   []byte
}

// Zip writes a ZIP archive of files and of compressed entries.
func Zip(w io.Writer, at time.Time, files []File, ready ...*Compressed) error {
	all := slices.Clone(files)
	for _, c := range ready {
		all = append(all, File{Name: c.header.Name})
	}
	if err := check(all); err != nil {
		return err
	}
	for _, f := range sorted(files) {
		c, err := Compress(f)
		if err != nil {
			return err
		}
		ready = append(slices.Clip(ready), c)
	}
	slices.SortFunc(ready, func(a, b *Compressed) int { return strings.Compare(a.header.Name, b.header.Name) })
	archive := zip.NewWriter(w)
	for _, c := range ready {
		header := c.header
		header.SetModTime(at) // UTC in both time fields of ZIP
		entry, err := archive.CreateRaw(&header)
		if err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
		if _, err := entry.Write(c.data); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
	return archive.Close()
}

// Compress compresses a file for ZIP archives.
func Compress(f File) (*Compressed, error) {
	var data sliceWriter
	deflate, err := flate.NewWriter(&data, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := deflate.Write(f.Content); err != nil {
		return nil, err
	}
	if err := deflate.Close(); err != nil {
		return nil, err
	}
	header := zip.FileHeader{
		Name: f.Name, Method: zip.Deflate, CRC32: checksum(f.Content), CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(f.Content)),
	}
	header.SetMode(f.Mode)
	return &Compressed{header, data}, nil
}

// Renamed returns the same content under another name.
func (c *Compressed) Renamed(name string) *Compressed {
	other := *c
	other.header.Name = name
	return &other
}
