//go:build unix

package rootfs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// TestDir_SpecialFiles lists and opens entries that would block.
func TestDir_SpecialFiles(t *testing.T) {
	dir := tree(t, map[string]string{"file": "x"})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := openDir(t, dir, ".")
	for {
		e, err := d.Read()
		if err != nil {
			break
		}
		if e.Name == "fifo" && e.Type != fs.ModeNamedPipe {
			t.Errorf("the FIFO is listed as %v", e.Type)
		}
	}
	if _, _, err := d.ReadFile("fifo", nil, 10); !errors.Is(err, rootfs.ErrIrregular) {
		t.Errorf("ReadFile of a FIFO: %v", err)
	}
	if _, err := d.Open("fifo"); !errors.Is(err, rootfs.ErrIrregular) {
		t.Errorf("Open of a FIFO: %v", err)
	}
	if _, err := d.OpenDir("fifo"); !errors.Is(err, rootfs.ErrIrregular) {
		t.Errorf("OpenDir of a FIFO: %v", err)
	}
}

// TestDir_ExchangedEntries swaps a file and a directory with links, a FIFO and each other. No opened file is behind a
// link, and no call blocks.
func TestDir_ExchangedEntries(t *testing.T) {
	outside := tree(t, map[string]string{"file": "outside"})
	dir := tree(t, map[string]string{"entry/file": "public", "plain": "public", "secret": "secret", "hidden/file": "secret", "toSecret": "-> secret", "toHidden": "-> hidden"})
	if err := os.Symlink(outside, filepath.Join(dir, "toOutside")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := openDir(t, dir, ".")
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			for _, name := range []string{"plain", "toSecret", "toHidden", "toOutside", "fifo"} {
				select {
				case <-stop:
					return
				default:
				}
				os.Rename(filepath.Join(dir, "entry"), filepath.Join(dir, "spare"))
				os.Rename(filepath.Join(dir, name), filepath.Join(dir, "entry"))
				os.Rename(filepath.Join(dir, "entry"), filepath.Join(dir, name))
				os.Rename(filepath.Join(dir, "spare"), filepath.Join(dir, "entry"))
			}
		}
	})
	for range 3000 {
		if content, _, err := d.ReadFile("entry", nil, 100); err == nil && string(content) != "public" {
			t.Errorf("read %q", content)
		}
		if opened, err := d.Open("entry"); err == nil {
			buf := make([]byte, 100)
			if n, _ := opened.Read(buf); opened.Info.Mode().IsRegular() && string(buf[:n]) != "public" {
				t.Errorf("read %q from an open file", buf[:n])
			}
			opened.Close()
		}
		if child, err := d.OpenDir("entry"); err == nil {
			if content, _, err := child.ReadFile("file", nil, 100); err != nil || string(content) != "public" {
				t.Errorf("read %q in the directory, %v", content, err)
			}
			child.Close()
		}
	}
	close(stop)
	swapper.Wait()
}

// TestDir_ConcurrentClose closes a directory while others open its entries. They find the right file or none.
func TestDir_ConcurrentClose(t *testing.T) {
	r := open(t, tree(t, map[string]string{"a/file": "a", "b/file": "b"}))
	var others sync.WaitGroup
	for range 200 {
		a, err := r.OpenDir("a")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			others.Go(func() {
				for {
					content, _, err := a.ReadFile("file", nil, 10)
					if errors.Is(err, os.ErrClosed) {
						return
					}
					if err != nil || string(content) != "a" {
						t.Errorf("read %q, %v", content, err)
						return
					}
				}
			})
		}
		a.Close()
		b, err := r.OpenDir("b") // takes the number that is free
		if err != nil {
			t.Fatal(err)
		}
		others.Wait()
		b.Close()
	}
}
