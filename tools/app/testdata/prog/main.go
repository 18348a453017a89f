// Command prog is a small program with a server, which tests install and examine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
)

func main() {
	var root, fail, audit string
	var tools int
	var readOnly bool
	server := &app.App{
		Name: "prog", Version: "1.2.3", Summary: "does nothing",
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&root, "root", ".", "`directory` that may be used")
			flags.StringVar(&audit, "audit", "", "`file` of changes")
			flags.StringVar(&fail, "fail", "", "`text` to fail with")
			flags.IntVar(&tools, "tools", 1, "`number` of tools")
			flags.BoolVar(&readOnly, "read-only", false, "change nothing")
		},
		Build: func(_ context.Context, start app.Start) (*app.Program, error) {
			if start.Command == "serve" {
				if err := os.WriteFile(filepath.Join(root, "settings"), nil, 0o600); err != nil {
					return nil, err
				}
			}
			if fail != "" {
				return nil, errors.New(fail)
			}
			srv := mcp.NewServer(mcp.Implementation{Name: "prog", Version: "1.2.3"}, nil)
			for i := range tools {
				name := fmt.Sprintf("tool_%d", i)
				if err := mcp.AddTool(srv, mcp.Tool{Name: name}, func(context.Context, struct{}) (string, error) { return root, nil }); err != nil {
					return nil, err
				}
			}
			return &app.Program{Server: srv}, nil
		},
	}
	os.Exit(server.Main(os.Args[1:]))
}
