package taskstest_test

import (
	"testing"

	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/mcp/tasks/taskstest"
)

// The store that comes with package tasks is one as the suite wants it.
func TestRun(t *testing.T) { taskstest.Run(t, open) }

// open returns a store twice: nobody else can share what is in memory.
func open(*testing.T) (a, b tasks.Store) {
	m := new(tasks.Memory)
	return m, m
}

// The tests of a store are one line.
func Example() {
	test := func(t *testing.T) { taskstest.Run(t, open) }
	_ = test // go test finds it by its name, TestStore
	// Output:
}
