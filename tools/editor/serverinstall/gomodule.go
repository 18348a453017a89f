package serverinstall

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
)

// installModule compiles the main package of a Go module. The pinned hash covers the module's go.sum, which has the hashes of its
// dependencies. The go command therefore compiles the module where it has unpacked it, as the main module.
func installModule(ctx context.Context, r Recipe, c *commands, dir string) (servercache.Record, error) {
	program, err := c.lookUp("Go", "go")
	if err != nil {
		return servercache.Record{}, err
	}
	run := func(at string, args ...string) ([]byte, error) {
		return c.run(ctx, command{
			program: program, args: args, dir: at,
			removed: []string{"GOFLAGS", "GOWORK", "GO111MODULE", "GOBIN", "GOOS", "GOARCH", "GOEXPERIMENT", "GONOSUMDB", "GOROOT", "GOTOOLDIR", "CGO_*", "CC", "CXX", "GCCGO", "GOGCCFLAGS"},
			// GONOSUMDB is for this module alone: its hash is pinned here, and go.sum has all others. A toolchain that the module needs is
			// still checked with the database.
			env: []string{
				"GOFLAGS=-mod=readonly -trimpath -buildvcs=false", "GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0",
				"GONOSUMDB=" + r.Package, "GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH,
			},
		})
	}
	// Without a go.mod here, the go command would use one in a directory above.
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module install\n"), 0o600); err != nil {
		return servercache.Record{}, err
	}
	out, failure := run(dir, "mod", "download", "-json", r.Package+"@"+r.Version)
	var module struct{ Dir, Sum, Error string }
	if err := json.Unmarshal(out, &module); err != nil || module.Error != "" || failure != nil {
		if module.Error != "" {
			return servercache.Record{}, explain(fmt.Errorf("go mod download: %s", module.Error))
		}
		return servercache.Record{}, fmt.Errorf("go mod download: %w", orElse(failure, err))
	}
	if module.Sum != r.sum {
		return servercache.Record{}, fmt.Errorf("wrong checksum: the module %s %s has the hash %s instead of %s; it was not compiled. Check GOPROXY, then remove the module with \"go clean -modcache\"",
			r.Package, r.Version, module.Sum, r.sum)
	}
	record := servercache.Record{Version: r.Version, Programs: map[string]string{}}
	for _, name := range r.Programs {
		file := filepath.Join(dir, "bin", programName(name))
		if _, err := run(module.Dir, "build", "-o", file, "."); err != nil {
			return servercache.Record{}, err
		}
		record.Programs[name] = file
	}
	return record, nil
}

// orElse returns the first error.
func orElse(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// programName returns the file name of an executable program.
func programName(program string) string {
	if runtime.GOOS == "windows" {
		return program + ".exe"
	}
	return program
}
