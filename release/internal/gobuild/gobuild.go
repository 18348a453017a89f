// Package gobuild builds programs so that the same source makes the same bytes,
// wherever and whenever it is built by the same release of Go.
package gobuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Target is a system and a processor, as Go calls them.
type Target struct{ OS, Arch string }

// String is as in "linux/amd64".
func (t Target) String() string { return t.OS + "/" + t.Arch }

// Exe is the file of a program.
func (t Target) Exe(name string) string {
	if t.OS == "windows" {
		return name + ".exe"
	}
	return name
}

// Targets are those that there are releases for.
func Targets() []Target {
	return []Target{
		{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
	}
}

// Parse finds targets by their names; none means all.
func Parse(names ...string) ([]Target, error) {
	if len(names) == 0 {
		return Targets(), nil
	}
	var all []Target
	for _, name := range names {
		i := slices.IndexFunc(Targets(), func(t Target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is none of %v", name, Targets())
		}
		all = append(all, Targets()[i])
	}
	return all, nil
}

// Build is what is to be built.
type Build struct {
	Dir     string // the root of the source
	Version string
	Cache   string // a cache of its own; empty is that of the user
}

// Into builds programs for a target, each as a file of a directory.
func (b Build) Into(ctx context.Context, dir string, target Target, programs ...string) error {
	args := []string{
		"build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-ldflags=-s -w -buildid= -X github.com/dougu-go/dougu/tools/app.release=" + b.Version, "-o", dir + string(filepath.Separator),
	}
	for _, program := range programs {
		args = append(args, "./examples/"+program)
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.Dir, b.environment(target), &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building for %v: %w\n%s", target, err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}

// environment is that of the process without what would change the bytes.
func (b Build) environment(target Target) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "CGO_") || slices.Contains([]string{
			"GOFLAGS", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GODEBUG", "GOWORK", "GOFIPS140", "GOCOVERDIR",
		}, name)
	})
	env = append(env, "GOENV=off", "GOWORK="+Workspace(b.Dir), "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOOS="+target.OS, "GOARCH="+target.Arch, "GOAMD64=v1", "GOARM64=v8.0")
	if b.Cache != "" {
		env = append(env, "GOCACHE="+b.Cache)
	}
	return env
}

// Workspace returns the value of GOWORK for the go command in a directory: its own go.work, or "off". A workspace above it does not
// count.
func Workspace(dir string) string {
	file, err := filepath.Abs(filepath.Join(dir, "go.work"))
	if err == nil {
		_, err = os.Stat(file)
	}
	if err != nil {
		return "off"
	}
	return file
}

// ErrDiffers is a second build that has come out otherwise than the first.
var ErrDiffers = errors.New("the two builds differ")

// Compare says whether programs are the same in two directories.
func Compare(a, b string, target Target, programs ...string) error {
	for _, program := range programs {
		x, err := os.ReadFile(filepath.Join(a, target.Exe(program)))
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, target.Exe(program)))
		if err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			return fmt.Errorf("%s for %v, of %d and %d bytes: %w", program, target, len(x), len(y), ErrDiffers)
		}
	}
	return nil
}
