//go:build linux

package vscode_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

const (
	areaText   = "export function area(w: number, h: number): number {\n    return w*h\n}\n\nconst wrong: number = \"x\";\nhelper(area(2, 3));\n"
	helperText = "export function helper(n: number): void {\n    console.log(n);\n}\n"
)

// session is a real window, its user, and the adapter.
type session struct {
	*testing.T
	*codeServer
	vscode *vscode.VSCode
	page   *page
}

func TestRealVSCode(t *testing.T) {
	started := time.Now()
	s := &session{T: t, codeServer: startCodeServer(t, map[string]string{
		"notes.txt":     "one\ntwo\nthree\n",
		"tsconfig.json": `{"compilerOptions": {"strict": true, "target": "es2020", "module": "es2020", "moduleResolution": "bundler"}}`,
		"area.ts":       areaText,
		"helper.ts":     helperText,
		"user.ts":       "import { area } from \"./area\";\n\nexport const sum: number = area(1, 2);\n",
		"main.go":       "package main\n\nfunc main() { x }\n",
		"style.css":     "a { colr: blue }\n",
	})}
	s.vscode = vscode.New(vscode.Options{Dir: s.dir, Root: s.project, Name: "dougu-editor", Version: "1.0.0"})
	t.Cleanup(func() {
		if err := s.vscode.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	log := slog.New(s.vscode.Handler(slog.LevelInfo))
	log.Info("called", "tool", "insert_code", "path", "area.ts")
	log.Warn("refused", "tool", "execute_command", "code", "COMMAND_BLOCKED", "command", "rm -rf /")
	eventually(t, 2*time.Minute, s.running)
	detail := s.vscode.State().Detail
	t.Logf("connected after %s: %s", time.Since(started).Round(time.Millisecond), detail)
	if !strings.Contains(detail, "its extension has version "+extensionVersion) {
		t.Errorf("the version of the installed extension is not in %q", detail)
	}
	s.page = s.user(t)
	for _, part := range []struct {
		name string
		run  func(*session)
	}{
		{"documents are shown, read and edited", documents},
		{"what the user types is not lost", typing},
		{"TypeScript is diagnosed, mended and laid out", typescript},
		{"names are found and changed", names},
		{"what another file does is known", dependent},
		{"an agent works with the tools", withTools},
		{"other languages are followed or left to others", languages},
		{"the window shows what servers do", output},
		{"a window can be restarted and closed", closing},
	} {
		begin := time.Now()
		if !t.Run(part.name, func(t *testing.T) {
			one := *s
			one.T = t
			one.page = &page{t: t, conn: s.page.conn, last: s.page.last}
			part.run(&one)
			s.page.last = one.page.last
		}) {
			return
		}
		t.Logf("%s: %s", part.name, time.Since(begin).Round(time.Millisecond))
	}
}

func (s *session) running() error {
	if state := s.vscode.State(); !state.Running {
		return errors.New(state.Detail)
	}
	return nil
}

func (s *session) path(name string) string { return filepath.Join(s.project, name) }

func (s *session) check(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *session) show(name string, at *adapter.Position) {
	s.Helper()
	s.check(s.vscode.Open(s.Context(), s.path(name), at, false))
}

// document is an open one.
func (s *session) document(name string) adapter.Document {
	s.Helper()
	doc, open, err := s.vscode.Document(s.Context(), s.path(name))
	if err != nil || !open {
		s.Fatalf("%s: open %v, %v", name, open, err)
	}
	return doc
}

// onDisk is a document as the tools know it that no editor has open.
func (s *session) onDisk(name string) adapter.Document {
	s.Helper()
	text, err := os.ReadFile(s.path(name))
	s.check(err)
	return adapter.Document{Path: s.path(name), Text: string(text)}
}

func (s *session) edit(doc adapter.Document, r adapter.Range, text string, save bool) adapter.Document {
	s.Helper()
	after, err := s.vscode.Edit(s.Context(), doc.Path, doc.Version, []adapter.TextEdit{{Range: r, NewText: text}}, save)
	s.check(err)
	return after
}

// diagnose asks for diagnostics of files and answers them as lines.
func (s *session) diagnose(most time.Duration, names ...string) (lines []string, answer adapter.Diagnostics) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), most)
	defer cancel()
	var paths []string
	for _, name := range names {
		paths = append(paths, s.path(name))
	}
	answer, err := s.vscode.Diagnose(ctx, paths)
	s.check(err)
	for _, d := range answer.Items {
		lines = append(lines, filepath.Base(d.Path)+" "+text(d.Range.Start)+" "+string(d.Severity)+" "+d.Source+" "+d.Code)
	}
	return lines, answer
}

