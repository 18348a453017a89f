package repomap_test

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/repomap"
)

// A ranking does not depend on earlier rankings with another focus.
func TestMaps_SameFiles(t *testing.T) {
	project := generatedTree(100)
	files := project.files(t)
	kept := new(repomap.Maps)
	for _, focus := range []repomap.Focus{
		{}, {Files: []string{"dir3"}}, {}, {Identifiers: []string{"compute4", "Widget7"}}, {Files: []string{"dir3/file3.go"}, Identifiers: []string{"Do1"}}, {},
	} {
		var orders [2][]repomap.Ranked
		for i, maps := range []*repomap.Maps{kept, new(repomap.Maps)} {
			ranking, err := maps.Rank(t.Context(), files, project.read, focus)
			if err != nil {
				t.Fatal(err)
			}
			orders[i] = slices.Collect(ranking.All())
			if len(orders[i]) != ranking.Len() {
				t.Errorf("%d of %d declarations", len(orders[i]), ranking.Len())
			}
			for range 2 { // repeated and incomplete loops
				for r := range ranking.All() {
					if r != orders[i][0] {
						t.Errorf("the first is %v, and was %v", r, orders[i][0])
					}
					break
				}
			}
		}
		if !slices.Equal(orders[0], orders[1]) {
			t.Errorf("%+v: another order (-fresh +kept):\n%s", focus, gocmp.Diff(names(orders[1], 50), names(orders[0], 50)))
		}
		if !slices.IsSortedFunc(orders[0], func(a, b repomap.Ranked) int { return cmp.Compare(b.Rank, a.Rank) }) {
			t.Errorf("%+v: the order is not that of the ranks", focus)
		}
	}
}

// Concurrent calls read each file once.
func TestMaps_ReadOnce(t *testing.T) {
	project := generatedTree(100)
	files := project.files(t)
	maps := new(repomap.Maps)
	var reads atomic.Int64
	read := func(ctx context.Context, f *index.File) ([]byte, error) {
		reads.Add(1)
		return project.read(ctx, f)
	}
	var callers group.Group
	for range 8 {
		callers.Go(func() {
			if ranking, err := maps.Rank(t.Context(), files, read, repomap.Focus{}); err != nil || ranking.Len() != 1200 {
				t.Errorf("%v, %v", ranking, err)
			}
		})
	}
	callers.Wait()
	if got := reads.Load(); got != 100 {
		t.Errorf("%d readings of 100 files", got)
	}
	// A call with other files reads only the new contents.
	more := append(tree{"new.go": "package p\n\ntype New struct{}\n"}.files(t), files...)
	slices.SortFunc(more, func(a, b *index.File) int { return strings.Compare(a.Path, b.Path) })
	project["new.go"] = "package p\n\ntype New struct{}\n"
	if ranking, err := maps.Rank(t.Context(), more, read, repomap.Focus{}); err != nil || ranking.Len() != 1201 || reads.Load() != 101 {
		t.Errorf("%v, %v after %d readings", ranking, err, reads.Load())
	}
}

// A waiting call ends with its context.
func TestMaps_CancelWaiting(t *testing.T) {
	project := generatedTree(10)
	files := project.files(t)
	maps := new(repomap.Maps)
	reading, goOn := make(chan struct{}, len(files)), make(chan struct{})
	var first group.Group
	first.Go(func() {
		if _, err := maps.Rank(t.Context(), files, func(ctx context.Context, f *index.File) ([]byte, error) {
			reading <- struct{}{}
			<-goOn
			return project.read(ctx, f)
		}, repomap.Focus{}); err != nil {
			t.Error(err)
		}
	})
	<-reading
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := maps.Rank(ctx, files, project.read, repomap.Focus{}); !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves: %v", err)
	}
	close(goOn)
	first.Wait()
}

// The next call reads an unreadable file again.
func TestMaps_RetryUnreadable(t *testing.T) {
	project := users(tree{"core.go": "package p\n\ntype Core struct{}\n", "aside.go": "package p\n\ntype Aside struct{}\n"}, 5, "_ = Core{}")
	files := project.files(t)
	maps := new(repomap.Maps)
	first := func(read repomap.Read) string {
		ranking, err := maps.Rank(t.Context(), files, read, repomap.Focus{})
		if err != nil {
			t.Fatal(err)
		}
		ranked := slices.Collect(ranking.All())
		ranked = slices.DeleteFunc(ranked, func(r repomap.Ranked) bool { return strings.HasPrefix(r.File.Path, "user") })
		return names(ranked, 1)[0]
	}
	without := tree{"aside.go": project["aside.go"], "core.go": project["core.go"]}
	for range 2 {
		if got := first(without.read); got != "aside.go#Aside" {
			t.Errorf("without the users the first is %s", got)
		}
	}
	if got := first(project.read); got != "core.go#Core" {
		t.Errorf("with them the first is %s", got)
	}
}

// A graph is dropped some minutes after its last use, and by Forget.
func TestMaps_Expiry(t *testing.T) {
	project := generatedTree(20)
	drawn := func(t *testing.T, maps *repomap.Maps) weak.Pointer[index.File] {
		files := project.files(t)
		if _, err := maps.Rank(t.Context(), files, project.read, repomap.Focus{}); err != nil {
			t.Fatal(err)
		}
		return weak.Make(files[0])
	}
	gone := func(file weak.Pointer[index.File]) bool {
		for range 3 {
			runtime.GC()
		}
		return file.Value() == nil
	}
	synctest.Test(t, func(t *testing.T) {
		maps := new(repomap.Maps)
		file := drawn(t, maps)
		time.Sleep(time.Minute)
		if gone(file) {
			t.Error("dropped after a minute")
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if !gone(file) {
			t.Error("kept for more than ten minutes")
		}
		file = drawn(t, maps)
		maps.Forget()
		if !gone(file) {
			t.Error("kept after it was forgotten")
		}
		if file := drawn(t, maps); gone(file) {
			t.Error("not kept any more")
		}
		new(repomap.Maps).Forget()
		maps.Forget()
	})
}
