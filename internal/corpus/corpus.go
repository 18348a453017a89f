// Package corpus downloads packages of the npm registry and of Debian as real code for tests and benchmarks, and keeps them in the
// cache of the user.
package corpus

import (
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// Real skips a comparison over real code unless DOUGU_CORPORA=1 asks for it: all of
// them together download a gigabyte once, and take minutes. The race detector has
// nothing to find in them.
func Real(t testing.TB) {
	t.Helper()
	if testrequire.Race {
		t.Skip("comparisons over real code are not run under the race detector")
	}
	if os.Getenv("DOUGU_CORPORA") != "1" {
		t.Skip("a comparison over real code, which is downloaded: DOUGU_CORPORA=1 runs it")
	}
}

// NPM returns the directory of an unpacked package of the npm registry; later calls reuse it. integrity is the value
// of npm's lock files and of `npm view name@version dist.integrity`: sha512-….
func NPM(t testing.TB, name, version, integrity string) string {
	t.Helper()
	key := "npm-" + strings.NewReplacer("/", "-", "@", "").Replace(name) + "-" + version
	return filepath.Join(cached(t, key, func(dir string) error {
		if err := run(t, dir, "npm", "pack", "--silent", "--ignore-scripts", name+"@"+version); err != nil {
			return err
		}
		archives, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
		if len(archives) != 1 {
			t.Fatalf("npm pack %s@%s left %d archives", name, version, len(archives))
		}
		content, err := os.ReadFile(archives[0])
		if err != nil {
			return err
		}
		sum := sha512.Sum512(content)
		if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != integrity {
			t.Fatalf("%s@%s is not what it was: %s, want %s", name, version, got, integrity)
		}
		if err := run(t, dir, "tar", "-xzf", archives[0], "--no-same-owner"); err != nil {
			return err
		}
		if err := os.Remove(archives[0]); err != nil {
			return err
		}
		return settle(dir)
	}), "package")
}

// settle renames the top directory of an archive to "package", because some archives use another name.
func settle(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() == "package" {
		return err
	}
	return os.Rename(filepath.Join(dir, entries[0].Name()), filepath.Join(dir, "package"))
}

// Debian is the directory of a package of Debian, unpacked as if it were
// installed there.
func Debian(t testing.TB, name string) string {
	t.Helper()
	return cached(t, "deb-"+name, func(dir string) error {
		if err := apt(t, dir, "download", name); err != nil {
			return err
		}
		return each(dir, "*.deb", func(archive string) error { return run(t, dir, "dpkg-deb", "-x", archive, dir) })
	})
}

// DebianSource is the directory of the source that a package of Debian is made
// from, as its authors published it.
func DebianSource(t testing.TB, name string) string {
	t.Helper()
	return cached(t, "src-"+name, func(dir string) error {
		lists := filepath.Join(dir, ".apt")
		if err := os.MkdirAll(filepath.Join(lists, "partial"), 0o755); err != nil {
			return err
		}
		sources := filepath.Join(dir, ".sources.list") // not among the lists, because update removes unknown files there
		const line = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main\n"
		if err := os.WriteFile(sources, []byte(line), 0o644); err != nil {
			return err
		}
		// Separate lists leave the configuration of the machine unchanged.
		own := []string{"-qq", "-o", "Dir::Etc::sourcelist=" + sources, "-o", "Dir::Etc::sourceparts=/dev/null", "-o", "Dir::State::lists=" + lists, "-o", "APT::Sandbox::User=root"}
		if err := run(t, dir, "apt-get", append(own, "update")...); err != nil {
			return err
		}
		if err := run(t, dir, "apt-get", append(own, "source", "--download-only", name)...); err != nil {
			return err
		}
		if err := errors.Join(os.RemoveAll(lists), os.Remove(sources)); err != nil {
			return err
		}
		for _, rest := range []string{"*.debian.tar.*", "*.asc"} {
			if err := each(dir, rest, func(string) error { return nil }); err != nil {
				return err
			}
		}
		return each(dir, "*.tar.*", func(archive string) error { return run(t, dir, "tar", "-xf", archive, "--no-same-owner") })
	})
}

func each(dir, pattern string, do func(path string) error) error {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	for _, path := range paths {
		if err := do(path); err != nil {
			return err
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return err
}

// apt runs apt-get with the known lists. If that fails, it updates the lists and tries again.
func apt(t testing.TB, dir string, args ...string) error {
	t.Helper()
	args = append([]string{"-qq", "-o", "APT::Sandbox::User=root"}, args...)
	if run(t, dir, "apt-get", args...) == nil {
		return nil
	}
	if err := run(t, dir, "apt-get", "-qq", "update"); err != nil {
		return err
	}
	return run(t, dir, "apt-get", args...)
}

// cached makes a directory once on this machine.
func cached(t testing.TB, key string, fill func(dir string) error) string {
	t.Helper()
	Real(t)
	base, err := os.UserCacheDir()
	if err != nil {
		base = t.TempDir()
	}
	base = filepath.Join(base, "dougu", "corpora")
	final := filepath.Join(base, key)
	if _, err := os.Stat(final); err == nil {
		return final
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		t.Fatal(err)
	}
	work, err := os.MkdirTemp(base, ".new-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	err = fill(work)
	testrequire.Thing(t, err == nil, key, "it comes from the npm registry or from Debian: "+message(err))
	if err := os.Rename(work, final); err != nil && !exists(final) {
		t.Fatal(err)
	}
	return final
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func run(t testing.TB, dir, program string, args ...string) error {
	t.Helper()
	command := exec.Command(program, args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	if err != nil {
		t.Logf("%s: %v\n%s", command, err, out[max(0, len(out)-1000):])
	}
	return err
}

// Files are the regular files below a directory with one of the suffixes,
// relative to it, sorted.
func Files(t testing.TB, dir string, suffixes ...string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(path, suffix) }) {
			relative, err := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(relative))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// GoSources is the directory of the sources of Go itself.
func GoSources(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}
