package app_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
)

// keep serves a program with tasks in a project, with a directory for state, until its input ends. It returns the files in that
// directory, and the log.
func keep(t *testing.T, project, state string) (files []string, said string) {
	t.Helper()
	for _, name := range []string{"XDG_STATE_HOME", "LocalAppData", "HOME"} {
		t.Setenv(name, state)
	}
	var log waittest.Log
	server := &app.App{
		Name: "prog", Version: "1", Summary: "waits", Tasks: true,
		Build: func(_ context.Context, start app.Start) (*app.Program, error) {
			root, err := security.OpenRoot(security.RootOptions{Dirs: []string{project}, ReadOnly: true})
			if err != nil {
				return nil, err
			}
			tool := mcp.NewTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}).With(mcp.ToolOptions{Task: mcp.TaskOptional})
			srv := start.NewServer(mcp.Implementation{Name: "prog", Version: "1"}, nil)
			return &app.Program{Server: srv.Server, Root: root, Close: func(context.Context) error { return root.Close() }},
				srv.Replace("prog", mcp.Features{Tools: []mcp.ServerTool{tool}})
		},
		Stdin: strings.NewReader(taskCall), Stdout: io.Discard, Stderr: &log,
	}
	if code := server.Run(t.Context(), []string{"serve", "-tasks"}); code != 0 {
		t.Errorf("it ends with %d\n%s", code, log.String())
	}
	err := filepath.Walk(state, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || !strings.HasSuffix(path, ".db") {
			return err
		}
		files = append(files, path)
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, log.String()
}

func TestTasks_KeptOnDisk(t *testing.T) {
	state := t.TempDir()
	one, _ := keep(t, t.TempDir(), state)
	two, said := keep(t, t.TempDir(), state)
	if len(one) != 1 || len(two) != 2 || said != "" {
		t.Errorf("the files are %q, then %q; the log says %q", one, two, said)
	}
}

// Without a place outside of the project nothing is written.
func TestTasks_NoStateDirectory(t *testing.T) {
	project := t.TempDir()
	if files, said := keep(t, project, project); len(files) != 0 || !strings.Contains(said, "kept in memory only") {
		t.Errorf("the files are %q; the log says %q", files, said)
	}
}
