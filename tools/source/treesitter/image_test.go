package treesitter

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestImageFile_ReadsWhatItWrote(t *testing.T) {
	f := newImageFile(t.TempDir(), []byte("module"), [queries]query{{text: "(a) @name"}})
	if got := f.read(100); got != nil {
		t.Errorf("a file that does not exist has the image %q", got)
	}
	f.write([]byte("image"))
	if got := f.read(100); !bytes.Equal(got, []byte("image")) {
		t.Errorf("the image is %q", got)
	}
	if got := f.read(4); got != nil {
		t.Errorf("an image above the limit is %q", got)
	}
}

func TestImageFile_Damaged(t *testing.T) {
	f := newImageFile(t.TempDir(), []byte("module"), [queries]query{})
	f.write([]byte("image"))
	whole, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, whole[:10], whole[:len(whole)-3], append(bytes.Repeat([]byte{7}, 8), whole[8:]...)} {
		if err := os.WriteFile(f.path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := f.read(100); got != nil {
			t.Errorf("a damaged file has the image %q", got)
		}
	}
}

func TestImageFile_NameDependsOnModuleAndQueries(t *testing.T) {
	dir := t.TempDir()
	names := map[string]bool{}
	for _, f := range []imageFile{
		newImageFile(dir, []byte("m"), [queries]query{{text: "a"}}),
		newImageFile(dir, []byte("n"), [queries]query{{text: "a"}}),
		newImageFile(dir, []byte("m"), [queries]query{{text: "b"}}),
		newImageFile(dir, []byte("m"), [queries]query{{}, {text: "a"}}),
	} {
		names[f.path] = true
	}
	if len(names) != 4 {
		t.Errorf("different grammars share a file: %v", names)
	}
	if f := newImageFile("", []byte("m"), [queries]query{}); f.path != "" {
		t.Errorf("without a directory the file is %q", f.path)
	}
}

func TestImageFile_RemovesUnused(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	long := time.Now().Add(-imageLifetime - time.Hour)
	put := func(dir, name string, changed time.Time) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("image"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
		return path
	}
	name := func(digit string) string { return "queries-" + strings.Repeat(digit, 32) }
	put(dir, name("a"), long)
	put(dir, ".queries-123", long)
	put(dir, name("b"), time.Now().Add(-imageLifetime+time.Hour))
	kept := []string{name("b")}
	for _, foreign := range []string{"queries-mine", name("g"), name("a") + ".txt", ".queries-x", "notes"} {
		put(dir, foreign, long)
		kept = append(kept, foreign)
	}
	if err := os.Mkdir(filepath.Join(dir, name("c")), 0o700); err != nil {
		t.Fatal(err)
	}
	kept = append(kept, name("c"))
	target := put(other, "target", long)
	if err := os.Symlink(target, filepath.Join(dir, name("d"))); err == nil { // Windows can refuse it
		kept = append(kept, name("d"))
	}

	used := newImageFile(dir, []byte("used"), [queries]query{})
	used.write([]byte("image"))
	if err := os.Chtimes(used.path, long, long); err != nil {
		t.Fatal(err)
	}
	if got := used.read(100); got == nil {
		t.Fatal("the image was not read")
	}
	written := newImageFile(dir, []byte("written"), [queries]query{})
	written.write([]byte("image"))
	kept = append(kept, filepath.Base(used.path), filepath.Base(written.path))

	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(kept)
	slices.Sort(got)
	if !slices.Equal(got, kept) {
		t.Errorf("the directory has %q, want %q", got, kept)
	}
	if _, err := os.Stat(target); err != nil {
		t.Error(err)
	}
}
