package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/transport"
)

// window is a client whose folders change while a program with indexes on disk serves it.
type window struct {
	work
	log *waittest.Log

	mu      sync.Mutex
	folders []string
}

// newWindow starts a program outside of all projects.
func newWindow(t *testing.T, s *study, program string, folders []string, args ...string) *window {
	t.Helper()
	w := &window{work: work{t: t}, log: new(waittest.Log), folders: folders}
	command := transport.Command{Path: program, Args: append([]string{"serve"}, args...), Dir: s.home, Environ: s.environ, Stderr: func(line string) { _, _ = w.log.Write([]byte(line + "\n")) }}
	//lint:ignore SA1019 clients still have roots
	o := &mcp.ClientOptions{Revision: protocol.Rev20251125, Roots: w.roots}
	client, err := mcp.Connect(t.Context(), command, mcp.Implementation{Name: "e2e", Version: "1"}, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, w.log)
	}
	w.client = client
	return w
}

func (w *window) roots(context.Context) ([]mcp.Root, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var roots []mcp.Root
	for _, folder := range w.folders {
		roots = append(roots, mcp.Root{URI: "file://" + filepath.ToSlash(folder)})
	}
	return roots, nil
}

// open changes the folders.
func (w *window) open(folders ...string) {
	w.t.Helper()
	w.mu.Lock()
	w.folders = folders
	w.mu.Unlock()
	//lint:ignore SA1019 clients still have roots
	apptest.Must(w.t, w.client.RootsChanged(w.t.Context()))
}

// find calls a search until it finds a name, and checks that it does once.
func (w *window) find(search func(name string) string, name string) {
	w.t.Helper()
	var text string
	waittest.Until(w.t, "the search finds "+name, func() bool {
		text = search(name)
		return strings.Contains(text, "func "+name)
	})
	// Each hit has a line with its kind or its file; a search shows the whole file as well.
	if n := len(regexp.MustCompile(`(?m)^\S.*\bfunction.* `+name+`\b|^func `+name+`\(.*\.go|^ `+name+` \d`).FindAllString(text, -1)); n != 1 {
		w.t.Errorf("%s is found %d times:\n%s", name, n, text)
	}
}

// lockComplaint matches a line of a log that names a lock.
var lockComplaint = regexp.MustCompile(`(?i)level=error|\block(ed)?\b|another process|being written`)

// TestFolders_Indexes changes the folders of a client while calls run, in programs with an index on disk. The first folder
// often stays, so that the old and the new instance of the program have the same index. No call fails, no symbol is found twice
// or lost, and no lock is reported.
func TestFolders_Indexes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, example string
		args          []string
		analyze       bool // symbols are found after analyze_project
		several       bool // the program has all folders of the client
	}{
		{"chunks", "chunks", nil, true, true},
		{"chunks-sqlite", "chunks", []string{"-store", "sqlite", "-graph"}, true, true},
		{"cqm", "cqm", nil, false, false},
		{"cursorcli", "cursorcli", []string{"-profile", "all"}, true, true},
		{"cursorcli-search", "cursorcli", []string{"-profile", "all"}, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newStudy(t, "", nil)
			dirs := make([]string, 3)
			for i := range dirs {
				dirs[i] = filepath.Join(s.home, "code", fmt.Sprintf("p%d", i))
				files := map[string]string{"go.mod": fmt.Sprintf("module example.com/p%d\n\ngo 1.26\n", i)}
				for n := range 60 {
					files[fmt.Sprintf("d%d/f%d.go", n%6, n)] = fmt.Sprintf("package d\n\n// Symbol%dx%d returns a number.\nfunc Symbol%dx%d() int { return %d }\n", i, n, i, n, n)
				}
				apptest.Write(t, dirs[i], files)
			}
			program := build(t, examples+"/"+tc.example)
			search := func(w *window) func(name string) string {
				return func(name string) string {
					if !tc.analyze {
						return w.call("searchDocuments", map[string]any{"query": name, "mode": "keyword", "limit": 3})
					}
					return w.call("search_symbols", map[string]any{"query": name})
				}
			}
			prepare := func(w *window, dir string) {
				if tc.analyze {
					w.call("analyze_project", map[string]any{"projectPath": dir})
				}
			}
			w := newWindow(t, s, program, dirs[:1], tc.args...)
			prepare(w, dirs[0])
			w.find(search(w), "Symbol0x7")

			var calls sync.WaitGroup
			stop := make(chan struct{})
			for range 2 {
				calls.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
						args, tool := map[string]any{"query": "Symbol0x3"}, "search_symbols"
						if !tc.analyze {
							tool = "searchDocuments"
						}
						if text, err := mcp.Call[string](t.Context(), w.client, tool, args); err != nil {
							t.Errorf("a call during a change: %v\n%s", err, text)
							return
						}
					}
				})
			}
			for round := range 12 {
				others := [][]int{{0, 1}, {0, 2}, {0}, {1, 0}}[round%4]
				var open []string
				for _, i := range others {
					open = append(open, dirs[i])
				}
				w.open(open...)
				if !tc.several {
					others = others[:1]
				}
				added := fmt.Sprintf("Added%d", round)
				apptest.Write(t, dirs[others[0]], map[string]string{"added" + fmt.Sprint(round) + ".go": "package p\n\n// " + added + " is new.\nfunc " + added + "() {}\n"})
				for _, i := range others {
					prepare(w, dirs[i])
					if tc.example == "cqm" {
						w.call("refresh_index", nil)
					}
					w.find(search(w), fmt.Sprintf("Symbol%dx11", i))
				}
				w.find(search(w), added)
			}
			close(stop)
			calls.Wait()
			for i := range 30 { // changes in quick succession, without calls between them
				w.open(dirs[0], dirs[1+i%2])
			}
			w.open(dirs[0])
			w.find(search(w), "Symbol0x12")
			apptest.Must(t, w.client.Close())
			logged := slices.DeleteFunc(strings.Split(w.log.String(), "\n"), func(line string) bool { return !lockComplaint.MatchString(line) })
			if len(logged) > 0 {
				t.Errorf("the log complains:\n%s", strings.Join(logged, "\n"))
			}

			again := newWindow(t, s, program, dirs[:1], tc.args...)
			prepare(again, dirs[0])
			for _, name := range []string{"Symbol0x7", "Added0", "Added9"} {
				again.find(search(again), name)
			}
			apptest.Must(t, again.client.Close())
		})
	}
}
