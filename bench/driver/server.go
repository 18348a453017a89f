package driver

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Names of the compared servers.
const (
	Floor = "floor" // the standard library in one loop
	MCPGo = "mcpgo" // github.com/mark3labs/mcp-go
	GoSDK = "gosdk" // github.com/modelcontextprotocol/go-sdk
	Dougu = "dougu" // this library
)

// module is the path of this module.
const module = "github.com/dougu-go/dougu/bench"

// ErrMissing is wrapped by Build if an imported package or module is not available. Compile errors do not wrap it.
var ErrMissing = errors.New("not available")

// Server is a program to measure.
type Server struct {
	Name    string // one of the names above
	Library string // module whose version is reported; may be empty
}

// Servers returns all known servers, in the order of measurement.
func Servers() []Server {
	return []Server{
		{Name: Floor},
		{Name: MCPGo, Library: "github.com/mark3labs/mcp-go"},
		{Name: GoSDK, Library: "github.com/modelcontextprotocol/go-sdk"},
		{Name: Dougu, Library: "github.com/dougu-go/dougu"},
	}
}

// Binary is a built Server.
type Binary struct {
	Server
	Path    string // the executable
	Version string // of the library, from the executable's build information
}

// Build compiles a server into the directory out. The working directory must be in this module. The error wraps ErrMissing and
// names the missing import if one is not available.
func Build(ctx context.Context, s Server, out string) (Binary, error) {
	pkg := module + "/servers/" + s.Name
	if err := imports(ctx, pkg); err != nil {
		return Binary{}, fmt.Errorf("build server %s: %w", s.Name, err)
	}
	path := filepath.Join(out, s.Name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", path, pkg)
	if output, err := build.CombinedOutput(); err != nil {
		return Binary{}, fmt.Errorf("build server %s: %w\n%s", s.Name, err, bytes.TrimSpace(output))
	}
	version, err := libraryVersion(path, s.Library)
	if err != nil {
		return Binary{}, fmt.Errorf("build server %s: %w", s.Name, err)
	}
	return Binary{Server: s, Path: path, Version: version}, nil
}

// imports returns an error with the missing imports of a package.
func imports(ctx context.Context, pkg string) error {
	list := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-f", "{{with .Error}}{{.Err}}{{end}}", pkg)
	var stderr bytes.Buffer
	list.Stderr = &stderr
	output, err := list.Output()
	if err != nil {
		return fmt.Errorf("%w: %w: %s", ErrMissing, err, bytes.TrimSpace(stderr.Bytes()))
	}
	if missing := strings.TrimSpace(string(output)); missing != "" {
		return fmt.Errorf("%w: %s", ErrMissing, missing)
	}
	return nil
}

func libraryVersion(path, library string) (string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the version of %s: %w", library, err)
	}
	if library == "" {
		return info.GoVersion, nil
	}
	for _, dep := range info.Deps {
		if dep.Path != library {
			continue
		}
		if dep.Replace != nil {
			return "this tree", nil
		}
		return dep.Version, nil
	}
	return "", fmt.Errorf("%s does not contain %s", path, library)
}
