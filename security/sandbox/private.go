package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// cacheNames are the directories of the private home directory that are kept between runs of the program. A name that is in conflict
// with a mount, such as one of a tool chain, is left out; the names below it follow for this case.
func cacheNames() []string {
	return []string{
		".cache", ".cache/go-build", ".cache/pip", ".cache/uv", ".cache/yarn", ".cache/pnpm", ".cache/ccache", ".cache/bazel",
		"go", "go/pkg", ".cargo", ".cargo/registry", ".cargo/git", ".npm", ".yarn", ".pnpm-store", ".node-gyp", ".bun/install/cache",
		".gradle", ".m2", ".ivy2", ".sbt", ".nuget", ".pub-cache", ".cocoapods", ".bundle", ".gem", ".stack", ".cabal/packages",
		".cabal/store", ".conan", ".conan2", ".hex", ".mix", ".ccache", ".vcpkg", ".local", ".local/share", ".local/state", ".local/lib",
		".local/bin", ".config", ".cache/jdtls", ".cache/dougu/jdtls", ".pub-cache/hosted",
	}
}

// keptCaches are the mounts of the caches. No other mount lies in a cache: commands that have ended may have changed all that is there.
func (s *Sandbox) keptCaches(others []mount) ([]mount, error) {
	if s.caches == "" || s.host.home == "" {
		return nil, nil
	}
	var all []mount
	for _, name := range cacheNames() {
		target := filepath.Join(s.host.home, filepath.FromSlash(name))
		conflicts := func(m mount) bool {
			return isWithin(m.Target, target) || m.Target != s.host.home && isWithin(m.Target, s.host.home) && isWithin(target, m.Target)
		}
		isCovered := func(m mount) bool { return isWithin(target, m.Target) }
		if slices.ContainsFunc(others, conflicts) || slices.ContainsFunc(all, isCovered) {
			continue
		}
		// The names are made beside each other, in a directory that commands do not see: no command can put a link in the way.
		source := filepath.Join(s.caches, strings.ReplaceAll(name, "/", "%"))
		if err := os.MkdirAll(source, 0o700); err != nil {
			return nil, fmt.Errorf("make the cache of commands: %w", err)
		}
		if info, err := os.Lstat(source); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("the cache of commands %s is not a directory", source)
		}
		all = append(all, mount{bind, source, target})
	}
	return all, nil
}

// pin makes the mount points that lie in private directories of this Sandbox, where commands can write, before the first command
// runs. It adds a mount for each directory that leads to one, so that no command can rename a directory or put another file in its
// place: a later command would find its mounts elsewhere, or none.
func (s *Sandbox) pin(steps []mount) ([]mount, error) {
	var all []mount
	for _, step := range steps {
		for {
			over := -1
			for i, m := range all {
				if m.Op != link && isWithin(step.Target, m.Target) {
					over = i // the last mount hides those before it
				}
			}
			if over < 0 || all[over].Op != bind || !isWithin(all[over].Source, s.base) || all[over].Target == step.Target {
				break
			}
			rel, _ := filepath.Rel(all[over].Target, step.Target)
			first, _, isAbove := strings.Cut(rel, string(filepath.Separator))
			source := filepath.Join(all[over].Source, first)
			if !isAbove {
				if err := makeMountPoint(step, source); err != nil {
					return nil, err
				}
				break
			}
			if err := os.MkdirAll(source, 0o755); err != nil {
				return nil, fmt.Errorf("make the directory of a mount: %w", err)
			}
			all = append(all, mount{bind, source, filepath.Join(all[over].Target, first)})
		}
		all = append(all, step)
	}
	return all, nil
}

// makeMountPoint makes a directory or a file for a step at a path outside.
func makeMountPoint(step mount, path string) error {
	isFile := false
	if step.Op == bind || step.Op == bindRead {
		info, err := os.Stat(step.Source)
		if err != nil {
			return fmt.Errorf("open %s to commands: %w", step.Source, err)
		}
		isFile = !info.IsDir()
	}
	if !isFile {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return fmt.Errorf("make the directory of a mount: %w", err)
		}
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make the file of a mount: %w", err)
	}
	return f.Close()
}
