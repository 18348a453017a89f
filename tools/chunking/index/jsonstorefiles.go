package index

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

const (
	tempPrefix = ".tmp-"
	// tempAge is the age after which a temporary file counts as abandoned.
	tempAge = 10 * time.Minute
	// maxEntries is the maximum number of directory entries that are examined.
	maxEntries = 1 << 16
)

// parallel calls do for 0 to n-1 concurrently. It uses at most one goroutine per worth
// calls and per processor. A panic in do is raised again in the caller.
func parallel(n, worth int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n/worth)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var run group.Group
	var next atomic.Int64
	var mu sync.Mutex
	var panicked any
	run.OnPanic = func(value any, _ []byte) {
		mu.Lock()
		defer mu.Unlock()
		panicked = value
	}
	for range workers {
		run.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	run.Wait()
	if panicked != nil {
		panic(panicked)
	}
}

// sweep removes abandoned temporary files.
func (s *JSONStore) sweep() {
	entries, _ := s.list(".")
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		if info, err := s.dir.Lstat(e.Name()); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > tempAge {
			_ = s.dir.Remove(e.Name()) // it may be gone already
		}
	}
}

func (s *JSONStore) list(name string) ([]fs.DirEntry, error) {
	dir, err := s.dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxEntries)
	if err == io.EOF {
		err = nil
	}
	return entries, err
}

// sweepOld removes files of the previous format: one per source, in 16 directories.
func (s *JSONStore) sweepOld() {
	for _, shard := range strings.Split("0123456789abcdef", "") {
		if info, err := s.dir.Lstat(shard); err != nil || !info.IsDir() {
			continue
		}
		entries, _ := s.list(shard)
		for _, e := range entries {
			if name := e.Name(); e.Type().IsRegular() && strings.HasPrefix(name, shard) && strings.HasSuffix(name, ".json") {
				_ = s.dir.Remove(shard + "/" + name)
			}
		}
		_ = s.dir.Remove(shard) // unless something else is in it
	}
}

// draft is a temporary file that replaces another one when it is complete.
type draft struct {
	store *JSONStore
	file  *os.File
	name  string
}

func (s *JSONStore) draft() (*draft, error) {
	name := s.temp + strconv.FormatUint(s.temps.Add(1), 36)
	f, err := s.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &draft{s, f, name}, nil
}

// place renames the draft to name. If writing failed with err, it removes the draft.
func (d *draft) place(name string, err error) error {
	if e := d.file.Close(); err == nil {
		err = e
	}
	d.store.step("temp")
	if err == nil {
		err = d.store.dir.Rename(d.name, name)
	}
	if err != nil {
		_ = d.store.dir.Remove(d.name) // it is swept later if that fails
		return fmt.Errorf("replacing %s: %w", name, err)
	}
	d.store.step("renamed")
	return nil
}

// replace atomically replaces a file.
func (s *JSONStore) replace(name string, data []byte) error {
	d, err := s.draft()
	if err != nil {
		return err
	}
	_, err = d.file.Write(data)
	return d.place(name, err)
}
