package toolstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
)

// recorder is a test that keeps its failures.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures strings.Builder
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.failures, format+"\n", args...)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failures returns the failures of a check.
func failures(t *testing.T, check func(testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures.String()
}

// path are the arguments of the tools in these tests.
type path struct {
	Path string `json:"path"`
}

// badSet is a set with one tool, which breaks a rule.
type badSet struct {
	dir    string // of the project
	root   *security.Root
	tool   mcp.ServerTool
	closed int
}

func (s *badSet) Features() mcp.Features { return mcp.Features{Tools: []mcp.ServerTool{s.tool}} }

func (s *badSet) Close(context.Context) error {
	if s.closed++; s.closed > 1 {
		return errors.New("closed twice")
	}
	return nil
}

// invalidPath is the error of a tool that keeps the rules.
func invalidPath() error {
	return &mcp.ToolError{Code: "INVALID_PARAMS", Message: "the path is invalid", Next: "give another path"}
}

// readWithin reads a file through the Root.
func (s *badSet) readWithin(ctx context.Context, in path) (string, error) {
	data, _, err := s.root.ReadFile(ctx, in.Path, 1<<16)
	return string(data), err
}

func TestRun_BrokenRules(t *testing.T) {
	definition := mcp.Tool{Name: "use", Description: "Uses a file.", Annotations: mcp.ReadOnly()}
	changing := definition
	changing.Annotations = mcp.Destructive()
	type level struct {
		Level string `json:"level" jsonschema:"enum=low"`
	}
	release := make(chan struct{})
	defer close(release)
	calls := func(t testing.TB, p *project) { checkCalls(t, p) }
	hostile := func(t testing.TB, p *project) {
		p.sampleEvery = 1
		checkHostile(t, p, p.set.Features().Tools[0])
	}
	for _, c := range []struct { // sets that break one rule each
		name  string
		tool  func(s *badSet) mcp.ServerTool
		check func(testing.TB, *project)
		want  string // part of the failures; "" if there are none
	}{
		{"good set", func(s *badSet) mcp.ServerTool { return mcp.NewTool(definition, s.readWithin) }, func(t testing.TB, p *project) {
			checkDefinitions(t, p)
			checkCalls(t, p)
			checkHostile(t, p, p.set.Features().Tools[0])
			checkCanceled(t, p)
			checkConcurrent(t, p)
			checkConcurrentReads(t, p)
		}, ""},
		{"no description", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(mcp.Tool{Name: "use", Annotations: mcp.ReadOnly()}, s.readWithin)
		}, func(t testing.TB, p *project) { checkDefinitions(t, p) }, "use has no description"},
		{"no annotations", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(mcp.Tool{Name: "use", Description: "Uses a file."}, s.readWithin)
		}, func(t testing.TB, p *project) { checkDefinitions(t, p) }, "use has no annotations"},
		{"other tool", func(s *badSet) mcp.ServerTool { return mcp.NewTool(definition, s.readWithin).Named("others") },
			func(t testing.TB, p *project) { checkDefinitions(t, p) }, "Options.Calls has no call of others\nOptions.Calls has a call of use"},
		{"failing call", func(*badSet) mcp.ServerTool {
			return mcp.NewTool(definition, func(context.Context, path) (string, error) { return "", invalidPath() })
		}, calls, "use({\"path\":\"a.txt\"}) fails: INVALID_PARAMS"},
		{"read-only tool that writes", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(definition, func(context.Context, path) (string, error) {
				return "", os.WriteFile(filepath.Join(s.dir, "b.txt"), nil, 0o600)
			})
		}, calls, "annotated as read-only, and has changed b.txt"},
		{"change without a record", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(changing, func(context.Context, path) (string, error) {
				return "", os.WriteFile(filepath.Join(s.dir, "b.txt"), nil, 0o600)
			})
		}, calls, "the audit log has no record of a change"},
		{"result against its schema", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(definition, func(context.Context, path) (level, error) { return level{"high"}, nil })
		}, calls, "does not match its output schema"},
		{"error without a next step", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(definition, func(context.Context, path) (string, error) { return "", errors.New("no") })
		}, hostile, "has no code or no next step"},
		{"read outside of the root", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(definition, func(_ context.Context, in path) (string, error) {
				data, err := os.ReadFile(filepath.Join(s.dir, in.Path))
				if err != nil {
					return "", invalidPath()
				}
				return string(data), nil
			})
		}, hostile, "has the content of a file outside of the root"},
		{"write outside of the root", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(changing, func(_ context.Context, in path) (string, error) {
				if err := os.WriteFile(filepath.Join(s.dir, in.Path), nil, 0o600); err != nil {
					return "", invalidPath()
				}
				return "written", nil
			})
		}, hostile, "outside of the root, secret.txt was changed by use("},
		{"panic", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(definition, func(_ context.Context, in path) (string, error) {
				return string(in.Path[strings.Index(in.Path, "."):]), nil
			})
		}, hostile, "panic in a tool: runtime error: slice bounds out of range"},
		{"long result", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(definition, func(_ context.Context, in path) (string, error) { return in.Path, nil })
		}, hostile, "bytes, and the limits permit 131072"},
		{"call without an end", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(definition, func(context.Context, path) (string, error) { <-release; return "", nil })
		}, func(t testing.TB, p *project) {
			p.options.Timeout = 50 * time.Millisecond
			checkCalls(t, p)
			checkCanceled(t, p)
		}, "goes on for 50ms\nuse({\"path\":\"a.txt\"}) with an ended context has not returned within 50ms"},
		{"change after the end of the context", func(s *badSet) mcp.ServerTool {
			return mcp.NewTool(changing, func(ctx context.Context, in path) (string, error) {
				_, err := s.root.Write(context.WithoutCancel(ctx), in.Path+".new", []byte("b"), security.WriteOptions{})
				return "written", err
			})
		}, func(t testing.TB, p *project) { checkCanceled(t, p) }, "has changed a.txt.new although its context has ended"},
		{"failure after a cancelled call", func(*badSet) mcp.ServerTool {
			busy := false
			return mcp.NewTool(definition, func(ctx context.Context, _ path) (string, error) {
				if busy {
					return "", invalidPath()
				}
				busy = true
				return "", ctx.Err()
			})
		}, func(t testing.TB, p *project) { checkCanceled(t, p) }, "fails after the same call with an ended context"},
		{"read that fails beside another", func(*badSet) mcp.ServerTool {
			var reading sync.WaitGroup
			reading.Add(concurrency) // all reads have begun before one ends
			var first atomic.Bool
			return mcp.NewTool(definition, func(context.Context, path) (string, error) {
				reading.Done()
				reading.Wait()
				if first.CompareAndSwap(false, true) {
					return "text", nil
				}
				return "", invalidPath()
			})
		}, func(t testing.TB, p *project) { checkConcurrentReads(t, p) }, "fails at the same time as other calls of read-only tools"},
		{"second Close", func(s *badSet) mcp.ServerTool { return mcp.NewTool(definition, s.readWithin) },
			func(t testing.TB, p *project) { checkClose(t, p) }, "a second Close fails: closed twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			build := func(_ testing.TB, env tools.Env) tools.Set {
				s := &badSet{dir: env.Root.Dirs()[0], root: env.Root}
				s.tool = c.tool(s)
				return s
			}
			options := Options{Files: map[string]string{"a.txt": "a"}, Calls: []Call{{"use", `{"path":"a.txt"}`}}}
			got := failures(t, func(t testing.TB) { c.check(t, open(t, build, options)) })
			if !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("the failures lack %q:\n%.2000s", c.want, got)
			}
		})
	}
}

