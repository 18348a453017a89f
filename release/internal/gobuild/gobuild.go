// Package gobuild builds programs reproducibly: the same source and version of Go produce the same bytes on every machine.
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

// Target is an operating system and a processor, with the names of GOOS and GOARCH.
type Target struct{ OS, Arch string }

// String returns the target as "linux/amd64".
func (t Target) String() string { return t.OS + "/" + t.Arch }

// Exe returns the file name of a program.
func (t Target) Exe(name string) string {
	if t.OS == "windows" {
		return name + ".exe"
	}
	return name
}

// Targets returns all targets of a release.
func Targets() []Target {
	return []Target{
		{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
	}
}

// Parse returns the targets with the given names, or all without names.
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

// Build describes a build.
type Build struct {
	Dir     string // root of the source
	Version string
	Cache   string // build cache; empty is the user's cache
}

// BuildTo builds programs for a target, one file each in the directory dir.
func (b Build) BuildTo(ctx context.Context, dir string, target Target, programs ...string) error {
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

// environment returns the environment without variables that affect the output.
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

// Workspace returns the value of GOWORK for a directory: its own go.work, or "off". A workspace in a directory above is ignored.
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

// ErrDiffers is returned if two builds of the same source differ.
var ErrDiffers = errors.New("the two builds differ")

// Compare returns ErrDiffers if programs differ in two directories.
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
