package command_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Shorten keeps the arguments of tools valid JSON and shortens their long strings.
func ExampleShorten() {
	args := []byte(`{"path":"a.txt","text":"All work and no play makes Jack a dull boy. All work and no play makes Jack a dull boy."}`)
	fmt.Println(string(command.Shorten(args, 100)))
	// Output: {"path":"a.txt","text":"All work and no pla…"}
}
