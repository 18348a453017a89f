//go:build unix

package app_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/internal/pty"
)

// callOnTerminal runs the command call of a program with the tool remove, which is in
// AskBefore, and the tool wipe, which calls mcp.Confirm. typed is the input of the user; if
// it is empty, standard input is not a terminal.
func callOnTerminal(t *testing.T, typed string, args ...string) (ran bool, stderr string) {
	t.Helper()
	var errs strings.Builder
	server := &app.App{
		Name: "prog", Version: "1", AskBefore: []string{"remove"},
		Build: func(context.Context, app.Start) (*app.Program, error) {
			srv := mcp.NewServer(mcp.Implementation{Name: "prog", Version: "1"}, &mcp.ServerOptions{Log: slog.New(slog.DiscardHandler)})
			for name, ask := range map[string]bool{"remove": false, "wipe": true} {
				err := mcp.AddTool(srv, mcp.Tool{Name: name}, func(ctx context.Context, _ struct {
					Path string `json:"path,omitempty"`
				}) (mcp.None, error) {
					if ask {
						if err := mcp.Confirm(ctx, "wipe", "Wipe it?"); err != nil {
							return mcp.None{}, err
						}
					}
					ran = true
					return mcp.None{}, nil
				})
				if err != nil {
					return nil, err
				}
			}
			return &app.Program{Server: srv}, nil
		},
		Stdin: strings.NewReader(""), Stdout: &errs, Stderr: &errs,
	}
	if typed != "" {
		user, terminal, err := pty.Size{Rows: 24, Columns: 80}.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer user.Close()
		defer terminal.Close()
		if _, err := user.WriteString(typed); err != nil {
			t.Fatal(err)
		}
		server.Stdin = terminal
	}
	server.Run(t.Context(), append([]string{"call"}, args...))
	return ran, errs.String()
}

func TestCall_AsksOnTerminal(t *testing.T) {
	for _, tt := range []struct {
		typed string
		args  []string
		ran   bool
		says  string
	}{
		{"y\n", []string{"remove", "path=a"}, true, "Run remove path=a? [y/N]"},
		{"n\n", []string{"remove", "path=a"}, false, "remove was not run: you did not agree"},
		{"\n", []string{"remove"}, false, "you did not agree"},
		{"n\n", []string{"-yes", "remove"}, true, ""},
		{"", []string{"remove"}, true, ""}, // a script
		{"yes\n", []string{"wipe"}, true, "Wipe it? [y/N]"},
		{"no\n", []string{"wipe"}, false, "the user did not agree"},
		{"", []string{"wipe"}, false, ""}, // without a terminal
		{"", []string{"-yes", "wipe"}, true, ""},
		{"n\n", []string{"remove", "path=\x1b[2J"}, false, `Run remove path=\u001b[2J?`},
	} {
		ran, says := callOnTerminal(t, tt.typed, tt.args...)
		if ran != tt.ran || !strings.Contains(says, tt.says) || tt.says == "" && strings.Contains(says, "[y/N]") {
			t.Errorf("%q %q: ran is %v, and it says %q", tt.typed, tt.args, ran, says)
		}
	}
}
