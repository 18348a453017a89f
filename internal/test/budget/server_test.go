package budget

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/chunks"
	"github.com/dougu-go/dougu/tools/app/cqm"
	"github.com/dougu-go/dougu/tools/app/cursorcli"
	"github.com/dougu-go/dougu/tools/app/editor"
	"github.com/dougu-go/dougu/tools/app/gateway"
	"github.com/dougu-go/dougu/tools/app/kuromajutsu"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// server is a program with flags whose definitions are measured.
type server struct {
	program string
	flags   string // separated by spaces
	// languageServer reports that a language server for the project is installed.
	languageServer bool
}

// name is the name of the server in the tables.
func (s server) name() string {
	name := strings.TrimSpace(s.program + " " + s.flags)
	if s.languageServer {
		name += ", language server"
	}
	return name
}

// newApps returns, by name, the functions that make the programs.
func newApps() map[string]func() *app.App {
	return map[string]func() *app.App{
		"chunks":      func() *app.App { return chunks.New(chunks.Options{}) },
		"cqm":         func() *app.App { return cqm.New(cqm.Options{}) },
		"cursorcli":   func() *app.App { return cursorcli.New(cursorcli.Options{}) },
		"editor":      func() *app.App { return editor.New(editor.Options{}) },
		"gateway":     gateway.New,
		"kuromajutsu": func() *app.App { return kuromajutsu.New(kuromajutsu.Options{}) },
	}
}

// servers returns each program with each of its profiles, and with the optional parts that change its list of tools.
func servers(t *testing.T) []server {
	t.Helper()
	var all []server
	for _, part := range []struct {
		program        string
		flags          []string
		noProfileFlag  bool
		languageServer bool // the list depends on language servers
	}{
		{program: "chunks", flags: []string{"-graph", "-read-only"}},
		{program: "cqm", noProfileFlag: true, flags: []string{""}},
		{program: "cursorcli", languageServer: true, flags: []string{"-read-only", "-output-schemas -structured always"}},
		{program: "editor", languageServer: true, flags: []string{"-git -debug", "-read-only"}},
		{program: "gateway", noProfileFlag: true, flags: []string{""}},
		{program: "kuromajutsu", noProfileFlag: true, flags: []string{"", "-apps"}},
	} {
		found := profiles(t, part.program)
		if part.noProfileFlag != (len(found) == 0) {
			t.Fatalf("%s has the profiles %q", part.program, found)
		}
		for _, profile := range found {
			all = append(all, server{program: part.program, flags: "-profile " + profile})
			if part.languageServer {
				all = append(all, server{program: part.program, flags: "-profile " + profile, languageServer: true})
			}
		}
		for _, flags := range part.flags {
			all = append(all, server{program: part.program, flags: flags})
		}
	}
	return all
}

// profiles returns the values of the flag -profile of a program, which completes them in a shell.
func profiles(t *testing.T, program string) []string {
	t.Helper()
	a := newApps()[program]()
	var out bytes.Buffer
	a.Stdin, a.Stdout, a.Stderr = strings.NewReader(""), &out, io.Discard
	if code := a.Run(t.Context(), []string{"__complete", "serve", "-profile", ""}); code != 0 {
		t.Fatalf("completing the profiles of %s: exit code %d", program, code)
	}
	return strings.Fields(out.String())
}

// newProject makes a project with a file of Go, and an environment without variables that configure programs. PATH has no program
// but, with languageServer, a language server for Go.
func newProject(t *testing.T, languageServer bool) (dir string) {
	t.Helper()
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if !slices.Contains([]string{"HOME", "TMPDIR"}, name) && !strings.HasPrefix(name, "XDG_") {
			t.Setenv(name, value) // restores it
			apptest.Must(t, os.Unsetenv(name))
		}
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	apptest.Must(t, err)
	apptest.Write(t, top, map[string]string{
		"project/go.mod": "module example\n\ngo 1.26\n", "project/main.go": "package main\n\nfunc main() {}\n",
		"project/mcp.json": `{"mcpServers":{}}`, "bin/readme": "programs",
	})
	if languageServer {
		apptest.Must(t, os.WriteFile(filepath.Join(top, "bin", "gopls"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	}
	t.Setenv("PATH", filepath.Join(top, "bin"))
	return filepath.Join(top, "project")
}

// measure starts the server and returns the sizes of its tools/list and its instructions, as a client of revision 2025-11-25 receives
// them.
func (s server) measure(t *testing.T) size {
	t.Helper()
	dir := newProject(t, s.languageServer)
	args := append(strings.Fields(s.flags), "-log-level", "error")
	switch s.program {
	case "gateway":
		args = append(args, "-config", filepath.Join(dir, "mcp.json"))
	case "kuromajutsu":
		args = append(args, "-root", dir, "-dashboard-port", "0")
	default:
		args = append(args, "-root", dir)
	}
	var initialized struct{ Instructions string }
	list := talk(t, newApps()[s.program](), args, &initialized)
	var listed struct {
		Tools      []json.RawMessage
		NextCursor string
	}
	apptest.Must(t, json.Unmarshal(list, &listed))
	if listed.NextCursor != "" || strings.Contains(string(list)+initialized.Instructions, dir) {
		t.Errorf("%s: the list has several pages or names the directory of the project", s.name())
	}
	measured := size{list: len(list), instructions: len(initialized.Instructions), tools: make(map[string]int)}
	for _, definition := range listed.Tools {
		var tool struct{ Name string }
		apptest.Must(t, json.Unmarshal(definition, &tool))
		measured.tools[tool.Name] = len(definition)
	}
	return measured
}

// talk runs a program for one session. It decodes the result of initialize and returns the result of tools/list.
func talk(t *testing.T, a *app.App, args []string, initialized any) (list json.RawMessage) {
	t.Helper()
	in, input := io.Pipe()
	output, out := io.Pipe()
	var errs apptest.Output
	a.Stdin, a.Stdout, a.Stderr = in, out, &errs
	var work group.Group
	code := 0
	work.Go(func() {
		code = a.Run(t.Context(), args)
		out.Close()
	})
	answers := bufio.NewReader(output)
	ask := func(id int, method, params string) (json.RawMessage, error) {
		if _, err := fmt.Fprintf(input, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
			return nil, fmt.Errorf("sending %s: %w", method, err)
		}
		for {
			line, err := answers.ReadBytes('\n')
			if err != nil {
				return nil, fmt.Errorf("reading the answer to %s: %w", method, err)
			}
			var message struct {
				ID     int
				Result json.RawMessage
			}
			if err := json.Unmarshal(line, &message); err != nil {
				return nil, fmt.Errorf("reading the answer to %s: %w", method, err)
			}
			if message.ID == id && message.Result != nil {
				return message.Result, nil
			}
		}
	}
	result, err := ask(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"budget","version":"1"}}`)
	if err == nil {
		err = json.Unmarshal(result, initialized)
	}
	if err == nil {
		_, err = fmt.Fprintln(input, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	if err == nil {
		list, err = ask(2, "tools/list", `{}`)
	}
	input.Close()
	work.Go(func() { _, _ = io.Copy(io.Discard, output) })
	work.Wait()
	if err = errors.Join(err, in.Close()); err != nil || code != 0 {
		t.Fatalf("%s %q: exit code %d, %v\n%s", a.Name, args, code, err, errs.String())
	}
	return list
}
