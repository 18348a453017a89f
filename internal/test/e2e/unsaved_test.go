//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/transport"
)

// user is the user of a Neovim.
type user struct {
	t      *testing.T
	socket string
}

// evaluate returns the value of an expression of Vim.
func (u user) evaluate(expression string) string {
	u.t.Helper()
	out, err := exec.Command("nvim", "--clean", "--server", u.socket, "--remote-expr", expression).CombinedOutput()
	if err != nil {
		u.t.Fatalf("%s: %v: %s", expression, err, out)
	}
	return strings.TrimSpace(string(out))
}

// startNeovim runs a Neovim in a directory, with its socket in runtime, the value of XDG_RUNTIME_DIR.
func startNeovim(t *testing.T, dir, runtime string) user {
	t.Helper()
	u := user{t, filepath.Join(runtime, "nvim.1.0")}
	nvim := exec.Command("nvim", "--headless", "--clean", "-n", "--listen", u.socket)
	nvim.Dir, nvim.Env = dir, append(os.Environ(), "XDG_RUNTIME_DIR="+runtime, "XDG_STATE_HOME="+runtime, "XDG_CACHE_HOME="+runtime)
	if err := nvim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = nvim.Process.Kill()
		_ = nvim.Wait()
	})
	waittest.Until(t, "Neovim listens", func() bool {
		_, err := os.Stat(u.socket)
		return err == nil
	})
	return u
}

// TestUnsaved_Neovim types text in a Neovim that was started after the program, in another directory. Each tool sees the text, and
// writes go through the buffer. A stopped Neovim makes writes fail.
func TestUnsaved_Neovim(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("nvim")
	testrequire.Deep(t, err == nil, "nvim", "install Neovim 0.7 or later")
	const saved = "package a\n\nfunc Old() int { return 1 }\n"
	for _, tc := range []struct {
		name, example string
		args          []string
		shows         []string // tools that show the text
	}{
		{"coding", "cursorcli", []string{"serve", "-profile", "coding"}, []string{"read_file", "search_content", "list_functions_in_file", "find_function", "searchDocuments"}},
		{"all", "cursorcli", []string{"serve", "-profile", "all"}, []string{"read_file", "search_content", "list_functions_in_file", "searchDocuments"}},
		{"chunks", "chunks", nil, []string{"list_functions_in_file", "find_function", "search_symbols"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			runtime, err := os.MkdirTemp("", "nvim") // the path of a socket is short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(runtime) })
			shop := newWorkshop(t, map[string]string{"a.go": saved, "go.mod": "module a\n"})
			client := connect(t, transport.Command{
				Path: build(t, examples+"/"+tc.example), Args: append(tc.args, "-root", shop.dir),
				Env: []string{"NVIM=", "NVIM_LISTEN_ADDRESS=", "XDG_RUNTIME_DIR=" + runtime, "XDG_STATE_HOME=" + t.TempDir(), "XDG_CACHE_HOME=" + t.TempDir()},
			}, nil)
			w := work{t: t, client: client}
			args := map[string]map[string]any{
				"read_file":              {"path": "a.go"},
				"search_content":         {"pattern": "func Typed"},
				"list_functions_in_file": {"filePath": "a.go"},
				"find_function":          {"filePath": "a.go", "functionQuery": "Typed"},
				"search_symbols":         {"query": "Typed"},
				"searchDocuments":        {"query": "Typed"},
			}
			w.call("analyze_project", map[string]any{})
			if text := w.call("list_functions_in_file", args["list_functions_in_file"]); strings.Contains(text, "Typed") {
				t.Fatalf("before the change:\n%s", text)
			}

			u := startNeovim(t, t.TempDir(), runtime)
			u.evaluate("execute(['edit " + filepath.Join(shop.dir, "a.go") + "', 'call append(3, [\"\", \"func Typed() int { return 2 }\"])'])")
			for _, tool := range tc.shows {
				if tool == "search_symbols" {
					w.call("analyze_project", map[string]any{})
				}
				if text := w.call(tool, args[tool]); !strings.Contains(text, "Typed") {
					t.Errorf("%s does not show the text:\n%s", tool, text)
				}
			}
			w.call("replace_function_chunk", map[string]any{"filePath": "a.go", "functionSignature": "Typed", "newCode": "func Typed() int { return 3 }"})
			if text := u.evaluate("join(getline(1, '$'), '|')"); text != "package a||func Old() int { return 1 }||func Typed() int { return 3 }" {
				t.Errorf("the buffer has %q", text)
			}
			shop.has("a.go", saved)

			pid, err := strconv.Atoi(u.evaluate("getpid()"))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			result, err := client.CallTool(t.Context(), "replace_function_chunk", map[string]any{"filePath": "a.go", "functionSignature": "Old", "newCode": "func Old() int { return 9 }"}, nil)
			if err != nil || !result.IsError || result.ErrorCode() != "FILE_BUSY" {
				t.Errorf("a write while Neovim is stopped: %+v, %v", result, err)
			}
			shop.has("a.go", saved)
			if tc.example == "cursorcli" {
				if text := w.call("read_file", args["read_file"]); !strings.Contains(text, "does not answer") {
					t.Errorf("a read while Neovim is stopped:\n%s", text)
				}
			}
		})
	}
}
