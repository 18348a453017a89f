package main

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/terminal"
	"github.com/dougu-go/dougu/transport"
)

// serve is the measured server: the terminal tools with their defaults, and an audit log.
func serve(ctx context.Context, dir string) (err error) {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		return err
	}
	defer root.Close()
	set, err := terminal.New(ctx, tools.Env{Root: root, Audit: new(audit.Log)}, terminal.Options{})
	if err != nil {
		return err
	}
	server := mcp.NewServer(mcp.Implementation{Name: "terminal", Version: "1"}, nil)
	installed, err := tools.Install(server, "terminal", tools.Profile{}, set)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, installed.Close(context.WithoutCancel(ctx))) }()
	return transport.ServeStdio(ctx, server, nil)
}

// open starts this program as the server and opens a session.
func open(ctx context.Context, dir string) (*driver.Session, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return driver.OpenSession(exec.CommandContext(ctx, program, "-serve", dir))
}
