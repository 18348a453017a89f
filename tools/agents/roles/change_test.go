package roles_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

const house = `# our settings
dashboard:
  port: 9696 # くろくろ

roles: # who works here
  # writes
  - id: writer     # never rename
    name: 'Writer'
    model: old     # cheap
    systemPrompt: |   # be kind
      Write.

      Write more.

    tools: [] # none

  # reads
  - id: reader
    model: "m"
    readOnly: true
    extra: kept

# the end
log: {level: info}
`

func TestSet_KeepsRestOfFile(t *testing.T) {
	path := writeSettings(t, house)
	b := openDocument(t, path)
	old := role(t, b, "writer")
	r := old
	r.Name, r.Model, r.SystemPrompt, r.Tools, r.Timeout = "作家", "gpt-5.5", "One line.", []string{"Shell(git)", "Write(**)"}, time.Minute
	r.Isolation, r.ReadOnly = record.Worktree, true
	if err := b.Set(t.Context(), r, old); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		"'Writer'", "'作家'", "old     # cheap", "gpt-5.5     # cheap", "      Write.\n\n      Write more.\n", "      One line.\n",
		"tools: [] # none", "tools: [Shell(git), Write(**)] # none\n    readOnly: true\n    isolation: worktree\n    timeout_ms: 60000",
	).Replace(house)
	if got := textOf(t, path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := role(t, b, "writer"); !got.Equal(r) {
		t.Errorf("the book has %+v", got)
	}
	if got := role(t, openDocument(t, path), "writer"); !got.Equal(r) {
		t.Errorf("the file has %+v", got)
	}
	if got := textOf(t, path+".bak"); got != house {
		t.Errorf("the backup is\n%s", got)
	}
	for _, name := range []string{path, path + ".bak"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	// The reverse change removes the members that are empty again.
	if err := b.Set(t.Context(), old, r); err != nil {
		t.Fatal(err)
	}
	want = strings.Replace(house, "tools: [] # none", "tools: [] # none\n    readOnly: false", 1)
	if got := textOf(t, path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSet_Conflict(t *testing.T) {
	path := writeSettings(t, house)
	b := openDocument(t, path)
	writer, reader := role(t, b, "writer"), role(t, b, "reader")
	byHand := strings.Replace(house, `model: "m"`, `model: "n" # by hand`, 1)
	if err := os.WriteFile(path, []byte(byHand), 0o640); err != nil {
		t.Fatal(err)
	}
	// A change of another role is kept.
	changed := writer
	changed.Model = "new"
	if err := b.Set(t.Context(), changed, writer); err != nil {
		t.Fatal(err)
	}
	if got, want := textOf(t, path), strings.Replace(byHand, "model: old ", "model: new ", 1); got != want {
		t.Errorf("got\n%s", got)
	}
	// A change of the same role is a conflict.
	mine := reader
	mine.Model = "mine"
	if err := b.Set(t.Context(), mine, reader); !errors.Is(err, roles.ErrConflict) {
		t.Errorf("got %v", err)
	}
	if err := b.Set(t.Context(), mine, role(t, b, "reader")); err != nil {
		t.Error(err)
	}
	// An equal role is no conflict; an empty old role disables the check.
	if err := b.Set(t.Context(), mine, reader); err != nil {
		t.Error(err)
	}
	mine.Model = "other"
	if err := b.Set(t.Context(), mine, roles.Role{}); err != nil {
		t.Error(err)
	}
}

func TestBook_CreateRemove(t *testing.T) {
	path := writeSettings(t, house)
	b := openDocument(t, path)
	r := roles.Role{ID: "new-1", Model: "m", SystemPrompt: "一\n二", ReadOnly: true}
	if err := b.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(house, "    extra: kept\n", `    extra: kept

  - id: new-1
    name: new-1
    model: m
    systemPrompt: |
      一
      二
    healthCheckPrompt: "Hello, respond with exactly: OK"
    tools: []
    readOnly: true
`, 1)
	if got := textOf(t, path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := b.Create(t.Context(), r); !errors.Is(err, roles.ErrExists) {
		t.Errorf("got %v", err)
	}
	if err := b.Remove(t.Context(), "new-1"); err != nil {
		t.Fatal(err)
	}
	if got := textOf(t, path); got != house {
		t.Errorf("got\n%s\nwant\n%s", got, house)
	}
	for _, id := range []string{"reader", "writer"} {
		if err := b.Remove(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if got := textOf(t, path); !strings.Contains(got, "roles: [] # who works here\n") || len(b.Roles()) != 0 {
		t.Errorf("got\n%s", got)
	}
	if err := b.Remove(t.Context(), "writer"); !errors.Is(err, roles.ErrUnknown) {
		t.Errorf("got %v", err)
	}
	if err := b.Create(t.Context(), r); err != nil || len(b.Roles()) != 1 {
		t.Errorf("got %v\n%s", err, textOf(t, path))
	}
}

// The first change creates the file with the template.
func TestBook_CreatesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kuromajutsu.config.yaml")
	b := openDocument(t, path)
	old := role(t, b, "impl-code")
	r := old
	r.Model = "auto"
	if err := b.Set(t.Context(), r, old); err != nil {
		t.Fatal(err)
	}
	if got, want := textOf(t, path), strings.Replace(string(roles.Template()), "claude-4-sonnet", "auto", 1); got != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := os.Stat(path + ".bak"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a backup of nothing: %v", err)
	}
	// A file without roles receives the built-in ones.
	path = writeSettings(t, "log:\n  level: info # c\n")
	if err := openDocument(t, path).Remove(t.Context(), "code-review"); err != nil {
		t.Fatal(err)
	}
	if got := textOf(t, path); !strings.HasPrefix(got, "log:\n  level: info # c\nroles:\n  - id: impl-code\n    name: コード実装者\n") || len(openDocument(t, path).Roles()) != 3 {
		t.Errorf("got\n%s", got)
	}
}

func TestSet_FileFormats(t *testing.T) {
	for name, text := range map[string]string{
		"CRLF":                 strings.ReplaceAll(house, "\n", "\r\n"),
		"a byte-order mark":    "\uFEFF" + house,
		"no line end":          "roles:\n  - id: writer\n    model: old\n    systemPrompt: |\n      x",
		"no line end and CRLF": "roles:\r\n  - id: writer\r\n    model: old\r\n    systemPrompt: |\r\n      x",
		"merge keys":           "common: &c {model: old, systemPrompt: x}\nroles:\n  - <<: *c # common\n    id: writer\n",
		"brackets":             "roles: [{id: writer, model: old, systemPrompt: x}]",
	} {
		t.Run(name, func(t *testing.T) {
			path := writeSettings(t, text)
			b := openDocument(t, path)
			r := role(t, b, "writer")
			r.SystemPrompt = "a\nb"
			if err := b.Set(t.Context(), r, role(t, b, "writer")); err != nil {
				t.Fatal(err)
			}
			if err := b.Create(t.Context(), roles.Role{ID: "x", Model: "m"}); err != nil {
				t.Fatal(err)
			}
			got := textOf(t, path)
			if strings.Contains(text, "\r\n") != strings.Contains(got, "\r\n") || strings.Contains(strings.ReplaceAll(got, "\r\n", ""), "\n") == strings.Contains(text, "\r\n") {
				t.Errorf("line ends are mixed: %q", got)
			}
			if strings.HasPrefix(got, "\uFEFF") != strings.HasPrefix(text, "\uFEFF") || !role(t, openDocument(t, path), "writer").Equal(r) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestSet_Invalid(t *testing.T) {
	path := writeSettings(t, house)
	b := openDocument(t, path)
	for name, r := range map[string]roles.Role{
		"an id":              {ID: "a/b", Model: "m"},
		"no id":              {Model: "m"},
		"no model":           {ID: "a"},
		"a model":            {ID: "a", Model: "-x"},
		"an isolation":       {ID: "a", Model: "m", Isolation: "docker"},
		"a time":             {ID: "a", Model: "m", Timeout: -time.Second},
		"a long time":        {ID: "a", Model: "m", Timeout: 48 * time.Hour},
		"a prompt":           {ID: "a", Model: "m", SystemPrompt: strings.Repeat("x", 70_000)},
		"control characters": {ID: "a", Model: "m", SystemPrompt: "\x00"},
		"not UTF-8":          {ID: "a", Model: "m", SystemPrompt: "\xff"},
		"a tool":             {ID: "a", Model: "m", Tools: []string{""}},
		"an executor":        {ID: "a", Model: "m", Executor: "../x"},
	} {
		if err := b.Create(t.Context(), r); !errors.Is(err, roles.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := b.Set(t.Context(), roles.Role{ID: "none", Model: "m"}, roles.Role{}); !errors.Is(err, roles.ErrUnknown) || !strings.Contains(err.Error(), "writer, reader") {
		t.Errorf("got %v", err)
	}
	if textOf(t, path) != house {
		t.Error("the file has changed")
	}
	spoiled := writeSettings(t, "roles:\n  - id: [\n")
	if err := openDocument(t, spoiled).Create(t.Context(), roles.Role{ID: "a", Model: "m"}); err == nil || !strings.Contains(err.Error(), "correct the file") {
		t.Errorf("got %v", err)
	}
}

func TestSet_Link(t *testing.T) {
	path := writeSettings(t, house)
	link := filepath.Join(t.TempDir(), "link.yaml")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if err := openDocument(t, link).Remove(t.Context(), "reader"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || strings.Contains(textOf(t, path), "reader") {
		t.Errorf("%v, %v", info, err)
	}
}

// TestOpenProject_OutsideLink replaces the file by links while it is in use.
func TestOpenProject_OutsideLink(t *testing.T) {
	path, outside := writeSettings(t, house), writeSettings(t, strings.ReplaceAll(house, "reader", "stranger"))
	before := textOf(t, outside)
	b, err := roles.OpenProject(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, path); err != nil {
		t.Skip(err)
	}
	if err := b.Remove(t.Context(), "reader"); err == nil {
		t.Error("a role was removed through the link")
	}
	if _, ok := b.Role("stranger"); ok || textOf(t, outside) != before {
		t.Errorf("the file outside is used, and holds\n%s", textOf(t, outside))
	}
	if b, err = roles.OpenProject(path); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.Role("stranger"); ok || len(b.Problems()) == 0 {
		t.Errorf("opened through the link, the problems are %v", b.Problems())
	}
}

// Concurrent changes of different roles, through one Book or several, are all kept.
func TestSet_Concurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.yaml")
	books := []*roles.Book{openDocument(t, path), openDocument(t, path), openDocument(t, path)}
	var all sync.WaitGroup
	for _, r := range books[0].Roles() {
		for i := range 10 {
			b := books[i%len(books)]
			all.Go(func() {
				mine := roles.Role{ID: fmt.Sprintf("%s-%d", r.ID, i), Model: "m"}
				if err := b.Create(t.Context(), mine); err != nil {
					t.Error(err)
				}
				changed := mine
				changed.Model = "n"
				if err := b.Set(t.Context(), changed, mine); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if n := len(openDocument(t, path).Roles()); n != 44 || strings.Count(textOf(t, path), "model: n\n") != 40 {
		t.Errorf("%d roles", n)
	}
}

var comment = regexp.MustCompile(`#[^\n]*`)

// Any valid role can be written and read back, and the rest of the file stays unchanged.
func TestSet_RandomRoles(t *testing.T) {
	words := rapid.SampledFrom([]string{"", "x", "a: b", "# c", "- x", "true", "007", "'", "\"", "日本語", "a\nb", "\n\na", " a\n  b", "a\n\n", "*x", "{", "|", "a # b", "\t", "\u2028", "\uFEFF", "a\r\nb"})
	path := writeSettings(t, house)
	b := openDocument(t, path)
	kept := comment.FindAllString(house, -1)
	rapid.Check(t, func(rt *rapid.T) {
		old := role(t, b, "writer")
		r := old
		r.Name = rapid.OneOf(words, rapid.String()).Draw(rt, "name")
		r.SystemPrompt = rapid.OneOf(words, rapid.String()).Draw(rt, "prompt")
		r.HealthCheckPrompt = words.Draw(rt, "health")
		r.Tools = rapid.SliceOfN(words, 0, 3).Draw(rt, "tools")
		r.ReadOnly = rapid.Bool().Draw(rt, "readOnly")
		r.Timeout = time.Duration(rapid.IntRange(0, 3).Draw(rt, "timeout")) * time.Second
		r.Isolation = rapid.SampledFrom([]record.Isolation{"", record.Shared, record.Worktree}).Draw(rt, "isolation")
		err := b.Set(t.Context(), r, old)
		if errors.Is(err, roles.ErrInvalid) {
			return
		}
		if err != nil {
			rt.Fatalf("%v: %#v", err, r)
		}
		text := textOf(t, path)
		again := openDocument(t, path)
		if got := role(t, again, "writer"); !got.Equal(r) {
			rt.Fatalf("got %#v\nwant %#v in\n%s", got, r, text)
		}
		if !role(t, again, "reader").Equal(role(t, b, "reader")) || len(again.Problems()) != 1 {
			rt.Fatalf("more has changed in\n%s", text)
		}
		for _, c := range kept {
			if !strings.Contains(text, c+"\n") {
				rt.Fatalf("%q is gone from\n%s", c, text)
			}
		}
	})
}
