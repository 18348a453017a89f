package roles_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// hear waits until what is told fits.
func hear(t *testing.T, told <-chan []roles.Role, fits func([]roles.Role) bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		select {
		case all := <-told:
			if fits(all) {
				return
			}
		case <-deadline:
			t.Fatal("it was not told")
		}
	}
}

func TestWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kuromajutsu.config.yaml")
	b := open(t, path)
	ctx, stop := context.WithCancel(t.Context())
	told := make(chan []roles.Role, 100)
	var watching group.Group
	watching.Go(func() { b.Watch(ctx, func(all []roles.Role) { told <- all }) })
	defer watching.Wait()
	defer stop()

	// The file appears.
	if err := os.WriteFile(path, []byte(house), 0o644); err != nil {
		t.Fatal(err)
	}
	hear(t, told, func(all []roles.Role) bool { return len(all) == 2 && all[0].Model == "old" })

	// Somebody edits it.
	if err := os.WriteFile(path, []byte(strings.Replace(house, "model: old", "model: hand", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	hear(t, told, func(all []roles.Role) bool { return all[0].Model == "hand" })

	// It is spoiled, and then gone: first the roles stay, then the built-in ones are back.
	if err := os.WriteFile(path, []byte("roles: ["), 0o644); err != nil {
		t.Fatal(err)
	}
	hear(t, told, func(all []roles.Role) bool { return len(all) == 2 && len(b.Problems()) == 1 })
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	hear(t, told, func(all []roles.Role) bool { return len(all) == 4 && len(b.Problems()) == 0 })

	// The book itself changes it.
	if err := b.Remove(ctx, "impl-test"); err != nil {
		t.Fatal(err)
	}
	hear(t, told, func(all []roles.Role) bool { return len(all) == 3 })
}
