package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Repository returns the directory of the measured module.
func Repository(ctx context.Context) (string, error) {
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/dougu-go/dougu").Output()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	return strings.TrimSpace(string(dir)), nil
}

// GoRoot returns the directory of the Go distribution.
func GoRoot(ctx context.Context) (string, error) {
	dir, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("finding the sources of Go: %w", err)
	}
	return strings.TrimSpace(string(dir)), nil
}

// ReferenceServer returns the path of Node.js and the file of the reference server for files. Both are empty if either is not
// installed.
func ReferenceServer(repository string) (node, file string) {
	node, err := exec.LookPath("node")
	if err != nil {
		return "", ""
	}
	file = filepath.Join(repository, "internal", "test", "e2e", "node", "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js")
	if _, err := os.Stat(file); err != nil {
		return "", ""
	}
	return node, file
}

// BuildProgram compiles a program of the module, for example "./examples/chunks", into the directory out, and returns its path.
func BuildProgram(ctx context.Context, module, program, out string) (string, error) {
	path := filepath.Join(out, filepath.Base(program))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", path, program)
	build.Dir = module
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", program, err, bytes.TrimSpace(output))
	}
	return path, nil
}
