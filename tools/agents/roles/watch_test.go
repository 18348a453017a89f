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

// awaitRoles waits for roles for which fits returns true.
func awaitRoles(t *testing.T, told <-chan []roles.Role, fits func([]roles.Role) bool) {
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

func TestWatch_Changes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kuromajutsu.config.yaml")
	b := openDocument(t, path)
	ctx, stop := context.WithCancel(t.Context())
	told := make(chan []roles.Role, 100)
	var watching group.Group
	watching.Go(func() { b.Watch(ctx, func(all []roles.Role) { told <- all }) })
	defer watching.Wait()
	defer stop()

	// The file is created.
	if err := os.WriteFile(path, []byte(house), 0o644); err != nil {
		t.Fatal(err)
	}
	awaitRoles(t, told, func(all []roles.Role) bool { return len(all) == 2 && all[0].Model == "old" })

	// The file is edited.
	if err := os.WriteFile(path, []byte(strings.Replace(house, "model: old", "model: hand", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	awaitRoles(t, told, func(all []roles.Role) bool { return all[0].Model == "hand" })

	// An unreadable file keeps the roles; a removed file restores the built-in ones.
	if err := os.WriteFile(path, []byte("roles: ["), 0o644); err != nil {
		t.Fatal(err)
	}
	awaitRoles(t, told, func(all []roles.Role) bool { return len(all) == 2 && len(b.Problems()) == 1 })
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	awaitRoles(t, told, func(all []roles.Role) bool { return len(all) == 4 && len(b.Problems()) == 0 })

	// The Book changes the file.
	if err := b.Remove(ctx, "impl-test"); err != nil {
		t.Fatal(err)
	}
	awaitRoles(t, told, func(all []roles.Role) bool { return len(all) == 3 })
}
