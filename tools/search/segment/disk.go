package segment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// The files of an index, besides its segments.
const (
	manifestName = "manifest"
	manifestTemp = "manifest.tmp"
	manifestBad  = "manifest.damaged"
	lockName     = "lock"
)

// maxManifest is the size of the largest manifest that is read, in bytes.
const maxManifest = 1 << 30

// disk is a store in a directory. One process at a time holds the lock and may write.
type disk struct {
	dir    *os.Root
	memory budget

	mu     sync.Mutex
	locked *os.File // nil while another process has the lock
}

func openDisk(dir string, memory int64) (*disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &disk{dir: root, memory: budget{limit: memory}}, nil
}

// lock reports whether this process may write.
func (d *disk) lock() (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locked != nil {
		return true, nil
	}
	f, err := d.dir.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	ok, err := rootfs.TryLock(f)
	if !ok {
		return false, errors.Join(err, f.Close())
	}
	d.locked = f
	return true, nil
}

func (d *disk) create(number uint64) (newFile, error) {
	f, err := d.dir.OpenFile(segmentName(number), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

type diskFile struct{ *os.File }

func (f diskFile) Close() error { return errors.Join(f.Sync(), f.File.Close()) }

func (d *disk) open(number uint64, size int64, sum uint32) (*blob, func(), error) {
	name := segmentName(number)
	f, err := d.dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &Damage{Name: name, Description: "the file is missing"}
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && (info.Size() != size || !info.Mode().IsRegular()) {
		err = &Damage{Name: name, Description: fmt.Sprintf("the file has %d bytes instead of %d", info.Size(), size)}
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	whole := d.memory.reserve(size)
	b, err := newBlob(name, f, size, sum, whole)
	if err != nil {
		d.memory.reserve(-size)
		return nil, nil, errors.Join(err, f.Close())
	}
	if !whole {
		return b, func() { _ = f.Close() }, nil
	}
	return b, func() { d.memory.reserve(-size) }, f.Close()
}

// remove deletes a segment. A segment that another process reads may remain until the
// next sweep.
func (d *disk) remove(number uint64) { _ = d.dir.Remove(segmentName(number)) }

func (d *disk) commit(manifest []byte, _ []uint64) error {
	f, err := d.dir.OpenFile(manifestTemp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(manifest)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.dir.Rename(manifestTemp, manifestName)
	}
	if err != nil {
		return err
	}
	// The manifest is now replaced for every process. Only the durability can still
	// fail, and some systems cannot sync a directory.
	if dir, err := d.dir.Open("."); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// manifest returns the manifest, or fs.ErrNotExist.
func (d *disk) manifest() ([]byte, fs.FileInfo, error) {
	f, err := d.dir.Open(manifestName)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxManifest))
	return data, info, err
}

// sweep deletes segments that earlier processes left unused.
func (d *disk) sweep(used map[uint64]bool) {
	entries, err := fs.ReadDir(d.dir.FS(), ".")
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		var number uint64
		if n, err := fmt.Sscanf(name, "%d.seg", &number); n == 1 && err == nil && name == segmentName(number) && !used[number] || name == manifestTemp {
			_ = d.dir.Remove(name)
		}
	}
}

func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	if d.locked != nil {
		err = d.locked.Close()
		d.locked = nil
	}
	return errors.Join(err, d.dir.Close())
}
