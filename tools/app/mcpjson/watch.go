package mcpjson

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/tools/config"
)

// Registry keeps the upstreams of a gateway equal to a file of servers. Call Load first,
// then Watch; they must not run at the same time.
type Registry struct {
	// Path is the name of the file.
	Path string
	// Variables are the values of variables in the file.
	Variables Variables
	// Connector makes the upstreams.
	Connector Connector
	// Extra are upstreams that always exist, before the upstreams of the file.
	Extra []gateway.Upstream
	// Approved decides whether a server is used, see ParseApproved. Set it for a file of a
	// project: the file must then be a regular file without links. Default: every server is
	// used.
	Approved func(name, definition string) bool
	// Adjust may change the upstreams of the file. Its error refuses the file. Default:
	// nothing.
	Adjust func(upstreams []gateway.Upstream) error
	// Log receives problems of the file and a message for each reload. Default:
	// slog.Default().
	Log *slog.Logger

	data []byte
	err  error
}

// Load reads the file and returns the upstreams, for gateway.New or gateway.Gateway.Set.
func (r *Registry) Load() ([]gateway.Upstream, error) {
	r.data, r.err = r.read()
	return r.upstreams(r.data, r.err)
}

// Servers reads the file and returns the enabled and approved servers.
func (r *Registry) Servers() ([]Server, error) {
	data, err := r.read()
	f := new(File)
	if err == nil {
		f, err = ParseApproved(data, r.Variables, r.Approved)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Path, err)
	}
	return f.Servers, nil
}

func (r *Registry) read() ([]byte, error) {
	if r.Approved != nil { // it is a project's
		return config.ReadProjectFile(r.Path)
	}
	return config.ReadFile(r.Path)
}

// upstreams returns the upstreams for a result of read, and logs warnings.
func (r *Registry) upstreams(data []byte, err error) ([]gateway.Upstream, error) {
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = errors.New(`there is no such file; write one such as {"mcpServers": {"files": {"command": "files-mcp"}}}`)
		}
		return nil, fmt.Errorf("%s: %w", r.Path, err)
	}
	f, err := ParseApproved(data, r.Variables, r.Approved)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Path, err)
	}
	for _, warning := range f.Warnings {
		r.log().Warn("something in the list of servers is ignored", "file", r.Path, "what", warning)
	}
	for _, asked := range f.Asked {
		if !asked.Approved {
			r.log().Warn("a server of the project needs approval and is not used", "file", r.Path, "server", asked.Name)
		}
	}
	upstreams := r.Connector.Upstreams(f)
	if r.Adjust != nil {
		if err := r.Adjust(upstreams); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Path, err)
		}
	}
	return append(append([]gateway.Upstream(nil), r.Extra...), upstreams...), nil
}

func (r *Registry) log() *slog.Logger {
	if r.Log == nil {
		return slog.Default()
	}
	return r.Log
}

// Watch updates the gateway's upstreams whenever the file changes, until ctx ends. A wrong
// file changes nothing and is logged. Call Load before.
func (r *Registry) Watch(ctx context.Context, g *gateway.Gateway) {
	path, err := filepath.Abs(r.Path)
	if err != nil {
		path = r.Path
	}
	w := config.Watcher{
		Path: path, Read: r.read, Log: r.log(),
		Changed: func(data []byte, err error) {
			upstreams, err := r.upstreams(data, err)
			if err == nil {
				err = g.Set(upstreams...)
			}
			if err != nil {
				r.log().Error("the list of servers is wrong; the old one stays", "reason", err)
				return
			}
			r.log().Info("the list of servers was read again", "file", r.Path, "servers", len(upstreams))
		},
	}
	w.Run(ctx, r.data, r.err)
}
