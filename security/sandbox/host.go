package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// host describes the machine and its user.
type host struct {
	home   string // directory, with symbolic links followed; empty if there is none
	isRoot bool
}

func detectHost(home string) (host, error) {
	if home == "" {
		home, _ = os.UserHomeDir() // empty without one
	}
	h := host{isRoot: os.Geteuid() == 0}
	if real, err := filepath.EvalSymlinks(home); err == nil && home != "" && real != "/" && isDir(real) {
		h.home = real
	}
	return h, nil
}

// goModules is where the module cache of Go can be read inside.
const goModules = "/run/dougu/gomod"

// environment is the file system of all commands, without the steps that depend on the files of the project.
func (s *Sandbox) environment() ([]mount, error) {
	all := s.basis()
	if dir := os.Getenv("XDG_RUNTIME_DIR"); isWithin(dir, "/run/user") {
		all = append(all, mount{directory, "", dir})
	}
	if s.host.home != "" {
		all = append(all, mount{bind, s.home, s.host.home})
	}
	private := len(all)
	if s.host.home != "" {
		settings, err := s.settings()
		if err != nil {
			return nil, err
		}
		all = append(append(all, s.toolchains()...), settings...)
	}
	if modules := s.goModuleCache(); isDir(modules) {
		all = append(all, mount{bindRead, modules, goModules})
	}
	var asked []mount
	for _, path := range append(slices.Clone(s.options.Read), s.variablePaths()...) {
		asked = append(asked, mount{bindRead, path, path})
	}
	for _, path := range slices.Concat(s.options.Write, s.options.Sockets) {
		asked = append(asked, mount{bind, path, path})
	}
	for _, path := range s.options.Dirs {
		for _, m := range append([]mount{{bind, path, path}}, s.gitDirs(path)...) {
			asked = append(asked, m)
			if m.Op == bind {
				s.projectMounts = append(s.projectMounts, m.Target)
			}
		}
	}
	for i := range asked {
		real, err := filepath.EvalSymlinks(asked[i].Source)
		if err != nil {
			return nil, fmt.Errorf("open %s to commands: %w", asked[i].Source, err)
		}
		asked[i].Source = real
	}
	// A directory inside of another one is mounted after it.
	slices.SortStableFunc(asked, func(a, b mount) int { return strings.Count(a.Target, "/") - strings.Count(b.Target, "/") })
	all = append(all, asked...)
	caches, err := s.keptCaches(all)
	if err != nil {
		return nil, err
	}
	return s.pin(slices.Insert(all, private, caches...))
}

// basis is the part of the file system that does not depend on the project and the user.
func (s *Sandbox) basis() []mount {
	all := append(s.system(), mount{procfs, "", "/proc"}, mount{deviceDir, "", "/dev"}, mount{tmpfs, "", "/run"},
		mount{bind, s.temp, "/tmp"}, mount{bind, s.temp, "/var/tmp"}, mount{bind, s.temp, s.temp})
	return append(all, nameResolution()...)
}

// fileSystem is fixed, in which the project can be changed or not.
func (s *Sandbox) fileSystem() []mount {
	all := slices.Clone(s.baseMounts)
	for i, m := range all {
		if s.options.ReadOnly && m.Op == bind && slices.Contains(s.projectMounts, m.Target) {
			all[i].Op = bindRead
		}
	}
	return all
}

// system are the files of installed programs.
func (s *Sandbox) system() []mount {
	var all []mount
	for _, path := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/snap"} {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			if text, err := os.Readlink(path); err == nil {
				all = append(all, mount{link, text, path})
			}
		default:
			all = append(all, mount{bindRead, path, path})
		}
	}
	all = append(all, mount{bindRead, "/etc", "/etc"})
	for _, path := range []string{
		"/var/lib/ca-certificates", "/var/lib/alternatives", "/var/cache/fontconfig", "/var/lib/dpkg", "/sys/devices/system/cpu",
		"/sys/devices/system/node", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage", "/run/current-system", "/run/opengl-driver",
	} {
		if isDir(path) {
			all = append(all, mount{bindRead, path, path})
		}
	}
	if s.host.isRoot {
		all = append(all, s.hiddenMounts("/etc")...)
	}
	return all
}

// nameResolution is the file that /etc/resolv.conf leads to, if that is in /run or elsewhere outside of /etc. It is mounted after /run.
func nameResolution() []mount {
	real, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if err != nil || isWithin(real, "/etc") || isWithin(real, "/usr") {
		return nil
	}
	return []mount{{bindRead, real, real}}
}

