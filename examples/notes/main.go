// Command notes is a server with one tool that writes notes to a file, one setting, and all commands of package tools/app.
package main

import (
	"context"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
)

type Config struct{ File string }

type NoteArgs struct {
	Text string `json:"text" jsonschema:"minLength=1,description=The note"`
}

func newApp() *app.App {
	settings := &app.Settings[Config]{Program: "notes", UserFile: "notes/config.json", ProjectFile: "notes.json", Table: config.NewTable(
		config.Options{Title: "Settings of notes", Prefix: "NOTES_", Mask: app.MaskSecrets},
		config.NewKey("file", func(c *Config) *string { return &c.File }, "notes.txt", config.Text(1, 4096), "`file` with the notes"),
	)}
	add := func(_ context.Context, in NoteArgs) (string, error) {
		f, err := os.OpenFile(settings.Config().File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return "", err
		}
		defer f.Close()
		_, err = f.WriteString(in.Text + "\n")
		return "Noted.", err
	}
	build := func(_ context.Context, start app.Start) (*app.Program, error) {
		server := start.NewServer(mcp.Implementation{Name: "notes", Version: app.Version()}, nil)
		err := mcp.AddTool(server.Server, mcp.Tool{Name: "add_note", Description: "Adds a note."}, add)
		return &app.Program{Server: server.Server}, err
	}
	return &app.App{Name: "notes", Version: app.Version(), Summary: "notes in a file", NeedsToken: true, Settings: settings, Build: build}
}

func main() { os.Exit(newApp().Main(os.Args[1:])) }
