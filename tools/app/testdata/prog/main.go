// Command prog is a small program with a server, which tests install and examine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
)

func main() { os.Exit(newApp().Main(os.Args[1:])) }

func newApp() *app.App {
	var roots app.List
	var fail, audit string
	var tools int
	var readOnly bool
	return &app.App{
		New: newApp,
		ClientFlags: func(client mcp.Implementation) []string {
			if client.Name == "agent" {
				return []string{"-tools", "2"}
			}
			return nil
		},
		Name: "prog", Version: "1.2.3", Summary: "does nothing",
		Flags: func(flags *flag.FlagSet) {
			roots = nil
			flags.Var(&roots, "root", "`directory` that may be used; the first is the project (default the current directory)")
			flags.StringVar(&audit, "audit", "", "`file` of changes")
			flags.StringVar(&fail, "fail", "", "`text` to fail with")
			flags.IntVar(&tools, "tools", 1, "`number` of tools")
			flags.BoolVar(&readOnly, "read-only", false, "change nothing")
		},
		Tasks: os.Getenv("PROG_HOLD") != "",
		Build: func(_ context.Context, start app.Start) (*app.Program, error) {
			if slow, err := time.ParseDuration(os.Getenv("PROG_SLOW")); err == nil {
				time.Sleep(slow)
			}
			root := "."
			if len(roots) > 0 {
				root = roots[0]
			}
			if start.Command == "serve" {
				if err := os.WriteFile(filepath.Join(root, "settings"), nil, 0o600); err != nil {
					return nil, err
				}
			}
			if fail != "" {
				return nil, errors.New(fail)
			}
			srv := mcp.NewServer(mcp.Implementation{Name: "prog", Version: "1.2.3"}, &mcp.ServerOptions{Tasks: start.Tasks})
			for i := range tools {
				name := fmt.Sprintf("tool_%d", i)
				if err := mcp.AddTool(srv, mcp.Tool{Name: name}, func(context.Context, struct{}) (string, error) { return root, nil }); err != nil {
					return nil, err
				}
			}
			var confined *security.Root
			if os.Getenv("PROG_HOLD") != "" {
				held := mcp.NewTool(mcp.Tool{Name: "hold"}, func(ctx context.Context, args holdArgs) (string, error) {
					return root, hold(ctx, args.File)
				}).With(mcp.ToolOptions{Task: mcp.TaskOptional})
				if err := srv.Replace("hold", mcp.Features{Tools: []mcp.ServerTool{held}}); err != nil {
					return nil, err
				}
				var err error
				if confined, err = security.OpenRoot(security.RootOptions{Dirs: []string{root}}); err != nil {
					return nil, err
				}
			}
			return &app.Program{Server: srv, Root: confined, Close: func(context.Context) error {
				if confined != nil {
					defer confined.Close()
				}
				if start.Command == "serve" && os.Getenv("PROG_HOLD") != "" {
					return os.WriteFile(filepath.Join(root, "closed"), nil, 0o600)
				}
				return nil
			}}, nil
		},
	}
}

type holdArgs struct {
	File string `json:"file"`
}

// hold makes the file FILE.held and waits until FILE exists.
func hold(ctx context.Context, file string) error {
	if err := os.WriteFile(file+".held", nil, 0o600); err != nil {
		return err
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