// Calls may depend on earlier ones: each is made with an ended context, and then without it.
func TestCheckCanceled_DependentCalls(t *testing.T) {
	build := func(_ testing.TB, env tools.Env) tools.Set {
		s := &badSet{root: env.Root}
		s.tool = mcp.NewTool(mcp.Tool{Name: "use", Description: "Renames a file.", Annotations: mcp.Destructive()}, func(ctx context.Context, in path) (string, error) {
			text, err := s.readWithin(ctx, in)
			if err == nil {
				_, err = s.root.Write(ctx, in.Path+"+", []byte(text), security.WriteOptions{})
			}
			return text, err
		})
		return s
	}
	options := Options{Files: map[string]string{"a": "text"}, Calls: []Call{{"use", `{"path":"a"}`}, {"use", `{"path":"a+"}`}}}
	p := open(t, build, options)
	checkCanceled(t, p)
	if text, err := os.ReadFile(filepath.Join(p.dir, "a++")); err != nil || string(text) != "text" {
		t.Errorf("the last call made %q, %v", text, err)
	}
}

// With -short every hostile text is used although each text of the call is replaced by few of them.
func TestCheckHostile_Short(t *testing.T) {
	type list struct {
		List []string `json:"list"`
	}
	used := make(map[string]int)
	build := func(_ testing.TB, env tools.Env) tools.Set {
		return &badSet{root: env.Root, tool: mcp.NewTool(mcp.Tool{Name: "use", Description: "Uses texts.", Annotations: mcp.ReadOnly()}, func(_ context.Context, in list) (string, error) {
			for _, text := range in.List {
				used[text]++
			}
			return "", nil
		})}
	}
	args, _ := json.Marshal(list{make([]string, shortSample)})
	p := open(t, build, Options{Calls: []Call{{"use", string(args)}}})
	p.sampleEvery = shortSample
	checkHostile(t, p, p.set.Features().Tools[0])
	for _, text := range p.hostileTexts() {
		if used[text] == 0 {
			t.Errorf("the text %.100q was not used", text)
		}
	}
}

// A set that follows every hostile text to its file reaches files of the test alone.
func TestHostileTexts_FilesOfTheMachine(t *testing.T) {
	p := open(t, func(t testing.TB, env tools.Env) tools.Set {
		return &badSet{root: env.Root, tool: mcp.NewTool(mcp.Tool{Name: "use", Description: "Uses texts."}, func(context.Context, struct{}) (string, error) { return "", nil })}
	}, Options{})
	top := filepath.Dir(p.dir)
	for _, text := range p.hostileTexts() {
		if text == "NUL" {
			continue // the device of Windows without content
		}
		for _, path := range []string{filepath.Join(p.dir, text), filepath.Clean(text)} {
			rel, err := filepath.Rel(top, path)
			if _, failed := os.Lstat(path); filepath.IsAbs(path) && failed == nil && (err != nil || !filepath.IsLocal(rel)) {
				t.Errorf("%.100q leads to %s", text, path)
			}
		}
	}
}
