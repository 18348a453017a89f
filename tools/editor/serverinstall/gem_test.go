package serverinstall_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

func TestInstall_GemServer(t *testing.T) {
	testrequire.Deep(t, has("gem") && has("ruby"), "RubyGems", "apt-get install ruby")
	source, site := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"demo.gemspec": "Gem::Specification.new do |s|\n  s.name = 'demo'\n  s.version = '1.0.0'\n  s.summary = 'demo'\n  s.authors = ['me']\n  s.files = ['lib/demo.rb', 'exe/demo-ls']\n" +
			"  s.bindir = 'exe'\n  s.executables = ['demo-ls']\nend\n",
		"lib/demo.rb": "def hello\n  puts 'hello from demo'\nend\n",
		"exe/demo-ls": "#!/usr/bin/env ruby\nrequire 'demo'\nhello\n",
	} {
		file := filepath.Join(source, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(text), 0o755))
	}
	must(t, os.Mkdir(filepath.Join(site, "gems"), 0o755))
	for _, args := range [][]string{{"build", "demo.gemspec", "--output", filepath.Join(site, "gems", "demo-1.0.0.gem")}, {"generate_index", "--directory", site}} {
		cmd := exec.Command("gem", args...)
		cmd.Dir = source
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("gem %s: %v\n%s", args[0], err, out)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(site)))
	defer server.Close()
	i := newRealInstaller(t, "RUBYOPT=-r/absent")
	home := filepath.Dir(i.Dir)
	must(t, os.WriteFile(filepath.Join(home, ".gemrc"), []byte(":sources:\n- "+server.URL+"/\n"), 0o600))
	r := demo(serverinstall.Gem, "1.0.0")
	r.Package = "demo"
	got, err := i.Install(t.Context(), r)
	must(t, err)
	if out, err := exec.Command(got.Programs["demo-ls"]).CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "hello from demo" {
		t.Errorf("the program prints %q: %v", out, err)
	}
}
