package plugin_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/plugin"
)

// TestFiles checks that the marketplace names each plugin, and that a plugin starts its program.
func TestFiles(t *testing.T) {
	files, err := plugin.Files(catalog.All(), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	content := map[string][]byte{}
	for _, f := range files {
		content[f.Name] = f.Content
	}
	var market plugin.Marketplace
	if err := json.Unmarshal(content[".claude-plugin/marketplace.json"], &market); err != nil {
		t.Fatal(err)
	}
	if market.Name != "dougu" || len(market.Plugins) != len(catalog.All())-1 || len(files) != 2*len(market.Plugins)+1 {
		t.Errorf("%d files, and the marketplace is %+v", len(files), market)
	}
	for _, entry := range market.Plugins {
		var p plugin.Plugin
		if err := json.Unmarshal(content[path.Join(entry.Source, ".claude-plugin/plugin.json")], &p); err != nil {
			t.Errorf("%s: %v", entry.Name, err)
		}
		if p.Name != entry.Name || p.Version != "1.2.3" || p.Servers[p.Name].Command != p.Name || entry.Name == "gateway" {
			t.Errorf("%+v is for %+v", p, entry)
		}
	}
}

// TestFiles_Valid lets Claude Code check the files.
func TestFiles_Valid(t *testing.T) {
	claude := "../../../internal/test/agentclients/programs/node_modules/.bin/claude"
	if _, err := os.Stat(claude); err != nil {
		claude, _ = exec.LookPath("claude")
	}
	testrequire.Deep(t, claude != "", "Claude Code", "run npm install --prefix internal/test/agentclients/programs in the root of the repository")
	claude, err := filepath.Abs(claude)
	if err != nil {
		t.Fatal(err)
	}
	files, err := plugin.Files(catalog.All(), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for at, profile := range map[string]string{".": "", "cursorcli": "--profile directory", "kuromajutsu": "--profile directory"} {
		cmd := exec.CommandContext(t.Context(), claude, append([]string{"plugin", "validate", filepath.Join(dir, at)}, strings.Fields(profile)...)...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", at, err, out)
		}
	}
}
