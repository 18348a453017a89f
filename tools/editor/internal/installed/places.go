package installed

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Origins of programs that other packages name.
const (
	OriginPath    = "PATH"
	OriginProject = "project"
	OriginCache   = "dougu" // installed by this program
)

// searchDir is a row of the tables of places.
type searchDir struct {
	origin string // shown to the user
	// system is "windows", "darwin", "unix" for all systems but Windows, or "" for all systems.
	system string
	// pattern is a directory with programs, with slashes. ~ and $NAME at its beginning are expanded. An element with * matches
	// several directories, the newest version first.
	pattern string
}

// versionManagers are searched after PATH and the installed servers. They have directories of installed versions, not of shims.
var versionManagers = []searchDir{
	{"mise", "", "$MISE_DATA_DIR/installs/*/*/bin"}, {"mise", "", "$MISE_DATA_DIR/installs/*/*"},
	{"mise", "unix", "~/.local/share/mise/installs/*/*/bin"}, {"mise", "unix", "~/.local/share/mise/installs/*/*"},
	{"mise", "windows", "$LOCALAPPDATA/mise/installs/*/*/bin"}, {"mise", "windows", "$LOCALAPPDATA/mise/installs/*/*"},
	{"asdf", "unix", "$ASDF_DATA_DIR/installs/*/*/bin"}, {"asdf", "unix", "~/.asdf/installs/*/*/bin"}, {"asdf", "unix", "~/.asdf/installs/golang/*/packages/bin"},
	{"nvm", "unix", "$NVM_BIN"}, {"nvm", "unix", "$NVM_DIR/versions/node/*/bin"}, {"nvm", "unix", "~/.nvm/versions/node/*/bin"},
	{"nvm", "windows", "$NVM_SYMLINK"}, {"nvm", "windows", "$NVM_HOME/v*"}, {"nvm", "windows", "$APPDATA/nvm/v*"},
	{"fnm", "unix", "$FNM_DIR/node-versions/*/installation/bin"}, {"fnm", "unix", "~/.local/share/fnm/node-versions/*/installation/bin"},
	{"fnm", "unix", "~/.fnm/node-versions/*/installation/bin"}, {"fnm", "darwin", "~/Library/Application Support/fnm/node-versions/*/installation/bin"},
	{"fnm", "windows", "$FNM_DIR/node-versions/*/installation"}, {"fnm", "windows", "$APPDATA/fnm/node-versions/*/installation"},
	{"volta", "unix", "$VOLTA_HOME/tools/image/packages/*/bin"}, {"volta", "unix", "~/.volta/tools/image/packages/*/bin"}, {"volta", "unix", "~/.volta/tools/image/packages/@*/*/bin"},
	{"volta", "unix", "$VOLTA_HOME/tools/image/node/*/bin"}, {"volta", "unix", "~/.volta/tools/image/node/*/bin"},
	{"volta", "windows", "$LOCALAPPDATA/Volta/tools/image/packages/*"}, {"volta", "windows", "$LOCALAPPDATA/Volta/tools/image/node/*"},
	{"pyenv", "unix", "$PYENV_ROOT/versions/*/bin"}, {"pyenv", "unix", "~/.pyenv/versions/*/bin"}, {"pyenv", "windows", "~/.pyenv/pyenv-win/versions/*/Scripts"},
	{"rbenv", "unix", "$RBENV_ROOT/versions/*/bin"}, {"rbenv", "unix", "~/.rbenv/versions/*/bin"},
	{"rvm", "unix", "~/.rvm/gems/*/bin"}, {"chruby", "unix", "~/.rubies/*/bin"},
	{"sdkman", "unix", "$SDKMAN_DIR/candidates/*/current/bin"}, {"sdkman", "unix", "~/.sdkman/candidates/*/current/bin"},
	{"swiftly", "unix", "~/.local/share/swiftly/bin"}, {"swiftly", "unix", "~/.swiftly/bin"},
}

