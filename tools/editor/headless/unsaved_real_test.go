package headless_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
)

// Servers check the unsaved text of a file, also when another file is asked about that uses it.
func TestDiagnose_UnsavedText(t *testing.T) {
	installed(t, "gopls", "go install golang.org/x/tools/gopls@latest")
	p := open(t, "-- go.mod --\nmodule example.org/p\n\ngo 1.24\n-- a.go --\npackage p\n\nfunc F() int { return 1 }\n-- b.go --\npackage p\n\nvar X = F()\n", headless.Options{RequestTimeout: time.Minute})
	errorsOf := func(name string) (all []string) {
		t.Helper()
		got, err := p.Diagnose(t.Context(), []string{p.path(name)})
		if err != nil || !got.Fresh {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		for _, d := range got.Items {
			all = append(all, d.Message)
		}
		return all
	}
	if got := errorsOf("b.go"); len(got) != 0 {
		t.Fatalf("%q", got)
	}
	program := unsavedtest.Attach(t, p.root)
	program.Type("a.go", "package p\n\nfunc G() int { return 1 }\n")
	if got := errorsOf("b.go"); len(got) != 1 || !strings.Contains(got[0], "undefined: F") {
		t.Errorf("after the name was changed in another file, which is not saved: %q", got)
	}
	program.Type("a.go", "package p\n\nfunc F() int { return \"\" }\n")
	if got := errorsOf("b.go"); len(got) != 0 {
		t.Errorf("after the name was changed back: %q", got)
	}
	if got := errorsOf("a.go"); len(got) != 1 {
		t.Errorf("in the unsaved text: %q", got)
	}
	program.Discard("a.go")
	if got := errorsOf("a.go"); len(got) != 0 {
		t.Errorf("after the text was discarded: %q", got)
	}
}
