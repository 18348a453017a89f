package corpora

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// Module is a module of Go in the module cache.
type Module struct{ Path, Version, Dir string }

// modulePaths returns modules that this module requires, so that go.sum fixes their content: servers and clients, an index, tables
// of Unicode and of systems.
func modulePaths() []string {
	return []string{
		"github.com/blevesearch/bleve/v2", "github.com/coder/websocket", "github.com/go-jose/go-jose/v4",
		"github.com/mark3labs/mcp-go", "github.com/modelcontextprotocol/go-sdk", "github.com/zitadel/oidc/v3",
		"golang.org/x/net", "golang.org/x/sys", "golang.org/x/text", "mvdan.cc/sh/v3",
	}
}

// Modules returns modules of the module cache, about 45 MB in total, sorted by path. The working directory must be in the module of
// the benchmarks. The error of a missing module is a Missing.
func Modules(ctx context.Context) ([]Module, error) {
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-m", "-json=Path,Version,Dir"}, modulePaths()...)...)
	out, err := list.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := list.Start(); err != nil {
		return nil, fmt.Errorf("listing modules: %w", err)
	}
	var all []Module
	for d := json.NewDecoder(out); ; {
		var m Module
		if err = d.Decode(&m); err != nil {
			break
		}
		all = append(all, m)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := errors.Join(err, list.Wait()); err != nil {
		return nil, fmt.Errorf("listing modules: %w", err)
	}
	for _, m := range all {
		if m.Dir == "" {
			return nil, Missing{fmt.Errorf("%s %s is not in the module cache: go mod download", m.Path, m.Version)}
		}
	}
	return all, nil
}
