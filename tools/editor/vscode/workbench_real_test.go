//go:build linux

package vscode_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
	"github.com/dougu-go/dougu/tools/fs"
)

// patience limits each wait. It is long because the machine may be busy.
const patience = 2 * time.Minute

// workbench is a real window with the tool sets of a ready program: file tools and editor tools that share a Root.
type workbench struct {
	*session
	toolSets
}

// toolSets are the tool sets of one program.
type toolSets struct {
	root   *security.Root
	files  *fs.Files
	editor *editor.Editor
}

// newToolSets makes the tool sets for directories and an adapter. The adapter ends with the sets.
func newToolSets(t *testing.T, v *vscode.VSCode, dirs ...string) toolSets {
	t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: dirs, StateDir: t.TempDir(), Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	env := tools.Env{Root: root, Audit: new(audit.Log)}
	s := toolSets{root: root}
	if s.files, err = fs.New(env, fs.Options{}); err != nil {
		t.Fatal(err)
	}
	if s.editor, err = editor.New(context.Background(), env, editor.Options{Adapters: []adapter.Adapter{v}, ToolTimeout: 30 * time.Second}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.files.Close(context.Background()), s.editor.Close(context.Background()), root.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestWorkbench(t *testing.T) {
	files := map[string]string{
		"notes.txt":     "first line\nsecond line\nthird line\n",
		"undo.txt":      "one\ntwo\nthree\nfour\nfive\n",
		"reload.txt":    "kept on the disk\n",
		"shared.txt":    "shared\n",
		"tsconfig.json": `{"compilerOptions": {"strict": true, "target": "es2020", "module": "es2020", "moduleResolution": "bundler"}}`,
		"base.ts":       "export function measure(n: number): number {\n  return n + 1;\n}\n",
		"user.ts":       "import { measure } from \"./base\";\n\nexport const size: number = measure(1);\n",
		"fix.ts":        "export const fixed: number = 1;\n",
		"layout.ts":     "export const layout = 1;\n",
	}
	for i := range renamedFiles {
		files[renamedFile(i)] = fmt.Sprintf("import { total } from \"../total\";\n\nexport const part%d: number = total(%d);\n", i, i)
	}
	files["total.ts"] = "export function total(n: number): number {\n  return n;\n}\n"
	s := &session{T: t, codeServer: startCodeServer(t, files)}
	put(t, filepath.Join(s.work, "other", "other.txt"), "other\n")
	put(t, filepath.Join(s.work, "alpha", "a.txt"), "alpha\n")
	put(t, filepath.Join(s.work, "beta", "b.txt"), "beta\n")
	s.vscode = vscode.New(vscode.Options{Dir: s.dir, Root: s.project, Name: "workbench", Version: extensionVersion})
	w := &workbench{s, newToolSets(t, s.vscode, s.project)}
	eventually(t, patience, s.running)
	s.page = s.user(t)
	s.page.do("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	for _, part := range []struct {
		name string
		run  func(*workbench)
	}{
		{"unsaved buffers", unsavedBuffers},
		{"diagnostics of unsaved text", unsavedDiagnostics},
		{"quick fixes of unsaved text", unsavedFixes},
		{"format of unsaved text", unsavedFormat},
		{"undo", undoSteps},
		{"random sequences", randomSequences},
		{"rename over many files", renameMany},
		{"reload of the window", reloadWindow},
		{"two windows on one folder", twoWindowsOneFolder},
		{"two windows on two folders", twoWindowsTwoFolders},
		{"folders added and removed", multiRoot},
		{"files of other machines", otherMachines},
	} {
		begin := time.Now()
		t.Run(part.name, func(t *testing.T) {
			one := *s
			one.T = t
			one.page = &page{t: t, conn: s.page.conn, last: s.page.last}
			part.run(&workbench{&one, w.toolSets})
			s.page.last = one.page.last
		})
		t.Logf("%s: %s", part.name, time.Since(begin).Round(time.Millisecond))
	}
}

// types replaces text in the buffer of a file, as a user does: unsaved.
func (w *workbench) types(v *vscode.VSCode, path, from, to string) {
	w.Helper()
	w.check(v.Open(w.Context(), path, nil, false))
	doc, open, err := v.Document(w.Context(), path)
	if err != nil || !open {
		w.Fatalf("%s: open %v, %v", path, open, err)
	}
	begin := strings.Index(doc.Text, from)
	if begin < 0 {
		w.Fatalf("%q is not in %q", from, doc.Text)
	}
	lines := adapter.NewText(doc.Text)
	r := adapter.Range{Start: lines.Position(begin), End: lines.Position(begin + len(from))}
	if _, err := v.Edit(w.Context(), path, doc.Version, []adapter.TextEdit{{Range: r, NewText: to}}, false); err != nil {
		w.Fatal(err)
	}
}

// save saves a document as its user does.
func (w *workbench) save(name string) {
	w.Helper()
	w.show(name, nil)
	w.page.press("KeyS", 83, control)
	eventually(w.T, patience, func() error {
		if doc := w.document(name); doc.Dirty || doc.Text != w.onDisk(name).Text {
			return fmt.Errorf("%s is not saved: %+v", name, doc)
		}
		return nil
	})
}

// agree fails the test if a tool does not see the text of a file.
func (w *workbench) agree(name, want string, unsaved bool) {
	w.Helper()
	if err := w.toolSets.agree(w.Context(), w.path(name), want, unsaved); err != nil {
		w.Fatal(err)
	}
	if onDisk := w.onDisk(name).Text; unsaved == (onDisk == want) {
		w.Fatalf("%s is %q on the disk, with %q in the window", name, onDisk, want)
	}
}

// agree compares what the tools read of a file with the expected text. It repeats reads of which the tools say that unsaved text may be
// missing, because a busy machine delays VS Code.
func (s toolSets) agree(ctx context.Context, path, want string, unsaved bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		reading, view := s.root.View(ctx)
		err := s.compare(reading, path, want, unsaved)
		if err == nil || view.Problem() == "" {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", view.Problem(), err)
		case <-ticker.C:
		}
	}
}

func (s toolSets) compare(ctx context.Context, path, want string, unsaved bool) error {
	program := ""
	if unsaved {
		program = "vscode"
	}
	read, err := s.files.Read(ctx, fs.ReadArgs{Path: path})
	switch {
	case err != nil:
		return fmt.Errorf("read_file: %w", err)
	case read.Content != want || read.Unsaved != program || read.SHA256 != digest(want):
		return fmt.Errorf("read_file has %q, unsaved in %q; want %q", read.Content, read.Unsaved, want)
	}
	info, err := s.files.Info(ctx, fs.InfoArgs{Path: path})
	if err != nil || info.Size != int64(len(want)) {
		return fmt.Errorf("get_file_info has %d bytes, %w; want %d", info.Size, err, len(want))
	}
	found, err := s.files.SearchContent(ctx, fs.SearchContentArgs{Pattern: "^", Path: path})
	if err != nil || len(found.Files) != 1 {
		return fmt.Errorf("search_content: %+v, %w", found, err)
	}
	var lines strings.Builder
	for _, line := range found.Files[0].Lines {
		lines.WriteString(line.Text + "\n")
	}
	if lines.String() != want || found.Files[0].Unsaved != program {
		return fmt.Errorf("search_content has %q, unsaved in %q; want %q", lines.String(), found.Files[0].Unsaved, want)
	}
	return nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// refused returns an error if err does not have an error code.
func refused(err error, code security.Code) error {
	if known, ok := errors.AsType[*security.Error](err); !ok || known.Code != code {
		return fmt.Errorf("got %v, want %s", err, code)
	}
	return nil
}

func unsavedBuffers(w *workbench) {
	// A document without unsaved text is that of the disk.
	w.show("notes.txt", ptr(at(1, 1)))
	w.agree("notes.txt", "first line\nsecond line\nthird line\n", false)
	read, err := w.files.Read(w.Context(), fs.ReadArgs{Path: "notes.txt"})
	w.check(err)

	w.page.write("typed ")
	typed := "typed first line\nsecond line\nthird line\n"
	eventually(w.T, patience, func() error { return w.toolSets.agree(w.Context(), w.path("notes.txt"), typed, true) })
	w.agree("notes.txt", typed, true)

	// The digest of the former text is refused; that of a new read is accepted.
	edit := fs.EditArgs{Path: "notes.txt", Edits: []fs.TextEdit{{OldText: "second", NewText: "2nd"}}, ExpectedSHA256: read.SHA256}
	if _, err := w.files.Edit(w.Context(), edit); err != nil {
		w.check(refused(err, security.StaleFile))
	} else {
		w.Error("an edit of the former text was made")
	}
	read, err = w.files.Read(w.Context(), fs.ReadArgs{Path: "notes.txt"})
	w.check(err)
	edit.ExpectedSHA256 = read.SHA256
	edited, err := w.files.Edit(w.Context(), edit)
	w.check(err)
	if !edited.Unsaved || edited.Editor != "vscode" {
		w.Errorf("%+v", edited)
	}
	typed = strings.Replace(typed, "second", "2nd", 1)
	w.agree("notes.txt", typed, true)

	inserted, err := w.editor.InsertCode(w.Context(), editor.InsertCodeArgs{Path: "notes.txt", Line: 3, Content: "inserted", ExpectedSHA256: edited.SHA256})
	w.check(err)
	if inserted.Saved || inserted.Editor != "vscode" {
		w.Errorf("%+v", inserted)
	}
	typed = strings.Replace(typed, "third", "inserted\nthird", 1)
	w.agree("notes.txt", typed, true)

	written, err := w.files.Write(w.Context(), fs.WriteArgs{Path: "notes.txt", Content: typed + "written\n"})
	w.check(err)
	if !written.Unsaved || written.Editor != "vscode" || written.SHA256 != digest(typed+"written\n") {
		w.Errorf("%+v", written)
	}
	w.agree("notes.txt", typed+"written\n", true)

	// Changes that would lose the unsaved text are refused.
	_, err = w.files.Delete(w.Context(), fs.DeleteArgs{Path: "notes.txt"})
	w.check(refused(err, security.FileBusy))
	_, err = w.files.Move(w.Context(), fs.MoveArgs{Source: "notes.txt", Destination: "moved.txt"})
	w.check(refused(err, security.FileBusy))

	w.save("notes.txt")
	w.agree("notes.txt", typed+"written\n", false)
	edited, err = w.files.Edit(w.Context(), fs.EditArgs{Path: "notes.txt", Edits: []fs.TextEdit{{OldText: "written\n", NewText: ""}}})
	w.check(err)
	if edited.Unsaved || edited.Editor != "vscode" {
		w.Errorf("%+v", edited)
	}
	w.agree("notes.txt", typed, false)
	if doc := w.document("notes.txt"); doc.Dirty || doc.Text != typed {
		w.Errorf("%+v", doc)
	}
	// Another program changes the file of a document without unsaved text.
	put(w.T, w.path("notes.txt"), "from outside\n")
	w.agree("notes.txt", "from outside\n", false)
}

// errorCodes returns the codes of the errors of files, or an error if not every file was checked.
func (w *workbench) errorCodes(names ...string) (codes []string, err error) {
	found, err := w.editor.Diagnostics(w.Context(), editor.DiagnosticsArgs{Paths: names, Severity: "error", WaitMS: 20_000})
	if err != nil {
		return nil, err
	}
	if !found.Fresh || found.Checked != len(names) {
		return nil, fmt.Errorf("not every file was checked: %+v", found)
	}
	for _, d := range found.Diagnostics {
		codes = append(codes, fmt.Sprintf("%s:%d %s", d.File, d.Range.Start.Line, d.Code))
	}
	return codes, nil
}

// diagnosed waits until get_diagnostics has the expected errors of files.
func (w *workbench) diagnosed(want string, names ...string) {
	w.Helper()
	begin := time.Now()
	rounds := 0
	eventually(w.T, patience, func() error {
		rounds++
		codes, err := w.errorCodes(names...)
		if got := strings.Join(codes, ", "); err != nil || got != want {
			return fmt.Errorf("errors %q, %v; want %q", got, err, want)
		}
		return nil
	})
	w.Logf("diagnosed %q by call %d after %s", want, rounds, time.Since(begin).Round(time.Millisecond))
}

func unsavedDiagnostics(w *workbench) {
	w.diagnosed("", "base.ts", "user.ts") // the TypeScript server starts
	w.types(w.vscode, w.path("user.ts"), "measure(1)", "measure(\"1\")")
	w.agree("user.ts", "import { measure } from \"./base\";\n\nexport const size: number = measure(\"1\");\n", true)
	// The first answer is about the unsaved text.
	codes, err := w.errorCodes("user.ts")
	if want := "user.ts:3 2345"; err != nil || strings.Join(codes, ", ") != want {
		w.Errorf("errors %q, %v; want %q", codes, err, want)
	}
	w.types(w.vscode, w.path("user.ts"), "measure(\"1\")", "measure(1)")
	codes, err = w.errorCodes("user.ts")
	if err != nil || len(codes) != 0 {
		w.Errorf("errors %q, %v", codes, err)
	}
	// An unsaved change of one file breaks another.
	w.types(w.vscode, w.path("base.ts"), "measure", "measured")
	codes, err = w.errorCodes("user.ts")
	if want := "user.ts:1 2724"; err != nil || strings.Join(codes, ", ") != want {
		w.Errorf("errors %q, %v; want %q", codes, err, want)
	}
	w.types(w.vscode, w.path("base.ts"), "measured", "measure")
	codes, err = w.errorCodes("user.ts", "base.ts")
	if err != nil || len(codes) != 0 {
		w.Errorf("errors %q, %v", codes, err)
	}
	w.save("base.ts")
	w.save("user.ts")
}

func unsavedFixes(w *workbench) {
	w.types(w.vscode, w.path("fix.ts"), "1;\n", "measure(1);\n")
	w.diagnosed("fix.ts:1 2304", "fix.ts")
	found, err := w.editor.Diagnostics(w.Context(), editor.DiagnosticsArgs{Path: "fix.ts", Severity: "error", WaitMS: 20_000})
	w.check(err)
	var id string
	eventually(w.T, patience, func() error {
		offered, err := w.editor.QuickFixes(w.Context(), editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{ID: found.Diagnostics[0].ID}})
		if err != nil {
			return err
		}
		for _, fix := range offered.Fixes {
			if strings.HasPrefix(fix.Title, "Add import") {
				id = fix.FixID
				return nil
			}
		}
		return fmt.Errorf("%+v", offered)
	})
	applied, err := w.editor.ApplyQuickFix(w.Context(), editor.ApplyQuickFixArgs{FixID: id})
	w.check(err)
	if len(applied.Files) != 1 || applied.Files[0].Saved || applied.Files[0].Editor != "vscode" {
		w.Errorf("%+v", applied)
	}
	w.agree("fix.ts", "import { measure } from \"./base\";\n\nexport const fixed: number = measure(1);\n", true)
	w.diagnosed("", "fix.ts")
	w.save("fix.ts")
}

func unsavedFormat(w *workbench) {
	w.types(w.vscode, w.path("layout.ts"), "= 1;\n", "=   {a:1,\nb:2};\n")
	checked, err := w.editor.Format(w.Context(), editor.FormatArgs{Path: "layout.ts", CheckOnly: true})
	if err != nil || !checked.Changed {
		w.Fatalf("%+v, %v", checked, err)
	}
	w.agree("layout.ts", "export const layout =   {a:1,\nb:2};\n", true)
	formatted, err := w.editor.Format(w.Context(), editor.FormatArgs{Path: "layout.ts"})
	w.check(err)
	if formatted.Saved || !formatted.Changed || formatted.Formatter != "vscode" {
		w.Errorf("%+v", formatted)
	}
	w.agree("layout.ts", "export const layout = {\n    a: 1,\n    b: 2\n};\n", true)
	w.save("layout.ts")
}

// undone presses the key for undo once and waits for a text in the tools.
func (w *workbench) undone(name, want string, unsaved bool) {
	w.Helper()
	w.show(name, nil)
	w.page.press("KeyZ", 90, control)
	eventually(w.T, patience, func() error { return w.toolSets.agree(w.Context(), w.path(name), want, unsaved) })
}

func undoSteps(w *workbench) {
	const first = "one\ntwo\nthree\nfour\nfive\n"
	changed := strings.NewReplacer("one\n", "1\n", "five\n", "5\nsix\n").Replace
	w.show("undo.txt", nil)
	for _, tool := range []struct {
		name   string
		change func(present string) error
	}{
		{"edit_file", func(string) error {
			_, err := w.files.Edit(w.Context(), fs.EditArgs{Path: "undo.txt", Edits: []fs.TextEdit{{OldText: "one", NewText: "1"}, {OldText: "five\n", NewText: "5\nsix\n"}}})
			return err
		}},
		{"write_file", func(present string) error {
			_, err := w.files.Write(w.Context(), fs.WriteArgs{Path: "undo.txt", Content: changed(present)})
			return err
		}},
		{"replace_code", func(string) error {
			_, err := w.editor.ReplaceCode(w.Context(), editor.ReplaceCodeArgs{Path: "undo.txt", Pattern: "one\n((?s).*)five\n", IsRegex: true, Replacement: "1\n${1}5\nsix\n", Preview: ptr(false)})
			return err
		}},
	} {
		// A saved document: afterwards the file has the new text, and the window the former one.
		w.check(tool.change(first))
		w.agree("undo.txt", changed(first), false)
		w.undone("undo.txt", first, true)
		w.save("undo.txt")
		// An unsaved document.
		w.types(w.vscode, w.path("undo.txt"), "three", "THREE")
		typed := strings.Replace(first, "three", "THREE", 1)
		w.check(tool.change(typed))
		w.agree("undo.txt", changed(typed), true)
		w.undone("undo.txt", typed, true)
		w.undone("undo.txt", first, false)
		w.Logf("%s is undone in one step", tool.name)
	}
}

const renamedFiles = 50

func renamedFile(i int) string { return fmt.Sprintf("parts/part%02d.ts", i) }

func renameMany(w *workbench) {
	// Two documents have unsaved text, and one is open without.
	const unsaved = " // not saved"
	for i := range 2 {
		w.types(w.vscode, w.path(renamedFile(i)), ";\n\n", ";"+unsaved+"\n\n")
	}
	w.show(renamedFile(2), nil)
	begin := time.Now()
	renamed, err := w.editor.Rename(w.Context(), editor.RenameArgs{Target: editor.Target{Path: "total.ts", Symbol: "total"}, NewName: "sum", DryRun: ptr(false)})
	w.check(err)
	w.Logf("renamed in %s", time.Since(begin).Round(time.Millisecond))
	if said, _, _ := strings.Cut(renamed.TextContent(), "\n"); renamed.Locations != 2*renamedFiles+1 || !strings.Contains(said, fmt.Sprintf("%d files", renamedFiles+1)) {
		w.Errorf("%d places: %s", renamed.Locations, said)
	}
	for i := range renamedFiles {
		want := fmt.Sprintf("import { sum } from \"../total\";\n\nexport const part%d: number = sum(%d);\n", i, i)
		if i < 2 {
			w.agree(renamedFile(i), strings.Replace(want, ";\n\n", ";"+unsaved+"\n\n", 1), true)
			continue
		}
		if text := w.onDisk(renamedFile(i)).Text; text != want {
			w.Errorf("%s: %q", renamedFile(i), text)
		}
	}
	w.agree(renamedFile(2), "import { sum } from \"../total\";\n\nexport const part2: number = sum(2);\n", false)
	found, err := w.files.SearchContent(w.Context(), fs.SearchContentArgs{Pattern: "total(", Literal: true})
	if err != nil || found.TotalFiles != 0 {
		w.Errorf("%+v, %v", found, err)
	}
	names := []string{"total.ts"}
	for i := range renamedFiles {
		names = append(names, renamedFile(i))
	}
	w.diagnosed("", names...)
	for i := range 2 {
		w.save(renamedFile(i))
	}
}