// hiddenMounts hides files that only root can read: root inside has the same number.
func (s *Sandbox) hiddenMounts(dir string) []mount {
	var all []mount
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := entry.Info()
		switch {
		case err != nil || path == dir:
		case entry.IsDir() && info.Mode().Perm()&0o005 != 0o005:
			all = append(all, mount{empty, "", path})
			return fs.SkipDir
		case entry.Type().IsRegular() && info.Mode().Perm()&0o004 == 0:
			all = append(all, mount{empty, s.emptyFile(), path})
		}
		return nil
	})
	return all
}

// toolchains are the parts of the home directory that programs are installed in.
func (s *Sandbox) toolchains() []mount {
	var all []mount
	for _, name := range []string{
		"bin", "go/bin", "sdk", ".cargo/bin", ".cargo/env", ".rustup", ".pyenv", ".nvm", ".local/bin", ".local/lib", ".local/pipx",
		".local/share/pnpm", ".local/share/uv", ".local/share/mise", ".local/share/fnm", ".local/share/virtualenvs", ".local/share/pipx",
		".sdkman", ".jenv", ".rbenv", ".asdf", ".volta", ".bun/bin", ".deno/bin", ".dotnet", ".opam", ".ghcup", ".cabal/bin", ".juliaup",
		".swiftly", ".fnm", ".npm-global", "miniconda3", "anaconda3", "miniforge3", ".nix-profile", ".tool-versions",
		".local/share/nvim/mason", ".local/share/zed/languages", ".local/share/swiftly", ".local/share/coursier", ".local/share/gem", ".gem/ruby", ".rvm", ".rubies",
		".luarocks", ".pub-cache/bin", ".pub-cache/global_packages", ".config/composer/vendor", ".composer/vendor", ".npm-packages", ".yarn/bin", ".vscode/extensions",
		".vscode-server/extensions", ".vscode-oss/extensions", ".cursor/extensions", ".windsurf/extensions", ".local/share/code-server/extensions",
		".config/Code/User/globalStorage/llvm-vs-code-extensions.vscode-clangd", ".config/Code/User/globalStorage/ziglang.vscode-zig", ".cache/dougu/language-servers",
	} {
		path := filepath.Join(s.host.home, name)
		if real, err := filepath.EvalSymlinks(path); err == nil {
			all = append(all, mount{bindRead, real, path})
		}
	}
	return all
}

// variablePaths are the paths that variables of the environment name: certificates, the roots of tool chains, installed language
// servers, and directories of programs.
func (s *Sandbox) variablePaths() []string {
	var all, installed []string
	for _, m := range s.toolchains() {
		installed = append(installed, m.Target)
	}
	add := func(path string) {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && filepath.IsAbs(path) && s.mayRead(real) && !isWithinAny(path, slices.Concat(all, s.options.Read, s.options.Write, installed)) {
			all = append(all, path)
		}
	}
	for _, name := range []string{
		"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "PIP_CERT",
		"CARGO_HTTP_CAINFO", "AWS_CA_BUNDLE", "NIX_SSL_CERT_FILE", "GOROOT", "JAVA_HOME", "PYENV_ROOT", "NVM_DIR", "RUSTUP_HOME",
		"VIRTUAL_ENV", "CONDA_PREFIX", "ANDROID_HOME", "DOTNET_ROOT",
	} {
		add(os.Getenv(name))
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" { // the cache can be outside of the home directory
		add(filepath.Join(dir, "dougu", "language-servers"))
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if modules := filepath.Dir(dir); filepath.Base(dir) == ".bin" && filepath.Base(modules) == "node_modules" {
			dir = modules // its programs are links to files beside it
		}
		add(dir)
	}
	return all
}

// mayRead keeps variables from opening whole file systems, homes, or files that are visible or private anyway.
func (s *Sandbox) mayRead(path string) bool {
	if isWithinAny(path, []string{"/usr", "/bin", "/sbin", "/etc", "/opt", "/proc", "/dev", "/run", "/sys"}) || isWithinAny(path, s.options.Dirs) {
		return false
	}
	for _, inside := range append([]string{s.host.home, s.base, "/home", "/root", "/tmp", "/var", "/mnt"}, s.options.Dirs...) {
		if inside != "" && isWithin(inside, path) {
			return false
		}
	}
	for _, name := range privateFiles() {
		if s.host.home != "" && isWithin(path, filepath.Join(s.host.home, name)) {
			return false
		}
	}
	return true
}