// packageManagers are searched after the version managers: package managers of languages, then package managers of editors.
var packageManagers = []searchDir{
	{"go", "", "$GOBIN"}, {"go", "", "$GOPATH/bin"}, {"go", "", "~/go/bin"},
	{"cargo", "", "$CARGO_HOME/bin"}, {"cargo", "", "~/.cargo/bin"},
	{"pip", "unix", "~/.local/bin"}, {"pipx", "", "$PIPX_BIN_DIR"}, {"pipx", "windows", "~/.local/bin"},
	{"pip", "darwin", "~/Library/Python/*/bin"}, {"pip", "windows", "$APPDATA/Python/*/Scripts"},
	{"conda", "unix", "$CONDA_PREFIX/bin"}, {"conda", "windows", "$CONDA_PREFIX/Scripts"},
	{"npm", "unix", "$npm_config_prefix/bin"}, {"npm", "windows", "$npm_config_prefix"}, {"npm", "unix", "~/.npm-global/bin"}, {"npm", "unix", "~/.npm-packages/bin"},
	{"npm", "windows", "$APPDATA/npm"}, {"npm", "windows", "$ProgramFiles/nodejs"},
	{"pnpm", "", "$PNPM_HOME"}, {"pnpm", "unix", "~/.local/share/pnpm"}, {"pnpm", "darwin", "~/Library/pnpm"}, {"pnpm", "windows", "$LOCALAPPDATA/pnpm"},
	{"yarn", "unix", "~/.yarn/bin"}, {"yarn", "unix", "~/.config/yarn/global/node_modules/.bin"}, {"yarn", "windows", "$LOCALAPPDATA/Yarn/bin"},
	{"bun", "", "$BUN_INSTALL/bin"}, {"bun", "", "~/.bun/bin"}, {"deno", "", "~/.deno/bin"},
	{"gem", "unix", "~/.local/share/gem/ruby/*/bin"}, {"gem", "unix", "~/.gem/ruby/*/bin"},
	{"composer", "", "$COMPOSER_HOME/vendor/bin"}, {"composer", "unix", "~/.config/composer/vendor/bin"}, {"composer", "unix", "~/.composer/vendor/bin"},
	{"composer", "windows", "$APPDATA/Composer/vendor/bin"},
	{"dotnet", "", "~/.dotnet/tools"}, {"dart", "unix", "~/.pub-cache/bin"}, {"dart", "windows", "$LOCALAPPDATA/Pub/Cache/bin"}, {"flutter", "unix", "~/flutter/bin"},
	{"ghcup", "unix", "~/.ghcup/bin"}, {"ghcup", "windows", "$SystemDrive/ghcup/bin"}, {"cabal", "unix", "~/.cabal/bin"},
	{"opam", "unix", "$OPAM_SWITCH_PREFIX/bin"}, {"opam", "unix", "~/.opam/*/bin"},
	{"coursier", "unix", "~/.local/share/coursier/bin"}, {"coursier", "darwin", "~/Library/Application Support/Coursier/bin"}, {"coursier", "windows", "$LOCALAPPDATA/Coursier/data/bin"},
	{"juliaup", "", "~/.juliaup/bin"}, {"luarocks", "unix", "~/.luarocks/bin"}, {"nix", "unix", "~/.nix-profile/bin"},

	// Package managers of editors.
	{"mason", "unix", "$XDG_DATA_HOME/*/mason/bin"}, {"mason", "unix", "~/.local/share/*/mason/bin"}, {"mason", "windows", "$LOCALAPPDATA/*/mason/bin"},
	{"zed", "unix", "~/.local/share/zed/languages/*/node_modules/.bin"}, {"zed", "darwin", "~/Library/Application Support/Zed/languages/*/node_modules/.bin"},
	{"emacs", "unix", "~/.emacs.d/.cache/lsp/npm/*/bin"}, {"emacs", "unix", "~/.config/emacs/.cache/lsp/npm/*/bin"},
}

// systemDirs are searched after the extensions of editors. A program that a desktop starts often has a PATH without them.
var systemDirs = []searchDir{
	{"homebrew", "darwin", "/opt/homebrew/bin"}, {"homebrew", "darwin", "/usr/local/bin"}, {"homebrew", "unix", "/home/linuxbrew/.linuxbrew/bin"},
	{"homebrew", "darwin", "/opt/homebrew/opt/*/bin"}, {"homebrew", "darwin", "/usr/local/opt/*/bin"},
	{"macports", "darwin", "/opt/local/bin"},
	{"xcode", "darwin", "/Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/bin"}, {"xcode", "darwin", "/Library/Developer/CommandLineTools/usr/bin"},
	{"snap", "unix", "/snap/bin"}, {"nix", "unix", "/run/current-system/sw/bin"}, {"nix", "unix", "/nix/var/nix/profiles/default/bin"},
	{"llvm", "windows", "$ProgramFiles/LLVM/bin"}, {"scoop", "windows", "~/scoop/shims"}, {"chocolatey", "windows", "$ProgramData/chocolatey/bin"},
	{"winget", "windows", "$LOCALAPPDATA/Microsoft/WinGet/Links"},
}

