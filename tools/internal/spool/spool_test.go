package spool_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/spool"
)

// all reads a view completely, in pieces, and counts the gaps.
func all(s *spool.Spool, v spool.View, piece int) (got []byte, gaps int) {
	for offset := int64(0); offset < s.Size(v); {
		p, at := s.Read(v, offset, piece)
		if at != offset {
			gaps++
		}
		if len(p) == 0 {
			return got, gaps
		}
		got = append(got, p...)
		offset = at + int64(len(p))
	}
	return got, gaps
}

// Each view returns its bytes in order, for every size of writes.
func TestRead_Views(t *testing.T) {
	for _, tt := range []struct {
		name          string
		writes, bytes int
	}{{"little", 10, 50}, {"interleaved", 40_000, 30}, {"large pieces", 10, 3 * spool.BlockSize}, {"none", 0, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			s := spool.New(spool.Options{Max: 200 << 20, Dir: t.TempDir()})
			defer s.Close()
			noise := make([]byte, 2*tt.bytes)
			rand.NewChaCha8([32]byte{}).Read(noise)
			var want [3][]byte
			for range tt.writes {
				start := random.IntN(tt.bytes)
				p := noise[start : start+random.IntN(tt.bytes)]
				v := spool.View(1 + random.IntN(2))
				s.Append(v, p)
				want[v] = append(want[v], p...)
				want[spool.Both] = append(want[spool.Both], p...)
			}
			for v := spool.Both; v <= spool.Stderr; v++ {
				for _, piece := range []int{10_007, 1 << 20} {
					if got, gaps := all(s, v, piece); !bytes.Equal(got, want[v]) || gaps > 0 || s.Size(v) != int64(len(want[v])) {
						t.Errorf("view %d in pieces of %d: %d bytes with %d gaps, want %d", v, piece, len(got), gaps, len(want[v]))
					}
				}
				for range 100 {
					if len(want[v]) == 0 {
						break
					}
					offset, n := random.IntN(len(want[v])), 1+random.IntN(2*spool.BlockSize)
					p, at := s.Read(v, int64(offset), n)
					if at != int64(offset) || !bytes.Equal(p, want[v][offset:min(offset+n, len(want[v]))]) {
						t.Fatalf("view %d at %d: got %d bytes at %d", v, offset, len(p), at)
					}
				}
			}
			if p, at := s.Read(spool.Both, 1<<60, 10); len(p) > 0 || at != s.Size(spool.Both) {
				t.Errorf("behind the end: %q at %d", p, at)
			}
		})
	}
}

// After the limit the beginning and the end are kept, and memory stays small.
func TestRead_MiddleDropped(t *testing.T) {
	const limit = 2 << 20
	s := spool.New(spool.Options{Max: limit, Dir: t.TempDir()})
	defer s.Close()
	line := bytes.Repeat([]byte("0123456789abcde\n"), 1024)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const writes = 6400 // 100 MiB
	for range writes {
		s.Append(spool.Stdout, line)
	}
	s.Append(spool.Stderr, []byte("the end"))
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d bytes are in memory", grown)
	}
	if s.OnDisk() > limit || s.OnDisk() < limit-spool.BlockSize {
		t.Errorf("%d bytes are in the file", s.OnDisk())
	}
	if got := s.Size(spool.Both); got != writes*16<<10+7 {
		t.Errorf("%d bytes were written", got)
	}
	got, gaps := all(s, spool.Stdout, 1<<20)
	if gaps != 1 || len(got) < limit || len(got) > limit+4*spool.BlockSize {
		t.Errorf("%d bytes are kept, with %d gaps", len(got), gaps)
	}
	tail, at := s.Read(spool.Both, s.Size(spool.Both)-23, 100)
	if string(tail) != "0123456789abcde\nthe end" || at != s.Size(spool.Both)-23 {
		t.Errorf("the tail is %q at %d", tail, at)
	}
	if p, at := s.Read(spool.Stdout, 50<<20, 10); at < 99<<20 || len(p) != 10 {
		t.Errorf("in the gap: %q at %d", p, at)
	}
}

func TestClose_RemovesFile(t *testing.T) {
	dir := t.TempDir()
	s := spool.New(spool.Options{Max: 10 << 20, Dir: dir})
	s.Append(spool.Stdout, make([]byte, 1<<20))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s.Append(spool.Stdout, []byte("more"))
	if p, at := s.Read(spool.Stdout, 0, 10); len(p) > 0 || at != 1<<20 {
		t.Errorf("after closing: %q at %d", p, at)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
	<-s.News()
}

// Without a writable directory, output is kept as after the limit.
func TestAppend_InvalidDir(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := spool.New(spool.Options{Max: 10 << 20, Dir: filepath.Join(file, "none")})
	defer s.Close()
	s.Append(spool.Stdout, make([]byte, 3<<20))
	s.Append(spool.Stdout, []byte("the end"))
	if p, _ := s.Read(spool.Stdout, 3<<20, 10); string(p) != "the end" {
		t.Errorf("the tail is %q", p)
	}
}

func TestNews_Append(t *testing.T) {
	s := spool.New(spool.Options{})
	defer s.Close()
	var heard sync.WaitGroup
	for range 3 {
		news := s.News()
		heard.Go(func() { <-news })
	}
	s.Append(spool.Stderr, []byte("x"))
	heard.Wait()
	select {
	case <-s.News():
		t.Error("there is news")
	default:
	}
}
