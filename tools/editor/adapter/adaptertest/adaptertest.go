package adaptertest

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Harness describes an adapter to Run. New is required. A test whose fields are missing is skipped.
type Harness struct {
	// New returns an adapter whose editor is running and has the project in dir open. The test closes the adapter.
	New func(t *testing.T, dir string) adapter.Adapter
	// NotRunning returns an adapter whose editor is not running.
	NotRunning func(t *testing.T, dir string) adapter.Adapter
	// Open opens a file in the editor, for the tests of Buffers. Default: the method Open of Windows.
	Open func(t *testing.T, a adapter.Adapter, path string)

	// Files are files of the project by their paths, which are relative and have slashes. The test writes them, and
	// files of its own whose names begin with "adaptertest".
	Files map[string]string
	// Code is the path of the file in Files with which the language features are tested.
	Code string
	// Symbol is a name that Code declares at its first occurrence and uses later. Navigator needs it.
	Symbol string
	// Diagnostic is a part of the message of a diagnostic of Code. Diagnoser needs it; with Fixer the diagnostic must have
	// a fix.
	Diagnostic string
	// Formatted is the text of Code after it was formatted. Formatter needs it.
	Formatted string

	// Timeout is the time after which a call counts as blocked. Default: one minute.
	Timeout time.Duration
}

// defaultTimeout is the default of Harness.Timeout.
const defaultTimeout = time.Minute

// session is an adapter with its project.
type session struct {
	Harness
	adapter adapter.Adapter
	dir     string
}

// Run tests an adapter. Each implemented interface is a subtest.
func Run(t *testing.T, h Harness) {
	t.Helper()
	if h.New == nil {
		t.Fatal("adaptertest: a Harness needs New")
	}
	if h.Timeout <= 0 {
		h.Timeout = defaultTimeout
	}
	t.Run("NotRunning", h.testNotRunning)
	t.Run("Closed", h.testClosed)
	s := h.open(t)
	t.Run("Adapter", func(t *testing.T) { testAdapter(t, s) })
	t.Run("Concurrent", func(t *testing.T) { testConcurrent(t, s) })
	t.Run("EndedContext", func(t *testing.T) { testEndedContext(t, s) })
	missing := testInterfaces(t, s)
	if len(missing) > 0 {
		t.Logf("the adapter does not implement %s", strings.Join(missing, ", "))
	}
}

// testInterfaces tests the further interfaces and returns the names of those that the adapter does not implement. Tests of
// documents get an adapter of their own.
func testInterfaces(t *testing.T, s *session) (missing []string) {
	t.Helper()
	a, h := s.adapter, s.Harness
	for _, test := range []struct {
		name  string
		has   bool
		run   func(*testing.T, *session)
		needs string // the field of the Harness that the test needs besides Code; empty is none
		value string // the value of that field
	}{
		{"Buffers", implements[adapter.Buffers](a), testBuffers, "", ""},
		{"Windows", implements[adapter.Windows](a), testWindows, "", ""},
		{"Diagnoser", implements[adapter.Diagnoser](a), testDiagnoser, "Diagnostic", h.Diagnostic},
		{"Fixer", implements[adapter.Fixer](a), testFixer, "Diagnostic", h.Diagnostic},
		{"Navigator", implements[adapter.Navigator](a), testNavigator, "Symbol", h.Symbol},
		{"Formatter", implements[adapter.Formatter](a), testFormatter, "Formatted", h.Formatted},
		{"Refactorer", implements[adapter.Refactorer](a), testRefactorer, "Code", h.Code},
		{"Coverage", implements[adapter.Coverage](a), testCoverage, "", ""},
		{"Explainer", implements[adapter.Explainer](a), testExplainer, "", ""},
		{"Indexer", implements[adapter.Indexer](a), testIndexer, "", ""},
		{"Listener", implements[adapter.Listener](a), testListener, "", ""},
	} {
		if !test.has {
			missing = append(missing, test.name)
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			if test.needs != "" && (test.value == "" || h.Code == "") {
				t.Skipf("Harness.%s or Harness.Code is empty", test.needs)
			}
			if test.name == "Buffers" || test.name == "Windows" {
				test.run(t, h.open(t))
				return
			}
			test.run(t, s)
		})
	}
	return missing
}

// implements reports whether an adapter implements a further interface.
func implements[T any](a adapter.Adapter) bool {
	_, ok := a.(T)
	return ok
}

// Texts of the files that the test adds to the project.
const (
	plainFile  = "adaptertest.txt"
	plainText  = "first line\n漢字 😀 end\n\tlast\n"
	crlfFile   = "adaptertest-crlf.txt"
	crlfText   = "one\r\ntwo 😀 2\r\nthree\r\n"
	closedFile = "adaptertest-closed.txt"
)

// project writes the files of the project and returns its directory with all links resolved.
func (h Harness) project(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "at") // the path of a socket in it must be short
	if err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{plainFile: plainText, crlfFile: crlfText, closedFile: "closed\n"}
	maps.Copy(files, h.Files)
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// open returns a new adapter in a new project. It is closed at the end of the test.
func (h Harness) open(t *testing.T) *session {
	t.Helper()
	dir := h.project(t)
	s := &session{Harness: h, dir: dir, adapter: h.New(t, dir)}
	t.Cleanup(func() { s.close(t) })
	return s
}

// close closes the adapter.
func (s *session) close(t *testing.T) {
	s.within(t, "Close", func() {
		if err := s.adapter.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("Close returned %v", err)
		}
	})
}

// path returns the absolute path of a file of the project.
func (s *session) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// read returns the text of a file on the disk.
func (s *session) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// document returns the document of Code as it is on the disk, or of the plain file without Code.
func (s *session) document(t *testing.T) adapter.Document {
	t.Helper()
	name := s.Code
	if name == "" {
		name = plainFile
	}
	return adapter.Document{Path: s.path(name), Text: s.read(t, name)}
}

// context returns the context of a call, which ends before Timeout.
func (s *session) context(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), s.Timeout*9/10)
	t.Cleanup(cancel)
	return ctx
}

// within calls f and reports whether f has ended before the timeout; see waittest.Within.
func (h Harness) within(t *testing.T, what string, f func()) bool {
	t.Helper()
	return waittest.Within(t, h.Timeout, what, f)
}
