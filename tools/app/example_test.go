package app_test

import (
	"context"
	"fmt"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
)

// A program with one tool. Its main function is os.Exit(program.Main(os.Args[1:])).
func ExampleApp() {
	type greetArgs struct {
		Name string `json:"name" jsonschema:"minLength=1,description=Who to greet"`
	}
	greet := func(_ context.Context, in greetArgs) (string, error) { return "Hello, " + in.Name, nil }
	program := &app.App{
		Name: "hello", Version: "1.0.0", Summary: "greetings",
		Build: func(_ context.Context, start app.Start) (*app.Program, error) {
			server := start.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
			err := mcp.AddTool(server.Server, mcp.Tool{Name: "greet", Description: "Greets a person."}, greet)
			return &app.Program{Server: server.Server}, err
		},
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
	program.Run(context.Background(), []string{"call", "greet", "name=Ada"})
	// Output: Hello, Ada
}

func ExampleSettings() {
	type settings struct{ Greeting string }
	s := &app.Settings[settings]{
		Program: "hello", UserFile: "hello/config.json", ProjectFile: ".hello.json",
		Environ: func() []string { return []string{"HELLO_GREETING=Good morning"} },
		Table: config.NewTable(config.Options{Prefix: "HELLO_"},
			config.NewKey("greeting", func(s *settings) *string { return &s.Greeting }, "Hello", config.Text(1, 100), "`words` before the name"),
		),
	}
	if _, err := s.Load(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(s.Config().Greeting)
	// Output: Good morning
}
