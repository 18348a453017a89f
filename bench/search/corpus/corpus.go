// Package corpus provides the repositories in which searches are measured: the sources of Go, npm packages fixed by digests, Go
// modules fixed by checksums, and Debian packages. They are stored in the user's cache, outside every repository.
package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/bench/corpora"
)

// Repository is a tree of files of a fixed version.
type Repository struct {
	Name, Version string
	parts         []part
	// keep are the extensions of the files to keep; nil is all.
	keep []string
	// leave are generated or duplicate files and directories to omit.
	leave []string
}

// part is a directory of a package that becomes a directory of the repository.
type part struct {
	as     string
	source source
	within string
}

// All returns the repositories of tuning and of the test, sorted by name.
func All() []Repository {
	return slices.SortedFunc(slices.Values(append(tuned(), HeldOut()...)), func(a, b Repository) int { return strings.Compare(a.Name, b.Name) })
}

// tuned returns the repositories for development.
func tuned() []Repository {
	html := []string{".html"}
	return []Repository{
		{Name: "debian-ja", Version: "bookworm", keep: html, leave: []string{"developers/developers-reference.html", "developers/search.html"}, parts: []part{
			{"reference", debian("debian-reference-ja"), "usr/share/debian-reference"},
			{"developers", debian("developers-reference-ja"), "usr/share/developers-reference/ja"},
			{"guide", debian("maint-guide-ja"), "usr/share/doc/maint-guide-ja/html"},
		}},
		{Name: "django", Version: "3.2", leave: []string{"contrib/admin/static/admin/js/vendor"}, keep: []string{".py", ".html", ".js", ".css", ".txt", ".xml", ".py-tpl"}, parts: []part{
			{"", debian("python3-django"), "usr/lib/python3/dist-packages/django"},
		}},
		{Name: "expo", Version: "58.0.7", leave: []string{"build", "prebuilds"}, keep: []string{".ts", ".tsx", ".swift", ".kt", ".java", ".m", ".mm", ".h", ".cpp", ".md", ".gradle"}, parts: []part{
			{"", pack(corpora.Expo), ""},
		}},
		{Name: "fastify", Version: "5.12.8", parts: []part{
			{"", npm("fastify", "5.12.8", "sha512-moP8exb2sCHLUbJkwp+I6C0padhy4D8lp0SdmzY7HhSdZuqm7O/u3o2aq7u8okaQ//33QDzj3G/u+FsSdB8Qzw=="), ""},
		}},
		{Name: "go", Version: "1.26", parts: []part{{"", goroot{}, "src"}}},
		{Name: "jdk", Version: "17", keep: []string{".java"}, parts: []part{
			{"java.base/java", javaSources{}, "java.base/java"},
		}},
		{Name: "nako", Version: "3.7.22", leave: []string{"release", "demo"}, keep: []string{".mts", ".mjs", ".md", ".nako3", ".json", ".html", ".css", ".txt"}, parts: []part{
			{"", npm("nadesiko3", "3.7.22", "sha512-mrTZsXkn6XoDJRUre0feewkMJldiZfzCSiJJ2hiCjv+PqGedX2fTEvgYZSCkZsoENYJDQ5arXYpmnoINi3DLPg=="), ""},
		}},
		{Name: "rxjs", Version: "7.8.2", parts: []part{
			{"", pack(corpora.RxJS), "src"},
		}},
		{Name: "three", Version: "0.187.0", parts: []part{
			{"src", npm("three", "0.187.0", threeDigest), "src"},
			{"examples/jsm", npm("three", "0.187.0", threeDigest), "examples/jsm"},
		}},
		{Name: "tokio", Version: "1.24.2", parts: []part{
			{"", debian("librust-tokio-dev"), "usr/share/cargo/registry/tokio-1.24.2"},
		}},
	}
}

const threeDigest = "sha512-Qiu7R+Cmh8CstZsY1uJOSWnVlfo7ZtNLV7mF8Jltk3LB3AtDu9cRZlcnRKkAk8Y4z6KKw35z7Y7Urd7jWY8etA=="

// Dir returns the directory of the repository, which the first call downloads. If it is not available, the error is a
// corpora.Missing.
func (r Repository) Dir(log io.Writer) (string, error) {
	if g, ok := r.parts[0].source.(goroot); ok {
		return g.dir(r.parts[0].within)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	final := filepath.Join(cache, "dougu", "search", r.Name+"-"+r.Version)
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(filepath.Dir(final), ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	for _, p := range r.parts {
		if err := r.copy(filepath.Join(work, filepath.FromSlash(p.as)), p, log); err != nil {
			return "", fmt.Errorf("fetching %s: %w", r.Name, err)
		}
	}
	if err := os.Rename(work, final); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return final, os.Chmod(final, 0o755)
}

// copy copies a part of the repository to a directory.
func (r Repository) copy(into string, p part, log io.Writer) error {
	from, err := p.source.open(log)
	if err != nil {
		return err
	}
	if p.within != "" {
		if from, err = fs.Sub(from, p.within); err != nil {
			return err
		}
	}
	return fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case r.leaves(path.Join(p.as, name), entry):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || !r.keeps(from, name):
			return nil
		}
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		to := filepath.Join(into, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, content, 0o644))
	})
}

// leaves reports whether a file or directory is omitted.
func (r Repository) leaves(name string, entry fs.DirEntry) bool {
	if slices.Contains(r.leave, name) {
		return true
	}
	base := entry.Name()
	return entry.IsDir() && base != "." && (base == "node_modules" || base == "build" && slices.Contains(r.leave, "build") || strings.HasPrefix(base, "."))
}

// keeps reports whether a file has one of the extensions, and is not compiled from a file beside it.
func (r Repository) keeps(from fs.FS, name string) bool {
	if r.keep == nil {
		return true
	}
	if source, ok := strings.CutSuffix(name, ".mjs"); ok {
		if _, err := fs.Stat(from, source+".mts"); err == nil {
			return false
		}
	}
	return slices.Contains(r.keep, path.Ext(name))
}