// gitDirs are the directories outside of a project that its repository needs: the directories of the repository that the project is
// a worktree of. Git's own link back to the worktree must exist, so that a file of the project alone opens nothing.
func (s *Sandbox) gitDirs(dir string) []mount {
	text, err := os.ReadFile(filepath.Join(dir, ".git"))
	name, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !ok {
		return nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	back, err := os.ReadFile(filepath.Join(name, "gitdir"))
	if err != nil || filepath.Clean(strings.TrimSpace(string(back))) != filepath.Join(dir, ".git") {
		return nil
	}
	common := filepath.Dir(filepath.Dir(name)) // of …/.git/worktrees/NAME
	if filepath.Base(filepath.Dir(name)) != "worktrees" || !isDir(filepath.Join(common, "objects")) {
		return nil
	}
	all := []mount{{bind, common, common}}
	for _, name := range []string{"config", "hooks", "config.worktree", "commondir", "gitdir", "modules"} {
		if path := filepath.Join(common, name); isPlain(common, path) {
			all = append(all, mount{bindRead, path, path})
		}
	}
	for _, name := range []string{"commondir", "gitdir", "config.worktree"} {
		for _, path := range matches(common, filepath.Join("worktrees", "*", name)) {
			all = append(all, mount{bindRead, path, path})
		}
	}
	if parent := filepath.Dir(common); filepath.Base(common) == ".git" && !slices.Contains(s.mainCheckouts, parent) {
		s.mainCheckouts = append(s.mainCheckouts, parent)
	}
	return all
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// goModuleCache is the user's module cache; it need not exist.
func (s *Sandbox) goModuleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	if list := filepath.SplitList(os.Getenv("GOPATH")); len(list) > 0 && list[0] != "" {
		return filepath.Join(list[0], "pkg", "mod")
	}
	if s.host.home == "" {
		return ""
	}
	return filepath.Join(s.host.home, "go", "pkg", "mod")
}

// variables are the environment of commands.
func (s *Sandbox) variables() []string {
	home, temp, modules := s.host.home, "/tmp", goModules
	if s.status.Kind == Landlock {
		home, temp, modules = s.home, s.temp, s.goModuleCache()
	}
	if home == "" {
		home = temp
	}
	env := []string{"HOME=" + home, "TMPDIR=" + temp}
	for _, cache := range [][2]string{
		{"GOPATH", "go"}, {"GOMODCACHE", "go/pkg/mod"}, {"GOCACHE", ".cache/go-build"}, {"CARGO_HOME", ".cargo"}, {"XDG_CACHE_HOME", ".cache"},
		{"npm_config_cache", ".npm"}, {"PIP_CACHE_DIR", ".cache/pip"}, {"YARN_CACHE_FOLDER", ".cache/yarn"}, {"GRADLE_USER_HOME", ".gradle"},
		{"NUGET_PACKAGES", ".nuget/packages"}, {"XDG_CONFIG_HOME", ".config"}, {"XDG_DATA_HOME", ".local/share"}, {"XDG_STATE_HOME", ".local/state"},
	} {
		if old := os.Getenv(cache[0]); old != "" && !isWithinAny(old, append(slices.Clone(s.options.Write), s.options.Dirs...)) {
			env = append(env, cache[0]+"="+filepath.Join(home, cache[1]))
		}
	}
	if isDir(filepath.Join(s.goModuleCache(), "cache", "download")) && !isWithinAny(s.goModuleCache(), s.options.Write) {
		env = append(env, "GOPROXY=file://"+modules+"/cache/download,"+s.goProxy())
	}
	if s.status.Kind == Landlock && s.host.home != "" {
		for name, dir := range map[string]string{"RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv"} {
			if path := filepath.Join(s.host.home, dir); os.Getenv(name) == "" && isDir(path) {
				env = append(env, name+"="+path)
			}
		}
	}
	return env
}

// goProxy is where the user's Go gets modules from.
func (s *Sandbox) goProxy() string {
	const usual = "https://proxy.golang.org,direct"
	if proxy := os.Getenv("GOPROXY"); proxy != "" {
		return proxy
	}
	data, _ := os.ReadFile(filepath.Join(s.host.home, ".config", "go", "env")) // need not exist
	for line := range strings.Lines(string(data)) {
		if proxy, ok := strings.CutPrefix(strings.TrimSpace(line), "GOPROXY="); ok && proxy != "" {
			return proxy
		}
	}
	return usual
}
