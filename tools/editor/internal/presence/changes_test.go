package presence_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// Files that are added during a notification come in the next batch, sorted and without duplicates.
func TestChanges(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var g group.Group
	defer g.Wait()
	defer cancel()
	c := presence.NewChanges()
	told, release := make(chan []string), make(chan struct{})
	g.Go(func() {
		c.Run(ctx, func(paths []string) {
			told <- paths
			<-release
		})
	})
	c.Add([]string{"/a"})
	if got := <-told; !slices.Equal(got, []string{"/a"}) {
		t.Errorf("told of %q", got)
	}
	c.Add([]string{"/c", "/b"})
	c.Add([]string{"/b", "/a"})
	release <- struct{}{}
	if got := <-told; !slices.Equal(got, []string{"/a", "/b", "/c"}) {
		t.Errorf("told of %q", got)
	}
	var many []string
	for i := range 1_500 {
		many = append(many, fmt.Sprintf("/%d", i))
	}
	c.Add(many)
	release <- struct{}{}
	if got := <-told; len(got) != 1_000 {
		t.Errorf("told of %d files at once", len(got))
	}
	close(release)
}
