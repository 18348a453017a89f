package installed

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shimManagers are the version managers with a directory of shims. The element before "shims" in its path is one of these names.
var shimManagers = []string{"mise", "rtx", ".asdf", "asdf", ".pyenv", "pyenv", "pyenv-win", ".rbenv", "rbenv", ".nodenv", "nodenv", ".goenv", "goenv", ".jenv", ".phpenv", ".plenv", ".tfenv"}

// shimVariables are the environment variables that name the directories of version managers.
var shimVariables = []string{"MISE_DATA_DIR", "ASDF_DATA_DIR", "PYENV_ROOT", "RBENV_ROOT", "NODENV_ROOT", "GOENV_ROOT"}

// isShimDirectory reports whether the programs in a directory are shims of a version manager whose installed versions are in the
// tables of places.
func (m Machine) isShimDirectory(dir string) bool {
	switch filepath.Base(dir) {
	case "shims":
		if slices.Contains(shimManagers, strings.ToLower(filepath.Base(filepath.Dir(dir)))) {
			return true
		}
		return slices.ContainsFunc(shimVariables, func(name string) bool {
			root := m.env(name)
			return root != "" && filepath.Join(root, "shims") == filepath.Clean(dir)
		})
	case "bin":
		parent := filepath.Dir(dir)
		return filepath.Base(parent) == ".volta" || strings.EqualFold(filepath.Base(parent), "Volta") || m.env("VOLTA_HOME") != "" && filepath.Clean(m.env("VOLTA_HOME")) == parent
	}
	return false
}

// resolveShim returns the program that a shim starts. ok is false if it starts a program that is not installed. A program
// that is no shim is returned unchanged.
func (m Machine) resolveShim(path string) (program string, ok bool) {
	name := programName(path)
	if m.isRustupProxy(path) {
		return m.rustupProgram(name)
	}
	// On macOS these programs offer to install the developer tools, in a window, if they are absent.
	if m.GOOS == "darwin" && filepath.Dir(path) == "/usr/bin" && slices.Contains([]string{"clangd", "sourcekit-lsp", "clang-format", "swift-format"}, name) {
		return "", false // the developer tools are in the tables of places
	}
	return path, true
}

// isRustupProxy reports whether a program is a proxy of rustup, which starts the program of that name in a toolchain.
func (m Machine) isRustupProxy(path string) bool {
	rustup, ok := m.programFile(filepath.Dir(path), "rustup")
	if real, err := filepath.EvalSymlinks(path); err == nil {
		base := programName(real)
		if base == "rustup" || base == "rustup-init" {
			return programName(path) != "rustup"
		}
	}
	if !ok || rustup == path {
		return false
	}
	a, errA := os.Stat(path)
	b, errB := os.Stat(rustup)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// rustupProgram returns a program in a toolchain of rustup: the default toolchain, or else the newest one that has the program.
func (m Machine) rustupProgram(name string) (string, bool) {
	home := m.expand("$RUSTUP_HOME")
	if home == "" {
		home = m.expand("~/.rustup")
	}
	if home == "" {
		return "", false
	}
	toolchains := listMatches(filepath.Join(home, "toolchains"), "*")
	if standard := setting(filepath.Join(home, "settings.toml"), "default_toolchain"); standard != "" && !strings.ContainsAny(standard, `/\`) {
		toolchains = slices.Insert(toolchains, 0, filepath.Join(home, "toolchains", standard))
	}
	for _, dir := range toolchains {
		if path, ok := m.programFile(filepath.Join(dir, "bin"), name); ok {
			return path, true
		}
	}
	return "", false
}
