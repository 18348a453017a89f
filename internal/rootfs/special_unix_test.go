//go:build unix

package rootfs_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// TestOpen_SpecialFiles opens files that would block or have side effects if they were opened like a regular file.
func TestOpen_SpecialFiles(t *testing.T) {
	dir := tree(t, map[string]string{"fifolink": "-> fifo", "dir/": ""})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "dir", "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the path of a socket must be short
	listener, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	names := []string{"fifo", "fifolink", "socket", "dir/fifo"}
	if err := syscall.Mknod(filepath.Join(dir, "null"), syscall.S_IFCHR|0o666, 1<<8|3); err == nil {
		names = append(names, "null")
	}
	for _, stepwise := range []bool{false, true} {
		r := open(t, dir)
		if stepwise {
			rootfs.Stepwise(r)
		}
		for _, name := range names {
			if _, err := r.Open(name); !errors.Is(err, rootfs.ErrIrregular) {
				t.Errorf("Open(%q), stepwise %v: %v", name, stepwise, err)
			}
			if _, _, err := r.Stat(name); !errors.Is(err, rootfs.ErrIrregular) {
				t.Errorf("Stat(%q), stepwise %v: %v", name, stepwise, err)
			}
			if _, err := r.OpenDir(name); !errors.Is(err, rootfs.ErrIrregular) {
				t.Errorf("OpenDir(%q), stepwise %v: %v", name, stepwise, err)
			}
			if _, err := r.Open(name + "/x"); !errors.Is(err, rootfs.ErrNotDirectory) {
				t.Errorf("Open(%q), stepwise %v: %v", name+"/x", stepwise, err)
			}
		}
		d, err := r.OpenDir("dir")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Open("fifo"); !errors.Is(err, rootfs.ErrIrregular) {
			t.Errorf("Dir.Open of a FIFO: %v", err)
		}
		d.Close()
	}
}

func TestOpenRoot_Fifo(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := rootfs.Open(fifo); !errors.Is(err, rootfs.ErrNotDirectory) {
		t.Errorf("Open: %v", err)
	}
}

// TestOpen_EntryReplacedAfterLstat opens entries that were exchanged since they were looked at. Opening the FIFO would hang for good.
func TestOpen_EntryReplacedAfterLstat(t *testing.T) {
	dir := tree(t, map[string]string{"seen/": "", "other/": "", "file": "x", "link": "-> seen"})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	seen, _, err := r.Lstat("seen")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"seen": nil, "other": rootfs.ErrChanged, "file": rootfs.ErrChanged, "fifo": rootfs.ErrChanged, "missing": rootfs.ErrChanged,
		"link": nil, // its target is unchanged
	} {
		if err := rootfs.OpenChild(r, name, seen); err != want {
			t.Errorf("%s opened for what was seen: %v, want %v", name, err, want)
		}
	}
}

// TestOpen_DirectoryReplacedByFifo exchanges a directory for a FIFO again and again while it is opened. A call that opens the
// FIFO like a directory would hang for good.
func TestOpen_DirectoryReplacedByFifo(t *testing.T) {
	dir := tree(t, map[string]string{"d/file": "x"})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	rootfs.Stepwise(r)
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "spare"))
			os.Rename(filepath.Join(dir, "fifo"), filepath.Join(dir, "d"))
			os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "fifo"))
			os.Rename(filepath.Join(dir, "spare"), filepath.Join(dir, "d"))
		}
	})
	for range 500 {
		if opened, err := r.Open("d/file"); err == nil {
			opened.Close()
		}
		if d, err := r.OpenDir("d"); err == nil {
			d.Close()
		}
	}
	close(stop)
	swapper.Wait()
	if opened, err := r.Open("d/file"); err != nil {
		t.Errorf("Open afterwards: %v", err)
	} else {
		opened.Close()
	}
}

// TestOpen_ExchangeStaysInside exchanges a file and a directory for links to secrets while they are opened, and checks that
// the final path and the object belong together.
func TestOpen_ExchangeStaysInside(t *testing.T) {
	outside := tree(t, map[string]string{"file": "outside"})
	dir := tree(t, map[string]string{"open/file": "public", "hidden/file": "secret"})
	links := map[string]string{"toHidden": filepath.Join(dir, "hidden"), "toOutside": outside}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r := open(t, dir)
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			for name := range links {
				select {
				case <-stop:
					return
				default:
				}
				os.Rename(filepath.Join(dir, "open"), filepath.Join(dir, "spare"))
				os.Rename(filepath.Join(dir, name), filepath.Join(dir, "open"))
				os.Rename(filepath.Join(dir, "open"), filepath.Join(dir, name))
				os.Rename(filepath.Join(dir, "spare"), filepath.Join(dir, "open"))
			}
		}
	})
	want := map[string]string{"open/file": "public", "hidden/file": "secret"}
	for i := range 3000 {
		if i == 1500 {
			rootfs.Stepwise(r)
		}
		opened, err := r.Open("open/file")
		if err != nil {
			continue
		}
		buf := make([]byte, 16)
		n, _ := opened.Read(buf)
		opened.Close()
		if content := string(buf[:n]); content != want[opened.Path] {
			t.Fatalf("read %q at the final path %q", content, opened.Path)
		}
	}
	close(stop)
	swapper.Wait()
}