func typescript(s *session) {
	// The server of TypeScript has to start.
	lines, answer := s.diagnose(time.Minute, "area.ts", "helper.ts")
	want := []string{"area.ts {Line:5 Column:7} error ts 2322", "area.ts {Line:6 Column:1} error ts 2304", "area.ts {Line:5 Column:7} hint ts 6133"}
	if !slices.Equal(lines, want) || !answer.Fresh || len(answer.Covered) != 2 {
		s.Fatalf("%q, fresh %v, covered %q, notes %q", lines, answer.Fresh, answer.Covered, answer.Notes)
	}
	// Changes by another program are noticed.
	put(s.T, s.path("area.ts"), strings.Replace(areaText, `"x"`, "4", 1))
	begin := time.Now()
	lines, answer = s.diagnose(30*time.Second, "area.ts")
	s.Logf("diagnosed after a change on disk in %s", time.Since(begin).Round(time.Millisecond))
	if !slices.Equal(lines, []string{want[1], want[2]}) || !answer.Fresh {
		s.Fatalf("%q, fresh %v, notes %q", lines, answer.Fresh, answer.Notes)
	}
	fixes, err := s.vscode.Fixes(s.Context(), s.onDisk("area.ts"), answer.Items[0])
	s.check(err)
	i := slices.IndexFunc(fixes, func(f adapter.Fix) bool { return f.Title == `Add import from "./helper"` })
	if i < 0 || !fixes[i].Preferred || len(fixes[i].Edits) != 1 {
		s.Fatalf("%+v", fixes)
	}
	if _, open, err := s.vscode.Document(s.Context(), s.path("area.ts")); err != nil || open {
		s.Errorf("the tab that was made for the fixes is still there: %v", err)
	}
	s.show("area.ts", nil)
	doc := s.document("area.ts")
	after, err := s.vscode.Edit(s.Context(), doc.Path, doc.Version, fixes[i].Edits[0].Edits, true)
	s.check(err)
	begin = time.Now()
	lines, answer = s.diagnose(30*time.Second, "area.ts")
	s.Logf("diagnosed after an edit in %s", time.Since(begin).Round(time.Millisecond))
	if !answer.Fresh || slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "error") }) {
		s.Errorf("%q, fresh %v, in\n%s", lines, answer.Fresh, after.Text)
	}
	edits, err := s.vscode.Format(s.Context(), after, nil)
	s.check(err)
	laidOut, err := adapter.Apply(after.Text, edits)
	if err != nil || !strings.Contains(laidOut, "return w * h\n") {
		s.Errorf("%v:\n%s", err, laidOut)
	}
	part, err := s.vscode.Format(s.Context(), after, ptr(between(1, 1, 2, 1)))
	if err != nil || len(part) != 0 {
		s.Errorf("a part that is as it should be: %+v, %v", part, err)
	}
	if _, err := s.vscode.Format(s.Context(), s.document("notes.txt"), nil); !errors.Is(err, adapter.ErrUnsupported) {
		s.Errorf("plain text: %v", err)
	}
}

func names(s *session) {
	doc := s.document("area.ts")
	declared := at(3, 17) // of area, below the import
	if got := adapter.NewText(doc.Text).Line(3); !strings.HasPrefix(got, "export function area") {
		s.Fatalf("line 3 is %q", got)
	}
	found, err := s.vscode.Definition(s.Context(), s.onDisk("user.ts"), at(3, 30))
	if err != nil || len(found) != 1 || found[0].Path != doc.Path || found[0].Range.Start != declared {
		s.Errorf("definition: %+v, %v", found, err)
	}
	found, err = s.vscode.References(s.Context(), doc, declared)
	if err != nil || len(found) != 4 {
		s.Errorf("references: %+v, %v", found, err)
	}
	edits, err := s.vscode.Rename(s.Context(), doc, declared, "surface")
	if err != nil || len(edits) != 2 || edits[0].Version != doc.Version || edits[1].Version != 0 || len(edits[0].Edits)+len(edits[1].Edits) != 4 {
		s.Errorf("rename: %+v, %v", edits, err)
	}
	if _, err := s.vscode.Rename(s.Context(), doc, at(2, 1), "x"); err == nil {
		s.Error("an empty line was renamed")
	}
	symbols, err := s.vscode.Symbols(s.Context(), doc)
	if err != nil || len(symbols) != 2 || symbols[0].Name != "area" || symbols[0].Kind != "function" || symbols[0].Selection.Start != declared {
		s.Errorf("symbols: %+v, %v", symbols, err)
	}
	symbols, err = s.vscode.FindSymbols(s.Context(), "helper")
	if err != nil || len(symbols) == 0 || symbols[0].Name != "helper" || symbols[0].Location.Path != s.path("helper.ts") {
		s.Errorf("symbols of the project: %+v, %v", symbols, err)
	}
}

