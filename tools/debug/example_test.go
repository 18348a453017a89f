package debug_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
)

// A program runs to a line. A custom debugger is a command and a launch template.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "song.toy"), []byte("do\nre\nmi\nfa\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	self, err := os.Executable() // this test is the debugger
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	debugger, err := debug.New(ctx, tools.Env{Root: root}, debug.Options{Adapters: []debug.Adapter{{
		Name: "toy", Extensions: []string{".toy"}, Command: self, Env: []string{daptest.Script{Lines: 4}.Env()},
		Launches: map[string]debug.Launch{debug.ModeProgram: {
			Attributes: map[string]any{"program": "{program}", "args": "{args}", "cwd": "{cwd}", "stopOnEntry": "{stopOnEntry}"},
			As:         []string{"toy", "{program}", "{args...}"},
		}},
	}}})
	if err != nil {
		log.Fatal(err)
	}
	defer debugger.Close(ctx)

	at, err := debugger.Start(ctx, debug.StartArgs{Program: "song.toy", Breakpoints: []debug.Breakpoint{{Path: "song.toy", Line: 2}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(at.State, at.Reason, at.Path, at.Line)
	if at, err = debugger.Step(ctx, debug.StepArgs{Action: debug.ActionOver}); err != nil {
		log.Fatal(err)
	}
	for _, v := range at.Changed {
		fmt.Println(v.Name, "=", v.Value)
	}
	if at, err = debugger.Step(ctx, debug.StepArgs{Action: debug.ActionContinue}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(at.State, at.Reason, *at.ExitCode)
	// Output:
	// stopped breakpoint song.toy 2
	// x = 30
	// ended the program has ended 0
}

// Debuggers that are not known need no code.
func ExampleAdapter() {
	lldb := debug.Adapter{
		Name: "lldb", Command: "lldb-dap", Install: "install lldb with the package manager of the system",
		Launches: map[string]debug.Launch{debug.ModeBinary: {
			Attributes: map[string]any{"program": "{program}", "args": "{args}", "cwd": "{cwd}", "env": "{env}", "stopOnEntry": "{stopOnEntry}"},
			As:         []string{"{program}", "{args...}"},
		}},
	}
	options := debug.Options{Adapters: append(debug.DefaultAdapters(), lldb)}
	for _, a := range options.Adapters {
		fmt.Println(a.Name, a.Command)
	}
	// Output:
	// delve dlv
	// debugpy python3
	// lldb lldb-dap
}
