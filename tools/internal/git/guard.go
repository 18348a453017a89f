package git

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

const (
	maxConfig    = 1 << 20 // largest configuration file in bytes
	maxOverrides = 2000    // most arguments that override settings
	maxReadings  = 3       // most reads of a configuration that changes meanwhile
)

// guard caches the settings of a repository and reads them again when their files change. It is safe for concurrent use.
type guard struct {
	repository Repository // the repository when it was opened

	mu       sync.Mutex
	settings *Settings
	files    map[string][sha256.Size]byte // digests of the configuration files by name
}

// current returns the present settings of the repository.
func (g *guard) current(ctx context.Context) (*Settings, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.settings != nil {
		if now, err := digests(slices.Collect(maps.Keys(g.files))); err == nil && maps.Equal(now, g.files) {
			return g.settings, nil
		}
	}
	g.settings = nil
	alternates := filepath.Join(g.repository.shared, "objects", "info", "alternates")
	own := []string{filepath.Join(g.repository.shared, "config"), filepath.Join(g.repository.own, "config.worktree"), filepath.Join(g.repository.own, "commondir"), alternates}
	for range maxReadings {
		before, err := digests(own)
		if err != nil {
			return nil, err
		}
		if err := g.repository.checkAlternates(filepath.Dir(filepath.Dir(alternates)), 1); err != nil {
			return nil, err
		}
		s, included, err := g.repository.readSettings(ctx)
		if err != nil {
			return nil, err
		}
		after, err := digests(slices.Concat(own, included))
		if err != nil {
			return nil, err
		}
		if g.isUnchanged(before, after) {
			g.settings, g.files = s, after
			return s, nil
		}
	}
	return nil, fmt.Errorf("the configuration of the repository %s changes all the time", g.repository.top)
}

// isUnchanged reports whether the files of one set of digests are unchanged in another and lead to the same repository.
func (g *guard) isUnchanged(before, after map[string][sha256.Size]byte) bool {
	for name, sum := range before {
		if after[name] != sum {
			return false
		}
	}
	shared, err := os.ReadFile(filepath.Join(g.repository.own, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return g.repository.own == g.repository.shared
	}
	dir := filepath.FromSlash(strings.TrimRight(string(shared), "\r\n"))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(g.repository.own, dir)
	}
	return err == nil && sameFile(dir, g.repository.shared)
}

// digests returns the digests of files. A missing file has a digest too.
func digests(names []string) (map[string][sha256.Size]byte, error) {
	sums := make(map[string][sha256.Size]byte, len(names))
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			sums[name] = [sha256.Size]byte{}
			continue
		case err != nil:
			return nil, fmt.Errorf("read the configuration of the repository: %w", err)
		case !info.Mode().IsRegular() || info.Size() > maxConfig:
			return nil, &Unsafe{fmt.Sprintf("%q, which belongs to the configuration of the repository, is not a file, or is larger than %d bytes", name, maxConfig), "Ask the user to look at it."}
		}
		text, err := readConfig(name)
		if err != nil {
			return nil, fmt.Errorf("read the configuration of the repository: %w", err)
		}
		sums[name] = sha256.Sum256(text)
	}
	return sums, nil
}

func readConfig(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // the file can have become a FIFO
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxConfig))
}

// readSettings lists the configuration with git and returns the settings of the repository and the included files.
func (r *Repository) readSettings(ctx context.Context) (*Settings, []string, error) {
	out, err := r.execute(ctx, Call{Args: []string{"config", "--includes", "--list", "-z", "--show-scope", "--show-origin"}}, nil)
	if failure, ok := errors.AsType[*Failure](err); ok && strings.Contains(failure.Said, "show-scope") {
		return nil, nil, fmt.Errorf("git is too old: 2.26 or later is needed: %w", err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the configuration of git: %w", err)
	}
	var brought []setting
	s := &Settings{}
	parts := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for ; len(parts) >= 3; parts = parts[3:] {
		key, value, _ := strings.Cut(parts[2], "\n")
		one := setting{key, value, strings.TrimPrefix(parts[1], "file:")}
		switch parts[0] {
		case "system", "global":
			s.user = append(s.user, one)
		case "command": // an argument of execute
		default:
			brought = append(brought, one)
		}
	}
	var included []string
	for _, one := range brought {
		section, _, name := one.parts()
		switch {
		case section == "includeif" && name == "path":
			return nil, nil, &Unsafe{fmt.Sprintf("the configuration of the repository sets %q, which depends on the branch or the directory, and which programs it names cannot be known before", one.key),
				"Ask the user to move it to their own configuration (git config --global), or to use include.path instead."}
		case section == "include" && name == "path":
			file, err := r.includedFile(one)
			if err != nil {
				return nil, nil, err
			}
			included = append(included, file)
		}
		s.classify(one)
	}
	s.finish(brought)
	if s.unsafe != nil {
		return nil, nil, s.unsafe
	}
	if len(s.off) > maxOverrides {
		return nil, nil, &Unsafe{fmt.Sprintf("the configuration of the repository sets %d keys that run programs", len(s.Off)), "Ask the user to look at .git/config."}
	}
	return s, included, nil
}

// includedFile returns the file of an include.path setting.
func (r *Repository) includedFile(one setting) (string, error) {
	name := filepath.FromSlash(one.value)
	if rest, ok := strings.CutPrefix(one.value, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the file that include.path names: %w", err)
		}
		return filepath.Join(home, filepath.FromSlash(rest)), nil
	}
	if strings.HasPrefix(one.value, "~") || strings.HasPrefix(one.value, "%(") {
		return "", &Unsafe{fmt.Sprintf("the configuration of the repository sets include.path to %q, which is not followed here", one.value), "Ask the user to give the path of the file."}
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	origin := filepath.FromSlash(one.origin)
	if !filepath.IsAbs(origin) {
		origin = filepath.Join(r.top, origin)
	}
	return filepath.Join(filepath.Dir(origin), name), nil
}
