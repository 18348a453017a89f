package embed_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/search/embed"
)

func openStore(t testing.TB, dir string, dimensions int) *embed.Store {
	t.Helper()
	s, err := embed.OpenStore(dir, "model", dimensions)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// random returns random vectors with their keys.
func random(n, dimensions int) (keys []embed.Key, vectors [][]float32) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		v := make([]float32, dimensions)
		for j := range v {
			v[j] = float32(r.NormFloat64())
		}
		keys, vectors = append(keys, embed.KeyOf(fmt.Sprint(i))), append(vectors, v)
	}
	return keys, vectors
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// TestStore_NearestAccuracy compares the results with exact arithmetic.
func TestStore_NearestAccuracy(t *testing.T) {
	for _, dimensions := range []int{3, 8, 100, 384} {
		s := openStore(t, t.TempDir(), dimensions)
		keys, vectors := random(10_000, dimensions)
		if err := s.Put(keys, vectors); err != nil {
			t.Fatal(err)
		}
		_, wanted := random(10_011, dimensions)
		for _, w := range wanted[10_000:] {
			near, err := s.Nearest(t.Context(), w, 10, nil)
			if err != nil || len(near) != 10 {
				t.Fatal(near, err)
			}
			exact := make([]float64, len(vectors))
			for i := range vectors {
				exact[i] = cosine(w, vectors[i])
			}
			for i, n := range near {
				if got := exact[slices.Index(keys, n.Key)]; math.Abs(got-float64(n.Score)) > .02 {
					t.Errorf("the score %v should be %v", n.Score, got)
				}
				if i > 0 && n.Score > near[i-1].Score {
					t.Errorf("%v stands behind %v", n.Score, near[i-1].Score)
				}
			}
			if best := slices.Max(exact); best-float64(near[0].Score) > .02 {
				t.Errorf("the best is %v, found was %v", best, near[0].Score)
			}
		}
	}
}

