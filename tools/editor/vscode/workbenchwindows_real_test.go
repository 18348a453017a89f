//go:build linux

package vscode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
	"github.com/dougu-go/dougu/tools/fs"
)

// described returns the contents of the files with which windows describe themselves, by name.
func (s *codeServer) described(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		if content, err := os.ReadFile(name); err == nil {
			all[filepath.Base(name)] = string(content)
		}
	}
	return all
}

// secondWindow is a window that the test has opened, and an adapter for this window alone.
type secondWindow struct {
	*page
	vscode *vscode.VSCode
}

// openWindow opens a window and waits for its extension.
func (w *workbench) openWindow(query, root string) secondWindow {
	w.Helper()
	before := w.described(w.T)
	p := w.open(w.T, query)
	var name, content string
	eventually(w.T, patience, func() error {
		for file, about := range w.described(w.T) {
			if _, known := before[file]; !known {
				name, content = file, about
				return nil
			}
		}
		return errors.New("the window has not described itself")
	})
	dir := w.TempDir()
	w.check(os.Chmod(dir, 0o700))
	w.check(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	v := vscode.New(vscode.Options{Dir: dir, Root: root, Name: "window", Version: extensionVersion})
	w.Cleanup(func() {
		if err := v.Close(context.Background()); err != nil {
			w.Error(err)
		}
	})
	eventually(w.T, patience, func() error {
		if state := v.State(); !state.Running {
			return errors.New(state.Detail)
		}
		return nil
	})
	return secondWindow{p, v}
}

// closeWindow closes a window whose documents are saved, and waits until the adapter has n windows.
func (w *workbench) closeWindow(opened secondWindow, n int) {
	w.Helper()
	w.close(w.T, opened.page)
	eventually(w.T, patience, func() error {
		if left := len(w.described(w.T)); left != n {
			return fmt.Errorf("%d windows", left)
		}
		return nil
	})
}

func reloadWindow(w *workbench) {
	w.types(w.vscode, w.path("reload.txt"), "on the disk", "in the window")
	w.agree("reload.txt", "kept in the window\n", true)
	before := w.described(w.T)
	// VS Code keeps unsaved text a second after the last change.
	eventually(w.T, patience, func() error {
		found := false
		_ = filepath.WalkDir(filepath.Join(w.work, "data", "User", "Backups"), func(path string, entry os.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				content, _ := os.ReadFile(path)
				found = found || strings.Contains(string(content), "kept in the window")
			}
			return nil
		})
		if !found {
			return errors.New("VS Code has not kept the unsaved text")
		}
		return nil
	})
	begin := time.Now()
	w.page.reload()
	marked := 0
	eventually(w.T, patience, func() error {
		ctx, view := w.root.View(w.Context())
		read, err := w.files.Read(ctx, fs.ReadArgs{Path: "reload.txt"})
		if err != nil {
			return err
		}
		if read.Unsaved == "" {
			marked++
			if view.Problem() == "" && time.Since(begin) < vscode.ReloadTime {
				w.Errorf("read %d of the disk during the reload is not marked", marked)
			}
		}
		for file, about := range w.described(w.T) {
			if before[file] == about {
				return errors.New("the window has not been reloaded")
			}
		}
		return w.toolSets.agree(w.Context(), w.path("reload.txt"), "kept in the window\n", true)
	})
	w.Logf("%d reads during the reload had the text of the disk, and said so", marked)
	w.agree("reload.txt", "kept in the window\n", true)
	_, err := w.files.Edit(w.Context(), fs.EditArgs{Path: "reload.txt", Edits: []fs.TextEdit{{OldText: "kept", NewText: "edited"}}})
	w.check(err)
	w.agree("reload.txt", "edited in the window\n", true)
	w.page.sees("", ".monaco-workbench .editor-instance")
	w.undone("reload.txt", "kept in the window\n", true)
	w.save("reload.txt")
	w.agree("reload.txt", "kept in the window\n", false)
}