// appliesTo reports whether a row belongs to an operating system.
func (p searchDir) appliesTo(goos string) bool {
	return p.system == "" || p.system == goos || p.system == "unix" && goos != "windows"
}

// directory is a directory with programs.
type directory struct {
	origin, path string
	names        map[string]bool // names of its entries, in lower case on Windows
}

// directories returns the existing directories of a table.
func (m Machine) directories(table []searchDir) []directory {
	var all []directory
	for _, p := range table {
		if !p.appliesTo(m.GOOS) {
			continue
		}
		for _, pattern := range m.expandAll(p.pattern) {
			for _, path := range matchNewest(pattern) {
				all = append(all, directory{origin: p.origin, path: path})
			}
		}
	}
	return all
}

// expandAll returns the paths of a pattern: one, or with GOPATH, which is a list, one for each of its directories.
func (m Machine) expandAll(pattern string) []string {
	rest, ok := strings.CutPrefix(pattern, "$GOPATH/")
	if !ok {
		return []string{m.expand(pattern)}
	}
	var all []string
	for _, dir := range filepath.SplitList(m.env("GOPATH")) {
		if filepath.IsAbs(dir) {
			all = append(all, filepath.Join(dir, filepath.FromSlash(rest)))
		}
	}
	return all
}

// configured returns the directories that the settings of package managers name.
func (m Machine) configured() []directory {
	if m.Home == "" {
		return nil
	}
	var all []directory
	add := func(origin, dir string) {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(m.Home, rest)
		}
		dir = strings.Replace(dir, "${HOME}", m.Home, 1)
		if filepath.IsAbs(dir) {
			all = append(all, directory{origin: origin, path: dir})
		}
	}
	if prefix := setting(filepath.Join(m.Home, ".npmrc"), "prefix"); prefix != "" {
		if m.GOOS != "windows" {
			prefix += "/bin"
		}
		add("npm", prefix)
	}
	config := m.goEnvFile()
	add("go", setting(config, "GOBIN"))
	for _, dir := range filepath.SplitList(setting(config, "GOPATH")) {
		add("go", filepath.Join(dir, "bin"))
	}
	return all
}

// goEnvFile returns the file that "go env -w" writes. It is empty if GOENV turns the file off.
func (m Machine) goEnvFile() string {
	switch file := m.env("GOENV"); {
	case file == "off":
		return ""
	case filepath.IsAbs(file):
		return file
	}
	config := filepath.Join(m.Home, ".config")
	if dir := m.env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		config = dir
	}
	switch m.GOOS {
	case "darwin":
		config = filepath.Join(m.Home, "Library", "Application Support")
	case "windows":
		config = cmp.Or(m.env("APPDATA"), m.Home)
	}
	return filepath.Join(config, "go", "env")
}

// matchNewest returns the existing paths of a pattern in which elements contain *. Among the matches of an element the newest
// version comes first.
func matchNewest(pattern string) []string {
	if pattern == "" {
		return nil
	}
	if !strings.Contains(pattern, "*") {
		if _, err := os.Stat(pattern); err != nil {
			return nil
		}
		return []string{pattern}
	}
	volume := filepath.VolumeName(pattern)
	root := volume + string(filepath.Separator)
	found := []string{root}
	elements := strings.Split(strings.Trim(pattern[len(volume):], string(filepath.Separator)), string(filepath.Separator))
	for i := 0; i < len(elements); {
		// Elements without * need no listing.
		n := i
		for n < len(elements) && !strings.Contains(elements[n], "*") {
			n++
		}
		fixed := filepath.Join(elements[i:n]...)
		for j := range found {
			found[j] = filepath.Join(found[j], fixed)
		}
		if n == len(elements) {
			break
		}
		var next []string
		for _, dir := range found {
			next = append(next, listMatches(dir, elements[n])...)
		}
		found, i = next, n+1
	}
	return slices.DeleteFunc(found, func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}

// maxMatches is the number of directories that one element of a pattern matches at most.
const maxMatches = 1000

// listMatches returns the entries of a directory that match an element of a pattern, the newest version first.
func listMatches(dir, pattern string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxEntries) // the names before an error
	var matches []version
	for _, name := range names {
		if ok, err := filepath.Match(pattern, name); ok && err == nil {
			matches = append(matches, parseVersion(name))
		}
	}
	slices.SortFunc(matches, func(a, b version) int { return b.compare(a) })
	paths := make([]string, min(len(matches), maxMatches))
	for i := range paths {
		paths[i] = filepath.Join(dir, matches[i].name)
	}
	return paths
}
