package treesitter

import (
	"bytes"
	"os"
	"testing"
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