// dependent asks about a file whose errors come from another one, which was changed on the disk a moment ago.
func dependent(s *session) {
	for round := range 3 {
		put(s.T, s.path("helper.ts"), strings.Replace(helperText, "export ", "", 1))
		s.vscode.FilesChanged([]string{s.path("helper.ts")})
		begin := time.Now()
		lines, answer := s.diagnose(30*time.Second, "area.ts")
		s.Logf("diagnosed after a change of another file in %s", time.Since(begin).Round(time.Millisecond))
		if !answer.Fresh || !slices.Contains(lines, "area.ts {Line:1 Column:24} error ts 2306") {
			s.Errorf("round %d: %q, fresh %v, notes %q", round, lines, answer.Fresh, answer.Notes)
		}
		put(s.T, s.path("helper.ts"), helperText)
		s.vscode.FilesChanged([]string{s.path("helper.ts")})
		lines, answer = s.diagnose(30*time.Second, "area.ts")
		if !answer.Fresh || slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "error") }) {
			s.Errorf("round %d: %q, fresh %v, notes %q", round, lines, answer.Fresh, answer.Notes)
		}
	}
}

func languages(s *session) {
	lines, answer := s.diagnose(30*time.Second, "main.go", "style.css")
	if len(lines) != 0 || len(answer.Covered) != 0 || len(answer.Notes) == 0 {
		s.Errorf("without a tab: %q, %+v", lines, answer)
	}
	s.show("style.css", nil)
	lines, answer = s.diagnose(30*time.Second, "style.css")
	if !slices.Equal(lines, []string{"style.css {Line:1 Column:5} warning css unknownProperties"}) || !answer.Fresh {
		s.Errorf("%q, %+v", lines, answer)
	}
	put(s.T, s.path("style.css"), "a { color: blue }\n")
	begin := time.Now()
	lines, answer = s.diagnose(30*time.Second, "style.css")
	s.Logf("diagnosed after a change on disk in %s", time.Since(begin).Round(time.Millisecond))
	if len(lines) != 0 || !answer.Fresh {
		s.Errorf("%q, %+v", lines, answer)
	}
	all, err := s.vscode.Diagnose(s.Context(), nil)
	if err != nil || all.Fresh || len(all.Notes) == 0 {
		s.Errorf("%+v, %v", all, err)
	}
}

func output(s *session) {
	s.page.command("Dougu: Show Log")
	s.page.sees("[dougu-editor", ".output-view .view-lines")
	s.page.sees("called tool=insert_code path=area.ts", ".output-view .view-lines")
	s.page.sees("Dougu 1", ".statusbar-item#dougu-go\\.dougu\\.dougu")
	// The panel is an editor, too; the user still looks at the file.
	active, ok, err := s.vscode.Active(s.Context())
	if err != nil || !ok || active.Path != s.path("style.css") {
		s.Errorf("%+v, %v, %v", active, ok, err)
	}
	if name := os.Getenv("DOUGU_PICTURE"); name != "" {
		s.show("area.ts", ptr(at(4, 5)))
		s.page.sees("area", ".editor-instance .view-lines")
		s.check(os.WriteFile(name, s.page.picture(), 0o644))
	}
}

func closing(s *session) {
	tokens := func() string {
		names, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
		s.check(err)
		if len(names) != 1 {
			return ""
		}
		text, err := os.ReadFile(names[0])
		if err != nil {
			return ""
		}
		return string(text)
	}
	first := tokens()
	s.page.command("Dougu: Restart")
	eventually(s.T, 30*time.Second, func() error {
		if now := tokens(); now == "" || now == first {
			return errors.New("no new token")
		}
		return s.vscode.Open(s.Context(), s.path("notes.txt"), nil, true)
	})
	s.page.command("Dougu: Stop")
	eventually(s.T, 30*time.Second, func() error {
		if s.vscode.State().Running || tokens() != "" {
			return errors.New("it is still there")
		}
		return nil
	})
	s.page.command("Dougu: Start")
	eventually(s.T, 30*time.Second, s.running)
	// A window that is closed is gone when VS Code notices.
	s.leave()
	eventually(s.T, time.Minute, func() error {
		left, err := os.ReadDir(s.dir)
		if err != nil || s.vscode.State().Running || len(left) != 0 {
			return errors.New(text(left))
		}
		return nil
	})
}
