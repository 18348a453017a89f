package claude_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/claude"
)

// The decoder reads one line after the other.
func ExampleDecoder() {
	d := claude.NewDecoder()
	tell := func(e executor.Event) { fmt.Println(e.Kind, e.Text) }
	d.Decode([]byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}`), tell)
	d.Decode([]byte(`{"type":"result","subtype":"error_max_turns"}`), tell)
	fmt.Println(d.Decode([]byte(`a notice`), tell))
	// Output:
	// said Done.
	// finished the agent reached its limit of turns
	// false
}
