package cursorcli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

// The file of settings is made with all defaults, and none of them is a change.
func TestGenerate_SettingsFile(t *testing.T) {
	s := serve(t, nil, sources{})
	path := filepath.Join(s.dir, filepath.FromSlash(settingsFile))
	text, err := os.ReadFile(path)
	if err != nil || string(text) != newSettings().Template().Indented() {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if len(s.service.loaded.Problems()) > 0 {
		t.Error(s.service.loaded.Err())
	}
	apptest.Must(t, os.Remove(path))
	s.awaitLog("the settings stay unchanged")
	if _, err := os.Stat(path); err == nil {
		t.Error("a file that somebody removed was made again")
	}
}

func TestGenerate_NotNeeded(t *testing.T) {
	for name, from := range map[string]sources{
		"read-only":        {flags: []string{"-read-only"}},
		"for a person":     {quiet: true},
		"there is one":     {file: "{}"},
		"there is a worse": {file: "{"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, nil, from)
			text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(settingsFile)))
			if from.file == "" && err == nil || string(text) != from.file {
				t.Errorf("the file holds %q", text)
			}
		})
	}
}

func TestGenerate_Impossible(t *testing.T) {
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{settingsDir: "a file stands in the way"})
	v, stderr, err := open(t, dir, sources{})
	apptest.Must(t, err)
	apptest.Must(t, v.close(t.Context()))
	if !strings.Contains(stderr.String(), "not a directory") {
		t.Errorf("logged %s", stderr)
	}
	if text, err := os.ReadFile(filepath.Join(dir, settingsDir)); err != nil || string(text) != "a file stands in the way" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// No link in a project leads the server out of it, whether it reads or writes.
func TestSettings_Links(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights")
	}
	outside := t.TempDir()
	apptest.Write(t, outside, map[string]string{"config.json": nested("server.name", `"foreign"`), "victim.log": ""})
	for name, links := range map[string]map[string]string{
		"the file":      {settingsFile: filepath.Join(outside, "config.json")},
		"the directory": {settingsDir: outside},
		"the log":       {settingsDir + "/logs/cursorcli.log": filepath.Join(outside, "victim.log")},
		"the logs":      {settingsDir + "/logs": outside},
		"a log inside":  {settingsDir + "/logs/cursorcli.log": "../../main.go"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			apptest.Write(t, dir, map[string]string{"main.go": ""})
			for link, target := range links {
				path := filepath.Join(dir, filepath.FromSlash(link))
				apptest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
				apptest.Must(t, os.Symlink(target, path))
			}
			v, stderr, err := open(t, dir, sources{flags: []string{"-logging-outputs", "console,file"}})
			apptest.Must(t, err)
			apptest.Must(t, v.close(t.Context()))
			if got := v.loaded.Config.Server.Name; got != "cursorcli-mcp-server" {
				t.Errorf("the server is called %s", got)
			}
			if !strings.Contains(stderr.String(), "cannot be") {
				t.Errorf("logged %s", stderr)
			}
			for _, file := range []string{filepath.Join(outside, "victim.log"), filepath.Join(dir, "main.go")} {
				if text, err := os.ReadFile(file); err != nil || len(text) > 0 {
					t.Errorf("%s holds %q, %v", file, text, err)
				}
			}
			if entries, err := os.ReadDir(outside); err != nil || len(entries) != 2 {
				t.Errorf("outside there is %v, %v", entries, err)
			}
		})
	}
}

// No tool writes to the settings or the logs.
func TestSettings_ToolsCannotWrite(t *testing.T) {
	s := serve(t, nil, sources{flags: []string{"-logging-outputs", toFile}})
	for _, path := range []string{settingsFile, settingsDir + "/new.json", settingsDir + "/logs/cursorcli.log", ".CursorCLI-MCP/config.json"} {
		if got := s.call(t.Context(), "write_file", map[string]any{"path": path, "content": "{}", "createDirectories": true}); !strings.Contains(got, "PERMISSION_DENIED") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := s.call(t.Context(), "read_file", map[string]any{"path": settingsFile}); !strings.Contains(got, "allowedTools") {
		t.Errorf("read: %s", got)
	}
}