func TestStore_NearestFilter(t *testing.T) {
	s := openStore(t, t.TempDir(), 16)
	keys, vectors := random(1000, 16)
	if err := s.Put(keys, vectors); err != nil {
		t.Fatal(err)
	}
	all, err := s.Nearest(t.Context(), vectors[7], 2, nil)
	if err != nil || all[0].Key != keys[7] || all[0].Score < .99 {
		t.Fatal(all, err)
	}
	some, err := s.Nearest(t.Context(), vectors[7], 1, func(k embed.Key) bool { return k != keys[7] })
	if err != nil || len(some) != 1 || some[0] != all[1] {
		t.Errorf("%v, %v, want %v", some, err, all[1])
	}
	for name, limit := range map[string]int{"none": 0, "less than none": -1, "more than there are": 5000} {
		if got, err := s.Nearest(t.Context(), vectors[7], limit, nil); err != nil || len(got) != max(0, min(limit, 1000)) {
			t.Errorf("%s: %d, %v", name, len(got), err)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Nearest(canceled, vectors[7], 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if _, err := s.Nearest(t.Context(), vectors[7][:4], 1, nil); err == nil {
		t.Error("a vector with other dimensions was taken")
	}
	zero, err := s.Nearest(t.Context(), make([]float32, 16), 1, nil)
	if err != nil || zero[0].Score != 0 {
		t.Errorf("%v, %v", zero, err)
	}
}

func TestStore_Reopen(t *testing.T) {
	dir := t.TempDir()
	keys, vectors := random(100, 20)
	s := openStore(t, dir, 20)
	if err := errors.Join(s.Put(keys[:60], vectors[:60]), s.Put(keys[40:], vectors[40:]), s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(keys[:1], vectors[:1]); !errors.Is(err, embed.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
	s = openStore(t, dir, 20)
	if s.Len() != 100 || s.Damaged() != 0 || !s.Has(keys[99]) || s.Has(embed.KeyOf("other")) {
		t.Errorf("there are %d vectors, %d damaged", s.Len(), s.Damaged())
	}
	if other := openStore(t, dir, 21); other.Len() != 0 {
		t.Errorf("vectors with other dimensions are there: %d", other.Len())
	}
	keep := func(k embed.Key) bool { return slices.Contains(keys[50:], k) }
	if err := s.Retain(keep); err != nil || s.Len() != 50 || s.Has(keys[0]) || !s.Has(keys[50]) || !s.Has(keys[99]) {
		t.Errorf("%d are left, %v", s.Len(), err)
	}
	if err := errors.Join(s.Put(keys[:10], vectors[:10]), s.Close()); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir, 20)
	near, err := s.Nearest(t.Context(), vectors[99], 1, nil)
	if s.Len() != 60 || err != nil || near[0].Key != keys[99] {
		t.Errorf("%d vectors, found %v, %v", s.Len(), near, err)
	}
	if err := s.Put(keys, vectors[:1]); err == nil {
		t.Error("keys without vectors were taken")
	}
	if err := s.Put(keys[:1], [][]float32{{1}}); err == nil {
		t.Error("a vector with other dimensions was taken")
	}
}

// TestStore_DamagedFile damages the file and checks that intact vectors are found, damaged ones are not, and the store is
// writable.
func TestStore_DamagedFile(t *testing.T) {
	keys, vectors := random(50, 12)
	dir := t.TempDir()
	s := openStore(t, dir, 12)
	if err := errors.Join(s.Put(keys, vectors), s.Close()); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.vectors"))
	sound, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	record := 16 + 4 + 12 + 4
	head := len(sound) - 50*record
	for name, c := range map[string]struct {
		change func(b []byte) []byte
		left   int
	}{
		"a bit of a record":     {func(b []byte) []byte { b[head+10*record+20] ^= 4; return b }, 49},
		"a record not finished": {func(b []byte) []byte { return b[:len(b)-5] }, 49},
		"the head":              {func(b []byte) []byte { b[9] ^= 1; return b }, 0},
		"a part of the head":    {func(b []byte) []byte { return b[:20] }, 0},
		"nothing left":          {func(b []byte) []byte { return nil }, 0},
		"zeros behind it":       {func(b []byte) []byte { return append(b, make([]byte, 3*record+7)...) }, 50},
		"another file":          {func(b []byte) []byte { return bytes.Repeat([]byte("hello\n"), 100) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, filepath.Base(files[0]))
			if err := os.WriteFile(file, c.change(slices.Clone(sound)), 0o600); err != nil {
				t.Fatal(err)
			}
			s := openStore(t, dir, 12)
			if s.Len() != c.left {
				t.Errorf("%d vectors are left, want %d", s.Len(), c.left)
			}
			if err := errors.Join(s.Put(keys, vectors), s.Close()); err != nil {
				t.Fatal(err)
			}
			if again := openStore(t, dir, 12); again.Len() != 50 {
				t.Errorf("%d vectors are there again", again.Len())
			}
		})
	}
}

func FuzzOpenStore(f *testing.F) {
	f.Add([]byte("dougu-v1"), uint8(4))
	f.Add(binary.LittleEndian.AppendUint32([]byte("dougu-v1"), 4), uint8(4))
	f.Fuzz(func(t *testing.T, content []byte, dimensions uint8) {
		dir := t.TempDir()
		openStore(t, dir, int(dimensions)+1).Close()
		files, _ := filepath.Glob(filepath.Join(dir, "*.vectors"))
		head, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range [][]byte{content, append(head, content...)} {
			if err := os.WriteFile(files[0], b, 0o600); err != nil {
				t.Fatal(err)
			}
			s := openStore(t, dir, int(dimensions)+1)
			if _, err := s.Nearest(t.Context(), make([]float32, int(dimensions)+1), 3, nil); err != nil {
				t.Error(err)
			}
			s.Close()
		}
	})
}

func BenchmarkNearest(b *testing.B) {
	s := openStore(b, b.TempDir(), 384)
	keys, vectors := random(100_000, 384)
	if err := s.Put(keys, vectors); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Nearest(b.Context(), vectors[1], 20, nil); err != nil {
			b.Fatal(err)
		}
	}
}
