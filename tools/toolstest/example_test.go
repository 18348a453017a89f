package toolstest_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/toolstest"
)

func ExampleRun() {
	// The test of a package with a tool set:
	test := func(t *testing.T) {
		build := func(t testing.TB, env tools.Env) tools.Set {
			set, err := fs.New(env, fs.Options{}) // or the set to be tested
			if err != nil {
				t.Fatal(err)
			}
			return set
		}
		toolstest.Run(t, build, toolstest.Options{
			Files: map[string]string{"README.md": "# Notes\n"},
			Calls: []toolstest.Call{
				{Tool: "read_file", Args: `{"path":"README.md"}`},
				{Tool: "write_file", Args: `{"path":"new.txt","content":"text\n"}`},
				// and a call of every other tool
			},
		})
	}
	_ = test
	// Output:
}
