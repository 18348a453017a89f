package config_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/config"
)

// exampleConfig has the settings of a program.
type exampleConfig struct {
	File  string
	Limit int
}

// Defaults, a file and the environment, in ascending precedence. An invalid value is a problem with its place, and the default is used.
func ExampleTable_Load() {
	table := config.NewTable(config.Options{Title: "Settings of notes", Prefix: "NOTES_"},
		config.NewKey("file", func(c *exampleConfig) *string { return &c.File }, "notes.txt", config.Text(1, 4096), "`file` with the notes"),
		config.NewKey("limit", func(c *exampleConfig) *int { return &c.Limit }, 100, config.Whole(1, 1000), "most notes in an answer"),
	)
	file := table.File("config.json", []byte(`{"file": "diary.txt", "limit": 5000}`), nil, config.JSON)
	loaded := table.Load(file, table.Environment([]string{"NOTES_FILE=work.txt"}))
	fmt.Printf("%+v\n", loaded.Config)
	for _, problem := range loaded.Problems() {
		fmt.Println(problem)
	}
	// Output:
	// {File:work.txt Limit:100}
	// config.json:1:32: limit: received 5000: allowed is a whole number from 1 to 1000; the default 100 is used
}