func twoWindowsOneFolder(w *workbench) {
	second := w.openWindow("folder="+w.project, w.project)
	eventually(w.T, patience, func() error {
		if detail := w.vscode.State().Detail; !strings.HasSuffix(detail, ", 2 windows") {
			return errors.New(detail)
		}
		return nil
	})
	w.show("shared.txt", nil)
	shared := w.path("shared.txt")
	// The text is unsaved in the second window, whichever window the adapter prefers.
	w.types(second.vscode, shared, "shared", "typed in the second window")
	w.agree("shared.txt", "typed in the second window\n", true)
	edited, err := w.files.Edit(w.Context(), fs.EditArgs{Path: "shared.txt", Edits: []fs.TextEdit{{OldText: "typed", NewText: "edited"}}})
	if err != nil || !edited.Unsaved {
		w.Fatalf("%+v, %v", edited, err)
	}
	w.agree("shared.txt", "edited in the second window\n", true)
	doc, open, err := second.vscode.Document(w.Context(), shared)
	if err != nil || !open || doc.Text != "edited in the second window\n" || !doc.Dirty {
		w.Errorf("%+v, %v, %v", doc, open, err)
	}

	// Both windows have unsaved text.
	first := w.firstWindow(second)
	w.types(first, shared, "shared", "typed in the first window")
	if _, err := w.files.Write(w.Context(), fs.WriteArgs{Path: "shared.txt", Content: "lost\n"}); err != nil {
		w.check(refused(err, security.FileBusy))
	} else {
		w.Error("a text of which two windows have different versions was overwritten")
	}
	ctx, view := w.root.View(w.Context())
	read, err := w.files.Read(ctx, fs.ReadArgs{Path: "shared.txt"})
	if err != nil || read.Unsaved != "" || !strings.Contains(view.Problem(), "different unsaved texts") {
		w.Errorf("%+v, %q, %v", read, view.Problem(), err)
	}
	w.discard(first, shared, "shared\n")
	w.agree("shared.txt", "edited in the second window\n", true)
	w.discard(second.vscode, shared, "shared\n")
	w.agree("shared.txt", "shared\n", false)
	w.closeWindow(second, 1)
	w.agree("shared.txt", "shared\n", false)
}

