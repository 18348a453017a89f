package pack_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/release/internal/pack"
)

var at = time.Date(2026, 1, 2, 3, 4, 6, 7, time.FixedZone("there", 3600))

func files() []pack.File {
	return []pack.File{
		pack.Executable("server/prog", bytes.Repeat([]byte("program "), 1000)),
		pack.Text("README.md", []byte("# prog\n")),
		{Name: "work/", Mode: fs.ModeSticky | 0o777, Owner: 7},
	}
}

func TestTarGz(t *testing.T) {
	var one, other bytes.Buffer
	reversed := files()
	slices.Reverse(reversed)
	if err := pack.TarGz(&one, at, files()); err != nil {
		t.Fatal(err)
	}
	if err := pack.TarGz(&other, at.UTC(), reversed); err != nil || !bytes.Equal(one.Bytes(), other.Bytes()) {
		t.Errorf("it depends on the order or the time zone: %v", err)
	}
	z, err := gzip.NewReader(&one)
	if err != nil || !z.ModTime.IsZero() || z.Name != "" {
		t.Fatalf("%v, %+v", err, z.Header)
	}
	var got []string
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil || int64(len(content)) != h.Size || h.ModTime.Unix() != at.Unix() || h.Uname != "" || h.Gname != "" || h.Uid != h.Gid {
			t.Errorf("%+v, %v", h, err)
		}
		got = append(got, strings.Join([]string{h.Name, string(h.Typeflag), fs.FileMode(h.Mode).String(), string(rune('0' + h.Uid))}, " "))
	}
	want := []string{"README.md 0 -rw-r--r-- 0", "server/prog 0 -rwxr-xr-x 0", "work/ 5 " + fs.FileMode(0o1777).String() + " 7"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestZip(t *testing.T) {
	program, err := pack.Compress(files()[0])
	if err != nil {
		t.Fatal(err)
	}
	var one, other bytes.Buffer
	if err := pack.Zip(&one, at, files()[1:2], program.Renamed("bin/prog"), program); err != nil {
		t.Fatal(err)
	}
	if err := pack.Zip(&other, at.UTC(), files()[1:2], program, program.Renamed("bin/prog")); err != nil || !bytes.Equal(one.Bytes(), other.Bytes()) {
		t.Errorf("it depends on the order or the time zone: %v", err)
	}
	archive, err := zip.NewReader(bytes.NewReader(one.Bytes()), int64(one.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r) // reading checks the checksum
		if err != nil || uint64(len(content)) != f.UncompressedSize64 || !f.Modified.Equal(at.Truncate(2*time.Second)) {
			t.Errorf("%s: %v, %v", f.Name, err, f.Modified)
		}
		got = append(got, f.Name+" "+f.Mode().String())
	}
	if want := []string{"README.md -rw-r--r--", "bin/prog -rwxr-xr-x", "server/prog -rwxr-xr-x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTar_InvalidNames(t *testing.T) {
	for _, name := range []string{"", "/", "/etc/passwd", "../x", "a/../b", "a//b", `a\b`, "C:x", "..", "./a"} {
		bad := []pack.File{pack.Text(name, nil)}
		if err := pack.Tar(io.Discard, at, bad); err == nil {
			t.Errorf("tar takes %q", name)
		}
		if err := pack.Zip(io.Discard, at, bad); err == nil {
			t.Errorf("zip takes %q", name)
		}
	}
	twice := []pack.File{pack.Text("a", nil), pack.Text("a", nil)}
	if pack.Tar(io.Discard, at, twice) == nil || pack.Zip(io.Discard, at, twice) == nil {
		t.Error("a name is there twice")
	}
}
