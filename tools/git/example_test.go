package git_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/git"
)

// A file is changed, looked at and committed.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"config", "user.name", "Ada"}, {"config", "user.email", "ada@example.com"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if err := cmd.Run(); err != nil {
			log.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("# Notes\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	ctx := context.Background()
	repository, err := git.New(ctx, tools.Env{Root: root}, git.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer repository.Close(ctx)

	status, err := repository.Status(ctx, git.StatusArgs{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status.Branch, status.Files[0].Path, status.Files[0].Changed)

	commit, err := repository.Commit(ctx, git.CommitArgs{Message: "Begin notes", Paths: []string{"notes.md"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(commit.Subject, commit.TotalFiles, commit.Author)

	_, err = repository.Push(ctx, git.PushArgs{})
	fmt.Println(security.CodeOf(err))
	// Output:
	// main notes.md untracked
	// Begin notes 1 Ada <ada@example.com>
	// NO_UPSTREAM
}