// firstWindow returns an adapter for the window that is not the second one.
func (w *workbench) firstWindow(second secondWindow) *vscode.VSCode {
	w.Helper()
	dir := w.TempDir()
	w.check(os.Chmod(dir, 0o700))
	for name, about := range w.described(w.T) {
		w.check(os.WriteFile(filepath.Join(dir, name), []byte(about), 0o600))
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", "*.json"))
	w.check(err)
	seen := map[string]int{}
	for _, name := range names {
		seen[filepath.Base(name)]++
	}
	for name, n := range seen {
		if n > 1 {
			w.check(os.Remove(filepath.Join(dir, name)))
		}
	}
	v := vscode.New(vscode.Options{Dir: dir, Root: w.project, Name: "first window", Version: extensionVersion})
	w.Cleanup(func() { _ = v.Close(context.Background()) })
	eventually(w.T, patience, func() error {
		if detail := v.State().Detail; !strings.HasSuffix(detail, ", 1 window") {
			return errors.New(detail)
		}
		return nil
	})
	return v
}

// discard gives the document of a window the text of its file again, and saves it.
func (w *workbench) discard(v *vscode.VSCode, path, text string) {
	w.Helper()
	doc, open, err := v.Document(w.Context(), path)
	if err != nil || !open {
		w.Fatalf("%s: open %v, %v", path, open, err)
	}
	end := adapter.NewText(doc.Text).Position(len(doc.Text))
	after, err := v.Edit(w.Context(), path, doc.Version, []adapter.TextEdit{{Range: adapter.Range{Start: at(1, 1), End: end}, NewText: text}}, true)
	if err != nil || after.Dirty {
		w.Fatalf("%+v, %v", after, err)
	}
}

func twoWindowsTwoFolders(w *workbench) {
	other := filepath.Join(w.work, "other")
	second := w.openWindow("folder="+other, other)
	w.types(w.vscode, w.path("shared.txt"), "shared", "typed here")
	w.types(second.vscode, filepath.Join(other, "other.txt"), "other", "typed there")
	// A program whose Root has both folders sees both windows.
	v := vscode.New(vscode.Options{Dir: w.dir, Root: w.project, Dirs: []string{other}, Name: "both", Version: extensionVersion})
	both := newToolSets(w.T, v, w.project, other)
	eventually(w.T, patience, func() error {
		if detail := v.State().Detail; !strings.HasSuffix(detail, ", 2 windows") {
			return errors.New(detail)
		}
		return nil
	})
	w.check(both.agree(w.Context(), w.path("shared.txt"), "typed here\n", true))
	w.check(both.agree(w.Context(), filepath.Join(other, "other.txt"), "typed there\n", true))
	edited, err := both.files.Edit(w.Context(), fs.EditArgs{Path: filepath.Join(other, "other.txt"), Edits: []fs.TextEdit{{OldText: "typed", NewText: "edited"}}})
	if err != nil || !edited.Unsaved || edited.Editor != "vscode" {
		w.Errorf("%+v, %v", edited, err)
	}
	w.check(both.agree(w.Context(), filepath.Join(other, "other.txt"), "edited there\n", true))
	// The window of another project is not that of this program.
	if folders := w.vscode.State().Folders; !slices.Equal(folders, []string{w.project}) {
		w.Errorf("%q", folders)
	}
	w.discard(second.vscode, filepath.Join(other, "other.txt"), "other\n")
	w.discard(w.vscode, w.path("shared.txt"), "shared\n")
	w.closeWindow(second, 1)
}

func multiRoot(w *workbench) {
	alpha, beta := filepath.Join(w.work, "alpha"), filepath.Join(w.work, "beta")
	workspace := filepath.Join(w.work, "both.code-workspace")
	folders := func(dirs ...string) {
		var all []map[string]string
		for _, dir := range dirs {
			all = append(all, map[string]string{"path": dir})
		}
		content, err := json.Marshal(map[string]any{"folders": all})
		w.check(err)
		put(w.T, workspace, string(content))
	}
	folders(alpha)
	window := w.openWindow("workspace="+workspace, alpha)
	v := vscode.New(vscode.Options{Dir: w.dir, Root: alpha, Dirs: []string{beta}, Name: "multi-root", Version: extensionVersion})
	sets := newToolSets(w.T, v, alpha, beta)
	has := func(open ...string) {
		w.Helper()
		eventually(w.T, patience, func() error {
			if state := v.State(); !slices.Equal(state.Folders, open) {
				return fmt.Errorf("%+v", state)
			}
			return nil
		})
	}
	has(alpha)
	a, b := filepath.Join(alpha, "a.txt"), filepath.Join(beta, "b.txt")
	w.check(sets.agree(w.Context(), b, "beta\n", false))

	folders(alpha, beta)
	has(alpha, beta)
	w.types(v, a, "alpha", "typed in alpha")
	w.types(v, b, "beta", "typed in beta")
	w.check(sets.agree(w.Context(), a, "typed in alpha\n", true))
	w.check(sets.agree(w.Context(), b, "typed in beta\n", true))
	edited, err := sets.files.Edit(w.Context(), fs.EditArgs{Path: b, Edits: []fs.TextEdit{{OldText: "typed", NewText: "edited"}}})
	if err != nil || !edited.Unsaved || edited.Editor != "vscode" {
		w.Errorf("%+v, %v", edited, err)
	}
	w.check(sets.agree(w.Context(), b, "edited in beta\n", true))

	// The document of a removed folder is still in the window.
	folders(alpha)
	has(alpha, b)
	w.check(sets.agree(w.Context(), b, "edited in beta\n", true))
	w.check(sets.agree(w.Context(), a, "typed in alpha\n", true))
	w.discard(v, a, "alpha\n")
	w.discard(v, b, "beta\n")
	w.check(sets.agree(w.Context(), b, "beta\n", false))
	w.closeWindow(window, 1)
}

func otherMachines(w *workbench) {
	// No machine has the folder of the window.
	workspace := filepath.Join(w.work, "virtual.code-workspace")
	put(w.T, workspace, `{"folders": [{"uri": "vscode-vfs://github/someone/project"}]}`)
	p := w.open(w.T, "workspace="+workspace)
	v := vscode.New(vscode.Options{Dir: w.dir, Root: filepath.Join(w.work, "alpha"), Name: "remote", Version: extensionVersion})
	sets := newToolSets(w.T, v, filepath.Join(w.work, "alpha"))
	eventually(w.T, patience, func() error {
		if state := v.State(); state.Running || !strings.Contains(state.Detail, "vscode-vfs://github/someone/project") {
			return fmt.Errorf("%+v", state)
		}
		return nil
	})
	w.Logf("%+v", v.State())
	_, err := sets.editor.OpenFile(w.Context(), editor.OpenFileArgs{Path: "a.txt"})
	if err == nil || !strings.Contains(text(err), "is not running") {
		w.Errorf("%v", err)
	}
	w.check(sets.agree(w.Context(), filepath.Join(w.work, "alpha", "a.txt"), "alpha\n", false))
	w.close(w.T, p)
}
