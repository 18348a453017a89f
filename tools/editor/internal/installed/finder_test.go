package installed

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// machine returns a machine with an empty home directory, no PATH, and the given variables. Values that begin with ~ are in the home.
func machine(t testing.TB, goos string, env map[string]string) Machine {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Machine{GOOS: goos, Home: home, Getenv: func(name string) string {
		var dirs []string
		for _, dir := range filepath.SplitList(env[name]) {
			dirs = append(dirs, strings.Replace(dir, "~", home, 1))
		}
		return strings.Join(dirs, string(filepath.ListSeparator))
	}}
}

// write makes files in the home directory. A content that begins with "-> " is a link.
func write(t testing.TB, m Machine, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(m.Home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(filepath.FromSlash(target), path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (m Machine) relative(path string) string {
	return strings.ReplaceAll(strings.TrimPrefix(path, m.Home+string(filepath.Separator)), `\`, "/")
}

// onlyHome accepts files of the home directory, so that a test does not depend on the programs of its machine.
func onlyHome(m Machine) func(string) bool {
	return func(real string) bool { return strings.HasPrefix(real, m.Home) }
}

// unixPaths skips a test whose paths, links and lists of paths are those of Unix.
func unixPaths(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
}

func TestFind_Places(t *testing.T) {
	for _, tc := range []struct {
		name, goos string
		env        map[string]string
		file, want string // want is file unless it is set
		origin     string
	}{
		{"PATH", "linux", map[string]string{"PATH": "~/tools"}, "tools/server", "", "PATH"},
		{"mise", "linux", nil, ".local/share/mise/installs/npm-server/1.2.3/bin/server", "", "mise"},
		{"mise without bin", "linux", nil, ".local/share/mise/installs/zls/0.13.0/server", "", "mise"},
		{"mise elsewhere", "linux", map[string]string{"MISE_DATA_DIR": "~/m"}, "m/installs/node/20/bin/server", "", "mise"},
		{"asdf", "linux", nil, ".asdf/installs/nodejs/20.1.0/bin/server", "", "asdf"},
		{"asdf elsewhere", "darwin", map[string]string{"ASDF_DATA_DIR": "~/a"}, "a/installs/ruby/3.3.0/bin/server", "", "asdf"},
		{"nvm", "linux", nil, ".nvm/versions/node/v20.1.0/bin/server", "", "nvm"},
		{"nvm elsewhere", "linux", map[string]string{"NVM_DIR": "~/n"}, "n/versions/node/v20.1.0/bin/server", "", "nvm"},
		{"nvm on Windows", "windows", map[string]string{"APPDATA": "~/AppData/Roaming"}, "AppData/Roaming/nvm/v20.1.0/server.cmd", "", "nvm"},
		{"fnm", "linux", nil, ".local/share/fnm/node-versions/v20.1.0/installation/bin/server", "", "fnm"},
		{"fnm on macOS", "darwin", nil, "Library/Application Support/fnm/node-versions/v20/installation/bin/server", "", "fnm"},
		{"fnm on Windows", "windows", map[string]string{"APPDATA": "~/AppData/Roaming"}, "AppData/Roaming/fnm/node-versions/v20/installation/server.cmd", "", "fnm"},
		{"volta", "linux", nil, ".volta/tools/image/packages/pyright/bin/server", "", "volta"},
		{"volta with a scope", "linux", nil, ".volta/tools/image/packages/@vue/language-server/bin/server", "", "volta"},
		{"pyenv", "linux", map[string]string{"PATH": "~/.pyenv/shims"}, ".pyenv/versions/3.12.1/bin/server", "", "pyenv"},
		{"pyenv on Windows", "windows", nil, ".pyenv/pyenv-win/versions/3.12.1/Scripts/server.exe", "", "pyenv"},
		{"rbenv", "linux", nil, ".rbenv/versions/3.3.0/bin/server", "", "rbenv"},
		{"sdkman", "linux", nil, ".sdkman/candidates/kotlin/current/bin/server", "", "sdkman"},
		{"GOBIN", "linux", map[string]string{"GOBIN": "~/gobin"}, "gobin/server", "", "go"},
		{"GOPATH", "windows", map[string]string{"GOPATH": "~/gopath"}, "gopath/bin/server.exe", "", "go"},
		{"go", "linux", nil, "go/bin/server", "", "go"},
		{"cargo", "linux", nil, ".cargo/bin/server", "", "cargo"},
		{"cargo elsewhere", "windows", map[string]string{"CARGO_HOME": "~/c"}, "c/bin/server.exe", "", "cargo"},
		{"pip", "linux", nil, ".local/bin/server", "", "pip"},
		{"pip on macOS", "darwin", nil, "Library/Python/3.12/bin/server", "", "pip"},
		{"pip on Windows", "windows", map[string]string{"APPDATA": "~/AppData/Roaming"}, "AppData/Roaming/Python/Python312/Scripts/server.exe", "", "pip"},
		{"npm", "linux", nil, ".npm-global/bin/server", "", "npm"},
		{"npm on Windows", "windows", map[string]string{"APPDATA": "~/AppData/Roaming"}, "AppData/Roaming/npm/server.cmd", "", "npm"},
		{"pnpm on macOS", "darwin", nil, "Library/pnpm/server", "", "pnpm"},
		{"bun", "linux", nil, ".bun/bin/server", "", "bun"},
		{"gem", "linux", nil, ".local/share/gem/ruby/3.3.0/bin/server", "", "gem"},
		{"composer", "linux", nil, ".config/composer/vendor/bin/server", "", "composer"},
		{"dotnet", "windows", nil, ".dotnet/tools/server.exe", "", "dotnet"},
		{"dart", "linux", nil, ".pub-cache/bin/server", "", "dart"},
		{"ghcup", "darwin", nil, ".ghcup/bin/server", "", "ghcup"},
		{"opam", "linux", nil, ".opam/5.1.0/bin/server", "", "opam"},
		{"coursier on macOS", "darwin", nil, "Library/Application Support/Coursier/bin/server", "", "coursier"},
		{"mason", "linux", nil, ".local/share/nvim/mason/bin/server", "", "mason"},
		{"mason of another application", "linux", nil, ".local/share/lazyvim/mason/bin/server", "", "mason"},
		{"mason on Windows", "windows", map[string]string{"LOCALAPPDATA": "~/AppData/Local"}, "AppData/Local/nvim-data/mason/bin/server.cmd", "", "mason"},
		{"zed", "darwin", nil, "Library/Application Support/Zed/languages/server/node_modules/.bin/server", "", "zed"},
		{"scoop", "windows", nil, "scoop/shims/server.exe", "", "scoop"},
		{"VS Code", "linux", nil, ".vscode/extensions/maker.server-1.10.0-linux-x64/bin/server", "", "VS Code"},
		{"VS Code on Windows", "windows", nil, ".vscode/extensions/maker.server-1.10.0/bin/server.exe", "", "VS Code"},
		{"VSCodium", "linux", nil, ".vscode-oss/extensions/maker.server-1.10.0-universal/bin/server", "", "VSCodium"},
		{"Cursor", "darwin", nil, ".cursor/extensions/maker.server-1.10.0/bin/server", "", "Cursor"},
		{"Windsurf", "linux", nil, ".windsurf/extensions/maker.server-1.10.0/bin/server", "", "Windsurf"},
		{"code-server", "linux", nil, ".local/share/code-server/extensions/maker.server-1.10.0/bin/server", "", "code-server"},
		{"storage", "linux", nil, ".config/Code/User/globalStorage/maker.stored/install/19.1.2/clangd_19.1.2/bin/server", "", "VS Code"},
		{"storage of a remote server", "linux", nil, ".vscode-server/data/User/globalStorage/maker.stored/install/19/clangd_19/bin/server", "", "VS Code"},
		{"storage of VS Code Insiders", "linux", nil, ".config/Code - Insiders/User/globalStorage/maker.stored/install/19/clangd_19/bin/server", "", "VS Code"},
		{"storage on Windows", "windows", map[string]string{"APPDATA": "~/AppData/Roaming"}, "AppData/Roaming/Code/User/globalStorage/maker.stored/install/19/clangd_19/bin/server.exe", "", "VS Code"},
		{"storage on macOS", "darwin", nil, "Library/Application Support/Cursor/User/globalStorage/maker.stored/install/19/clangd_19/bin/server", "", "Cursor"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := machine(t, tc.goos, tc.env)
			f := &Finder{Machine: m, Accepts: onlyHome(m)}
			q := Query{Names: []string{"server"}, Bundles: []Bundle{
				{Extension: "maker.server", Program: "bin/server"}, {Extension: "maker.stored", Program: "install/*/clangd_*/bin/server", Stored: true},
			}}
			if p, ok := f.Find(q); ok {
				t.Fatalf("found without a file: %+v", p)
			}
			write(t, m, map[string]string{tc.file: "x"})
			f.listed = time.Time{}
			p, ok := f.Find(q)
			if !ok || m.relative(p.Command[0]) != tc.file || p.Origin != tc.origin {
				t.Errorf("%v: %q of %s", ok, p.Command, p.Origin)
			}
			if onPath := tc.origin == OriginPath; onPath != (len(p.Path) == 0) {
				t.Errorf("PATH needs %q", p.Path)
			}
		})
	}
}

func TestFind_Order(t *testing.T) {
	for _, tc := range []struct {
		name  string
		env   map[string]string
		files map[string]string
		want  string
	}{
		{"PATH first", map[string]string{"PATH": "~/a:~/b"}, map[string]string{"b/server": "x", "go/bin/server": "x"}, "b/server"},
		{"the newest version", nil, map[string]string{".nvm/versions/node/v9.11.2/bin/server": "x", ".nvm/versions/node/v20.1.0/bin/server": "x", ".nvm/versions/node/v18.0.0/bin/server": "x"}, ".nvm/versions/node/v20.1.0/bin/server"},
		{"the newest version that has it", nil, map[string]string{".nvm/versions/node/v20.1.0/bin/node": "x", ".nvm/versions/node/v18.0.0/bin/server": "x"}, ".nvm/versions/node/v18.0.0/bin/server"},
		{"the newest extension", nil, map[string]string{".vscode/extensions/maker.server-0.9.0/bin/server": "x", ".vscode/extensions/maker.server-0.10.0-linux-x64/bin/server": "x"}, ".vscode/extensions/maker.server-0.10.0-linux-x64/bin/server"},
		{"another extension", nil, map[string]string{".vscode/extensions/maker.server-tools-0.9.0/bin/server": "x"}, ""},
		{"a link to a missing file", map[string]string{"PATH": "~/a"}, map[string]string{"a/server": "-> ../gone/server", ".local/bin/server": "x"}, ".local/bin/server"},
		{"a shim of mise", map[string]string{"PATH": "~/.local/share/mise/shims"}, map[string]string{".local/share/mise/shims/server": "x"}, ""},
		{"a shim of asdf elsewhere", map[string]string{"PATH": "~/a/shims", "ASDF_DATA_DIR": "~/a"}, map[string]string{"a/shims/server": "x", "a/installs/nodejs/20/bin/server": "x"}, "a/installs/nodejs/20/bin/server"},
		{"a shim of volta", map[string]string{"PATH": "~/.volta/bin"}, map[string]string{".volta/bin/server": "x"}, ""},
		{"a shim of scoop is a program", map[string]string{"PATH": "~/scoop/shims"}, map[string]string{"scoop/shims/server": "x"}, "scoop/shims/server"},
		{"a proxy of rustup without the component", map[string]string{"PATH": "~/.cargo/bin"}, map[string]string{".cargo/bin/rustup": "x", ".cargo/bin/server": "-> rustup", ".rustup/toolchains/stable-x/bin/cargo": "x"}, ""},
		{"a proxy of rustup", nil, map[string]string{".cargo/bin/rustup": "x", ".cargo/bin/server": "-> rustup", ".rustup/toolchains/1.80.0-x/bin/server": "x", ".rustup/toolchains/1.90.0-x/bin/server": "x"}, ".rustup/toolchains/1.90.0-x/bin/server"},
		{"the default toolchain", nil, map[string]string{
			".cargo/bin/rustup": "x", ".cargo/bin/server": "-> rustup", ".rustup/settings.toml": "version = \"12\"\ndefault_toolchain = \"1.80.0-x\"\n",
			".rustup/toolchains/1.80.0-x/bin/server": "x", ".rustup/toolchains/1.90.0-x/bin/server": "x",
		}, ".rustup/toolchains/1.80.0-x/bin/server"},
		{"the prefix in .npmrc", nil, map[string]string{".npmrc": "registry=https://example.com\nprefix = ~/.node\n", ".node/bin/server": "x"}, ".node/bin/server"},
		{"GOBIN in the file of go env", nil, map[string]string{".config/go/env": "GOPROXY=off\nGOBIN=${HOME}/gb\n", "gb/server": "x"}, "gb/server"},
		{"the file of GOENV", map[string]string{"GOENV": "~/goenv"}, map[string]string{"goenv": "GOPATH=${HOME}/gp\n", "gp/bin/server": "x"}, "gp/bin/server"},
		{"go env in XDG_CONFIG_HOME", map[string]string{"XDG_CONFIG_HOME": "~/conf"}, map[string]string{"conf/go/env": "GOBIN=${HOME}/gb\n", "gb/server": "x"}, "gb/server"},
		{"go env turned off", map[string]string{"GOENV": "off"}, map[string]string{".config/go/env": "GOBIN=${HOME}/gb\n", "gb/server": "x"}, ""},
		{"the second directory of GOPATH", map[string]string{"GOPATH": "~/one:~/two"}, map[string]string{"one/bin/other": "x", "two/bin/server": "x"}, "two/bin/server"},
		{"a version manager before the prefix in .npmrc", nil, map[string]string{".npmrc": "prefix=~/.node\n", ".node/bin/server": "x", ".nvm/versions/node/v20.1.0/bin/server": "x"}, ".nvm/versions/node/v20.1.0/bin/server"},
		{"a script in PATH without its interpreter", map[string]string{"PATH": "~/bin"}, map[string]string{"bin/server": "#!/usr/bin/env no-such-interpreter\n", ".local/bin/server": "x"}, ".local/bin/server"},
		{"a script in PATH whose interpreter is a shim", map[string]string{"PATH": "~/bin:~/.phpenv/shims"}, map[string]string{"bin/server": "#!/usr/bin/env runner\n", ".phpenv/shims/runner": "x"}, "bin/server"},
		{"a script of a removed environment", map[string]string{"PATH": "~/bin"}, map[string]string{"bin/server": "#!/no/such/venv/bin/python\n"}, ""},
		{"a script of the shell", map[string]string{"PATH": "~/bin"}, map[string]string{"bin/server": "#!/bin/sh\n"}, "bin/server"},
		{"a script without its interpreter", nil, map[string]string{".local/bin/server": "#!/usr/bin/env no-such-interpreter\n"}, ""},
		{"a script whose interpreter is elsewhere", nil, map[string]string{".local/share/nvim/mason/bin/server": "#!/usr/bin/env -S runner --x\n", ".nvm/versions/node/v20/bin/runner": "x"}, ".local/share/nvim/mason/bin/server"},
		{"no program", map[string]string{"PATH": "~/a"}, map[string]string{"a/server/file": "x"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			unixPaths(t)
			m := machine(t, "linux", tc.env)
			write(t, m, tc.files)
			f := &Finder{Machine: m, Accepts: onlyHome(m)}
			p, ok := f.Find(Query{Names: []string{"server"}, Bundles: []Bundle{{Extension: "maker.server", Program: "bin/server"}}})
			if ok != (tc.want != "") || ok && m.relative(p.Command[0]) != tc.want {
				t.Errorf("%v: %q, want %q", ok, p.Command, tc.want)
			}
		})
	}
}

func TestExpand_SystemDrive(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("the path has a drive")
	}
	m := Machine{GOOS: "windows", Getenv: func(string) string { return "C:" }}
	if got := m.expand("$SystemDrive/ghcup/bin"); got != `C:\ghcup\bin` {
		t.Errorf("expand returned %s", got)
	}
}

func TestListMatches_LargeDirectory(t *testing.T) {
	m := machine(t, "linux", nil)
	files := map[string]string{"lib/zz-wanted-1.0": "x"}
	for i := range maxMatches + 500 {
		files["lib/other-"+strconv.Itoa(i)] = "x"
	}
	write(t, m, files)
	dir := filepath.Join(m.Home, "lib")
	if got := listMatches(dir, "zz-*"); len(got) != 1 {
		t.Errorf("found %d", len(got))
	}
	if got := listMatches(dir, "other-*"); len(got) != maxMatches || filepath.Base(got[0]) != "other-"+strconv.Itoa(maxMatches+499) {
		t.Errorf("found %d, first %s", len(got), got[0])
	}
}

func TestFind_InterpreterPath(t *testing.T) {
	unixPaths(t)
	m := machine(t, "linux", nil)
	write(t, m, map[string]string{".local/share/nvim/mason/bin/server": "#!/usr/bin/env node\n", ".nvm/versions/node/v20/bin/node": "x"})
	f := &Finder{Machine: m, Accepts: onlyHome(m)}
	p, ok := f.Find(Query{Names: []string{"server"}})
	if want := []string{m.Home + "/.local/share/nvim/mason/bin", m.Home + "/.nvm/versions/node/v20/bin"}; !ok || !slices.Equal(p.Path, want) {
		t.Errorf("PATH needs %q, want %q", p.Path, want)
	}
}

func TestFind_Bundles(t *testing.T) {
	unixPaths(t)
	m := machine(t, "linux", map[string]string{"PATH": "~/bin"})
	f := &Finder{Machine: m, Accepts: onlyHome(m)}
	q := Query{Names: []string{"script-server"}, Bundles: []Bundle{
		{Extension: "a.script", Program: "dist/server.js", Interpreter: "node"},
		{Extension: "b.launched", Launch: func(dir string, _ Machine) []string {
			return []string{filepath.Join(dir, "java"), "-jar", filepath.Join(dir, "server.jar")}
		}},
	}}
	write(t, m, map[string]string{".vscode/extensions/a.script-1.0.0/dist/server.js": "x"})
	if p, ok := f.Find(q); ok {
		t.Errorf("without node: %q", p.Command)
	}
	write(t, m, map[string]string{".nvm/versions/node/v20/bin/node": "x", ".vscode/extensions/a.script-1.0.0/package.json": `{"name":"script","version":"1.0.0"}`})
	f.listed = time.Time{}
	p, ok := f.Find(q)
	if node := m.Home + "/.nvm/versions/node/v20/bin"; !ok || !slices.Equal(p.Command, []string{node + "/node", m.Home + "/.vscode/extensions/a.script-1.0.0/dist/server.js"}) || !slices.Equal(p.Path, []string{node}) || p.Version() != "1.0.0" {
		t.Errorf("%v: %+v, version %s", ok, p, p.Version())
	}
	q.Bundles = q.Bundles[1:]
	write(t, m, map[string]string{".cursor/extensions/b.launched-2.0.0/java": "x", ".cursor/extensions/b.launched-2.0.0/server.jar": "x"})
	if p, ok := f.Find(q); !ok || len(p.Command) != 3 || p.Origin != "Cursor" {
		t.Errorf("%v: %+v", ok, p)
	}
}

func TestFind_ProjectExcluded(t *testing.T) {
	unixPaths(t)
	m := machine(t, "linux", map[string]string{"PATH": "~/project/bin:~/links:~/bin"})
	write(t, m, map[string]string{"project/bin/server": "x", "links/server": "-> ../project/bin/server", "bin/other": "x"})
	f := &Finder{Machine: m, Accepts: func(real string) bool { return onlyHome(m)(real) && !strings.HasPrefix(real, m.Home+"/project") }}
	if p, ok := f.Find(Query{Names: []string{"server"}}); ok {
		t.Errorf("found %q", p.Command)
	}
	if p, ok := f.In([]string{m.Home + "/project/none", m.Home + "/project/bin"}, []string{"server"}); !ok || p.Origin != OriginProject {
		t.Errorf("in the project: %v, %+v", ok, p)
	}
}

func TestFind_Cached(t *testing.T) {
	unixPaths(t)
	m := machine(t, "linux", map[string]string{"PATH": "~/bin"})
	write(t, m, map[string]string{"cache/server": "x", "go/bin/server": "x", "project/server": "x"})
	cached := map[string]string{"server": m.Home + "/cache/server"}
	f := &Finder{Machine: m, Accepts: onlyHome(m), Cached: func(name string) (string, string, bool) { return cached[name], "1.2.3", cached[name] != "" }}
	p, ok := f.Find(Query{Names: []string{"none", "server"}})
	if !ok || p.Origin != OriginCache || p.Version() != "1.2.3" {
		t.Errorf("%v, %+v", ok, p)
	}
	for _, unusable := range []string{"relative", m.Home + "/gone", "/etc/hostname"} {
		cached["server"] = unusable
		if p, ok := f.Find(Query{Names: []string{"server"}}); !ok || p.Origin != "go" {
			t.Errorf("%s: %v, %+v", unusable, ok, p)
		}
	}
	f.Search = []string{m.Home + "/bin"}
	f.listed = time.Time{}
	if p, ok := f.Find(Query{Names: []string{"server"}}); ok {
		t.Errorf("with Search: %+v", p)
	}
}

func TestExists(t *testing.T) {
	m := machine(t, "linux", map[string]string{"DEPOT": "~/depot"})
	write(t, m, map[string]string{"depot/packages/Server/x1/file": "x"})
	for pattern, want := range map[string]bool{"$DEPOT/packages/Server/*": true, "~/depot/packages": true, "$DEPOT/packages/Other/*": false, "$NONE/packages": false} {
		if got := m.Exists([]string{"~/none", pattern}); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
}

func TestFind_MacDeveloperTools(t *testing.T) {
	unixPaths(t)
	m := machine(t, "darwin", nil)
	for path, want := range map[string]bool{"/usr/bin/clangd": false, "/usr/bin/git": true, "/opt/homebrew/bin/clangd": true} {
		if _, ok := m.resolveShim(path); ok != want {
			t.Errorf("%s: %v", path, ok)
		}
	}
}

func TestLocal(t *testing.T) {
	f := Finder{Machine: Local()}
	if p, ok := f.Find(Query{Names: []string{"go"}}); !ok || !filepath.IsAbs(p.Command[0]) {
		t.Errorf("go: %v, %+v", ok, p)
	}
	if p, ok := new(Finder).Find(Query{Names: []string{"go"}}); ok && p.Origin == OriginPath {
		t.Errorf("the zero value has a PATH: %+v", p)
	}
}

func BenchmarkFind_Missing(b *testing.B) {
	f := Finder{Machine: Local()}
	for b.Loop() {
		f.listed = time.Time{}
		for range 50 {
			f.Find(Query{Names: []string{"no-such-server"}})
		}
	}
}
