package app_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/internal/pty"
)

// onTerminal returns the output of run on a terminal with 80 columns. The terminal is standard output.
func onTerminal(t *testing.T, run func(terminal *os.File)) string {
	t.Helper()
	ours, theirs, err := pty.Size{Rows: 24, Columns: 80}.Open()
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	var out bytes.Buffer
	var reading group.Group
	reading.Go(func() { _, _ = io.Copy(&out, ours) }) // Linux reports the end as an error
	run(theirs)
	theirs.Close()
	reading.Wait()
	ours.Close()
	return strings.ReplaceAll(out.String(), "\r\n", "\n")
}

// lineColumns returns the length of the longest line of a text, in characters.
func lineColumns(text string) (longest int) {
	for line := range strings.Lines(text) {
		longest = max(longest, len([]rune(strings.TrimSuffix(line, "\n"))))
	}
	return longest
}

func TestInstall_PathsOnTerminal(t *testing.T) {
	m := newMachine(t)
	a := m.withClients()
	for _, args := range [][]string{{"install"}, {"install", "cursor"}, {"install", "cursor", "-undo"}} {
		out := onTerminal(t, func(terminal *os.File) {
			a.Stdout = terminal
			if code := a.Run(t.Context(), args); code != 0 {
				t.Errorf("%q: exit code %d", args, code)
			}
		})
		apptest.Contains(t, out, "~/.cursor/mcp.json")
		if strings.Contains(out, m.file(".cursor")) {
			t.Errorf("%q prints the home directory:\n%s", args, out)
		}
	}
}

func TestDoctor_LinesOnTerminal(t *testing.T) {
	m := newMachine(t)
	a := m.withClients()
	out := onTerminal(t, func(terminal *os.File) {
		a.Stdout, a.Stderr = terminal, io.Discard
		a.Run(t.Context(), []string{"doctor", "-root", m.project})
	})
	apptest.Contains(t, out, "Cursor: ~/.cursor/mcp.json: no file", "\n  ") // a long check has further lines
}

func TestTools_LinesOnTerminal(t *testing.T) {
	description := strings.Repeat("long words ", 20) + "and the last."
	a := &app.App{
		Name: "prog",
		Build: func(context.Context, app.Start) (*app.Program, error) {
			srv := mcp.NewServer(mcp.Implementation{Name: "prog"}, nil)
			return &app.Program{Server: srv}, mcp.AddTool(srv, mcp.Tool{Name: "talk", Description: description}, func(context.Context, struct{}) (string, error) { return "", nil })
		},
	}
	out := onTerminal(t, func(terminal *os.File) {
		a.Stdout, a.Stderr = terminal, terminal // with a line of progress
		if code := a.Run(t.Context(), []string{"tools"}); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
	apptest.Contains(t, out, "TOOL  BYTES  DESCRIPTION\n", "\n             long words", "and the last\n")
	if columns := lineColumns(out); columns > 80 {
		t.Errorf("a line has %d columns:\n%s", columns, out)
	}
}

func TestCall_UnknownTool(t *testing.T) {
	for name, want := range map[string]string{"talk": `there is no tool "talk"; "prog tools" lists the tools`, "whoamI": `there is no tool "whoamI"; did you mean "whoami"?`} {
		var errs bytes.Buffer
		if code := program(strings.NewReader(""), io.Discard, &errs).Run(t.Context(), []string{"call", name}); code != 1 || !strings.Contains(errs.String(), want) {
			t.Errorf("call %s: exit code %d, want 1 and %q in\n%s", name, code, want, &errs)
		}
	}
}
