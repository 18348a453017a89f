//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// TestPrograms_UnwritableDirectories starts the programs without a writable state directory. They run without state and report it.
func TestPrograms_UnwritableDirectories(t *testing.T) {
	t.Parallel()
	for program, tc := range map[string]struct {
		flags   []string
		logged  string // logged once by the server; empty if it stores nothing there
		checked string // part of the output of doctor
	}{
		"chunks":      {[]string{"-graph"}, "the database cannot be kept", "! database: "},
		"cqm":         {nil, "the index is kept in memory", "! index: "},
		"cursorcli":   {[]string{"-profile", "coding"}, "the caches of commands end with this server", "! lock files: "},
		"editor":      {nil, "the caches of commands end with this server", "! sandbox: "},
		"gateway":     {nil, "", "! token: "},
		"kuromajutsu": {[]string{"-port", "0"}, "no directory for the history", "! history: "},
	} {
		path := build(t, "../../../examples/"+program)
		openTo(t, filepath.Dir(path))
		for name, make := range map[string]func(*testing.T, string) (home string, attr *syscall.SysProcAttr){
			"below a file": belowAFile, "of another user": ofAnotherUser,
		} {
			t.Run(program+"/"+name, func(t *testing.T) {
				t.Parallel()
				top, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				project := filepath.Join(top, "project")
				home, attr := make(t, top)
				for file, text := range map[string]string{"main.go": "package main\n\nfunc main() {}\n", "mcp.json": `{"mcpServers": {}}`} {
					if err := writeBelow(project, file, text); err != nil {
						t.Fatal(err)
					}
				}
				run := func(stdin string, args ...string) (code int, stdout, stderr string) {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					cmd := exec.CommandContext(ctx, path, args...)
					cmd.Dir, cmd.SysProcAttr, cmd.WaitDelay = project, attr, time.Second
					cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "LC_ALL=C.UTF-8"}
					out := newAnswerWriter()
					var errs bytes.Buffer
					cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), out, &errs
					if stdin != "" { // the input ends after the answer, however slowly the program starts
						cmd.Stdin = io.MultiReader(cmd.Stdin, endAfter{out.wrote, ctx.Done()})
					}
					_ = cmd.Run() // the exit code is checked
					return cmd.ProcessState.ExitCode(), out.text.String(), errs.String()
				}
				hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}` + "\n"
				code, out, errs := run(hello, append([]string{"serve"}, tc.flags...)...)
				var answer struct {
					Result struct{ ProtocolVersion string }
				}
				if err := json.Unmarshal([]byte(out), &answer); code != 0 || err != nil || answer.Result.ProtocolVersion == "" {
					t.Errorf("exit code %d, %v: it answers %s and says\n%s", code, err, out, errs)
				}
				if got := strings.Count(errs, tc.logged); tc.logged != "" && got != 1 {
					t.Errorf("%q is said %d times:\n%s", tc.logged, got, errs)
				}
				call := append(append([]string{"call"}, tc.flags...), readCalls()[program]...)
				if code, out, errs := run("", call...); code != 0 || out == "" {
					t.Errorf("%q: exit code %d: %s%s", call, code, out, errs)
				}
				if _, out, errs := run("", append([]string{"doctor"}, tc.flags...)...); !strings.Contains(out, tc.checked) || !strings.Contains(out, "server: starts in ") {
					t.Errorf("%q or the server is not in what doctor says:\n%s%s", tc.checked, out, errs)
				}
			})
		}
	}
}

// answerWriter keeps an output, and closes wrote at its first byte.
type answerWriter struct {
	text  bytes.Buffer
	once  sync.Once
	wrote chan struct{}
}

func newAnswerWriter() *answerWriter { return &answerWriter{wrote: make(chan struct{})} }

func (w *answerWriter) Write(p []byte) (int, error) {
	defer w.once.Do(func() { close(w.wrote) })
	return w.text.Write(p)
}

// endAfter is an input without content that ends when one of its channels is closed.
type endAfter struct{ first, second <-chan struct{} }

func (e endAfter) Read([]byte) (int, error) {
	select {
	case <-e.first:
	case <-e.second:
	}
	return 0, io.EOF
}

func writeBelow(dir, file, text string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644)
}

// belowAFile returns a home directory that cannot be created.
func belowAFile(t *testing.T, top string) (string, *syscall.SysProcAttr) {
	t.Helper()
	if err := writeBelow(top, "file", ""); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(top, "file", "home"), nil
}

// ofAnotherUser returns a home directory of another user. The process cannot write the project either.
func ofAnotherUser(t *testing.T, top string) (string, *syscall.SysProcAttr) {
	t.Helper()
	testrequire.Thing(t, os.Geteuid() == 0, "the rights of root", "run the tests as root, which can start a program as another user")
	openTo(t, top)
	home := filepath.Join(top, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	return home, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// openTo lets other users enter a temporary directory.
func openTo(t *testing.T, dir string) {
	t.Helper()
	for ; dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
