package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
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
	// tempAge is how old a temporary file is whose writer has certainly died.
	tempAge = 10 * time.Minute
	// maxJSON is more than the JSON of any file that is parsed.
	maxJSON = 256 << 20
	// maxShard bounds the entries of a directory that are looked at.
	maxShard = 1 << 16
)

// jsonName is where the JSON of a source file is: in one of 16 directories, under
// a hash of its path, followed by its name for people to recognise.
func jsonName(source string) string {
	sum := sha256.Sum256([]byte(source))
	hash := hex.EncodeToString(sum[:8])
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, path.Base(source))
	return hash[:1] + "/" + hash + "-" + name[:min(len(name), 80)] + ".json"
}

// parallel calls do for the numbers below n, several at once, but with no more
// goroutines than have as many numbers each as it is worth.
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

var jsonBuffers = sync.Pool{New: func() any { return new([]byte) }}

// writeAll writes the JSON of files. What fails does not keep the rest from being
// written; the error is that of the first that did.
func (s *JSONStore) writeAll(ctx context.Context, files []*File) error {
	var first atomic.Pointer[error]
	parallel(len(files), 16, func(i int) {
		err := ctx.Err()
		if err == nil {
			err = s.writeJSON(files[i])
		}
		if err != nil {
			first.CompareAndSwap(nil, &err)
		}
	})
	if err := first.Load(); err != nil {
		return *err
	}
	return nil
}

// errNoCreate says that create cannot do it here.
var errNoCreate = errors.New("files are not created in one step here")

// writeJSON puts a whole file in place of the one before, and makes the directory
// that it belongs in if need be. Where there is none before, the file is written
// where it belongs: who reads it meanwhile, or after a crash, sees that its end is
// missing.
func (s *JSONStore) writeJSON(f *File) error {
	buf := jsonBuffers.Get().(*[]byte)
	defer func() {
		if cap(*buf) <= 4<<20 {
			jsonBuffers.Put(buf)
		}
	}()
	*buf = f.AppendJSON((*buf)[:0])
	name, err := jsonName(f.Path), error(fs.ErrExist)
	if _, known := s.sizes[f.Path]; !known {
		err = s.inShard(name, s.create, *buf)
	}
	if errors.Is(err, fs.ErrExist) || err == errNoCreate {
		err = s.inShard(name, s.replace, *buf)
	}
	return err
}

// inShard puts a file in its directory, which is made if it is missing.
func (s *JSONStore) inShard(name string, put func(name string, data []byte) error, data []byte) error {
	err := put(name, data)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.dir.Mkdir(path.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return put(name, data)
}

// replace puts a file in place of what bears its name.
func (s *JSONStore) replace(name string, data []byte) error {
	temp := s.temp + strconv.FormatUint(s.temps.Add(1), 36)
	f, err := s.dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	s.step("temp")
	if err == nil {
		err = s.dir.Rename(temp, name)
	}
	if err != nil {
		_ = s.dir.Remove(temp) // it is swept later if that fails
		return err
	}
	s.step("renamed")
	return nil
}

// removeAll removes the JSON of files that are gone.
func (s *JSONStore) removeAll(removed []string) error {
	var first error
	for _, source := range removed {
		if err := s.dir.Remove(jsonName(source)); err != nil && !errors.Is(err, fs.ErrNotExist) && first == nil {
			first = err
		}
	}
	return first
}

// sweep removes what processes have left that died while they wrote.
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
	entries, err := dir.ReadDir(maxShard)
	if err == io.EOF {
		err = nil
	}
	return entries, err
}

// loadJSON reads all JSON files. One that is damaged, or does not belong under its
// name, is left out and told of.
func (s *JSONStore) loadJSON(ctx context.Context) ([]*File, error) {
	shards, err := s.list(".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, shard := range shards {
		if !shard.IsDir() || len(shard.Name()) != 1 || strings.Trim(shard.Name(), "0123456789abcdef") != "" {
			continue
		}
		entries, err := s.list(shard.Name())
		if err != nil {
			s.log.WarnContext(ctx, "a directory of chunks cannot be read", "directory", shard.Name(), "error", err)
		}
		for _, e := range entries {
			if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".json") {
				names = append(names, shard.Name()+"/"+e.Name())
			}
		}
	}
	s.bare = len(names) == 0
	read := make([]*File, len(names))
	var damaged atomic.Int64
	parallel(len(names), 16, func(i int) {
		if ctx.Err() != nil {
			return
		}
		f, err := s.readJSON(names[i])
		if err != nil {
			damaged.Add(1)
			s.log.DebugContext(ctx, "a file of chunks cannot be used; its source is parsed again", "file", names[i], "error", err)
			return
		}
		read[i] = f
	})
	if n := damaged.Load(); n > 0 {
		s.log.WarnContext(ctx, "files of chunks cannot be used; their sources are parsed again", "files", n)
	}
	files := read[:0]
	for _, f := range read {
		if f != nil {
			files = append(files, f)
		}
	}
	return files, ctx.Err()
}

func (s *JSONStore) readJSON(name string) (*File, error) {
	data, _, err := readWhole(s.dir, name, maxJSON)
	if err != nil {
		return nil, err
	}
	f, err := ParseJSON(data)
	if err == nil && jsonName(f.Path) != name {
		err = errors.New("it describes a file that has another name")
	}
	return f, err
}
