package headless_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

// testBinary returns the path of the test program. An environment variable makes it a server or a formatter.
func testBinary(t testing.TB) string {
	t.Helper()
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	return program
}

const fakeProject = `
-- a.go --
package a

var x = 1
-- b.go --
package a

var y = x
-- .env --
SECRET=1
-- sub/c.go --
package sub
`

// fake opens a project with a scripted server.
func fake(t testing.TB, script lsptest.Script, o headless.Options) *project {
	t.Helper()
	if o.Servers == nil {
		o.Servers = []headless.Server{{Name: "fake", Languages: []string{"go"}, Command: testBinary(t)}}
	}
	if o.Formatters == nil {
		o.Formatters = []headless.Formatter{}
	}
	o.Env = script.Env()
	return open(t, fakeProject, o)
}

const formatterVariable = "HEADLESS_TEST_FORMATTER"

// fakeFormatter formats its input, or fails as mode says.
func fakeFormatter(mode string) {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(1)
	}
	switch mode {
	case "upper":
		fmt.Print(strings.ToUpper(string(text)))
	case "env":
		fmt.Print("token=" + os.Getenv("DOUGU_TOKEN") + " path=" + os.Getenv("PATH") + "\n")
	case "reach":
		split := slices.Index(os.Args, "--")
		fmt.Println(lsptest.Reach(os.Args[1:split], os.Args[split+1:]))
	case "fail":
		fmt.Print("half of")
		fmt.Fprintln(os.Stderr, "line 1: no")
		os.Exit(1)
	case "hang":
		time.Sleep(time.Hour)
	case "empty":
	case "binary":
		fmt.Print("\xff\xfe")
	case "flood":
		for {
			if _, err := fmt.Println(strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	}
}
