//go:build linux

package vscode_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/fs"
)

// modelFile is a file of the model: the content of the disk, and the text in the window.
type modelFile struct {
	name     string
	disk     string
	text     string // in the window, if dirty
	dirty    bool
	undoable bool // the last step has changed the text in the window
}

// present is the text that tools must return.
func (f *modelFile) present() string {
	if f.dirty {
		return f.text
	}
	return f.disk
}

const sequenceSteps = 3

// randomSequences makes random sequences of tools and actions of the user on three files. After every step each tool must see the text of
// the model in every file. DOUGU_VSCODE_SEQUENCES is the number of sequences, and DOUGU_TEST_SEED repeats one.
func randomSequences(w *workbench) {
	number, seed := 45, rand.Uint64()
	if n, err := strconv.Atoi(os.Getenv("DOUGU_VSCODE_SEQUENCES")); err == nil {
		number = n
	}
	if given, err := strconv.ParseUint(os.Getenv("DOUGU_TEST_SEED"), 10, 64); err == nil {
		number, seed = 1, given
	}
	files := make([]*modelFile, 3)
	for i := range files {
		files[i] = &modelFile{name: fmt.Sprintf("random%d.txt", i), disk: "one\ntwo\nthree\n"}
		put(w.T, w.path(files[i].name), files[i].disk)
	}
	for n := range uint64(number) {
		r := rand.New(rand.NewPCG(seed+n, 0))
		var log []string
		for step := range sequenceSteps {
			f := files[r.IntN(len(files))]
			log = append(log, w.step(r, f, fmt.Sprintf("%d.%d", n, step))+" "+f.name)
			for _, f := range files {
				if err := w.toolSets.agree(w.Context(), w.path(f.name), f.present(), f.dirty); err != nil {
					w.Fatalf("seed %d, after %s: %s, which is %+v: %v", seed+n, strings.Join(log, ", "), f.name, *f, err)
				}
				if text := w.onDisk(f.name).Text; text != f.disk {
					w.Fatalf("seed %d, after %s: %s is %q on the disk, not %q", seed+n, strings.Join(log, ", "), f.name, text, f.disk)
				}
			}
		}
	}
	for _, f := range files {
		if f.dirty {
			w.save(f.name)
		}
	}
}

// step makes a random step with a file and returns its name. mark is a text that no other step has.
func (w *workbench) step(r *rand.Rand, f *modelFile, mark string) string {
	w.Helper()
	first, rest, _ := strings.Cut(f.present(), "\n")
	changed := first + " " + mark + "\n" + rest
	action := r.IntN(10)
	switch {
	case action == 0 && f.dirty:
		w.save(f.name)
		f.disk, f.dirty, f.undoable = f.text, false, false
		return "save"
	case action <= 1 && f.undoable:
		w.undoStep(f)
		return "undo"
	case action == 2 && !f.dirty:
		put(w.T, w.path(f.name), changed)
		f.disk, f.undoable = changed, false
		return "change outside"
	case action == 3 && f.dirty:
		w.show(f.name, nil)
		w.page.command("File: Revert File")
		eventually(w.T, patience, func() error {
			if doc := w.document(f.name); doc.Dirty {
				return errors.New("the document is not reverted")
			}
			return nil
		})
		f.dirty, f.undoable = false, false
		return "revert"
	case action <= 5:
		// VS Code has the text of the disk before the user types.
		w.show(f.name, nil)
		eventually(w.T, patience, func() error {
			if doc := w.document(f.name); doc.Text != f.present() {
				return fmt.Errorf("%s is %q in the window, not %q", f.name, doc.Text, f.present())
			}
			return nil
		})
		w.types(w.vscode, w.path(f.name), first+"\n", first+" "+mark+"\n")
		f.text, f.dirty, f.undoable = changed, true, true
		return "type"
	}
	return w.change(r, f, first, mark)
}

// undoStep undoes the last change of the text in the window.
func (w *workbench) undoStep(f *modelFile) {
	w.Helper()
	before := w.document(f.name)
	w.show(f.name, nil)
	w.page.press("KeyZ", 90, control)
	eventually(w.T, patience, func() error {
		doc := w.document(f.name)
		if doc.Version == before.Version || doc.Text == before.Text {
			return errors.New("nothing is undone")
		}
		f.text, f.dirty = doc.Text, doc.Dirty
		return nil
	})
	f.undoable = false
}

// change changes a file with a random tool. A digest of a former text is refused, and that of a new read is accepted.
func (w *workbench) change(r *rand.Rand, f *modelFile, first, mark string) string {
	w.Helper()
	sum := digest(f.present())
	if r.IntN(3) == 0 {
		sum = digest(f.disk)
	}
	rest := strings.TrimPrefix(f.present(), first+"\n")
	var want string
	var call func() error
	tool := []string{"write_file", "edit_file", "insert_code", "replace_code"}[r.IntN(4)]
	switch tool {
	case "write_file":
		want = mark + "\n" + rest
		call = func() error {
			_, err := w.files.Write(w.Context(), fs.WriteArgs{Path: f.name, Content: want, ExpectedSHA256: sum})
			return err
		}
	case "edit_file":
		want = first + "\n" + strings.Replace(rest, "two\n", "two\n"+mark+"\n", 1)
		call = func() error {
			_, err := w.files.Edit(w.Context(), fs.EditArgs{Path: f.name, Edits: []fs.TextEdit{{OldText: "two\n", NewText: "two\n" + mark + "\n"}}, ExpectedSHA256: sum})
			return err
		}
	case "insert_code":
		want = first + "\n" + mark + "\n" + rest
		call = func() error {
			_, err := w.editor.InsertCode(w.Context(), editor.InsertCodeArgs{Path: f.name, Line: 2, Content: mark, ExpectedSHA256: sum})
			return err
		}
	default:
		want = first + "\n" + strings.Replace(rest, "three\n", "three\n"+mark+"\n", 1)
		call = func() error {
			_, err := w.editor.ReplaceCode(w.Context(), editor.ReplaceCodeArgs{Path: f.name, Pattern: "three\n", Replacement: "three\n" + mark + "\n", Preview: ptr(false), ExpectedSHA256: sum})
			return err
		}
	}
	err := call()
	if security.CodeOf(err) == security.StaleFile {
		tool += " again"
		read, failed := w.files.Read(w.Context(), fs.ReadArgs{Path: f.name})
		w.check(failed)
		sum = read.SHA256
		err = call()
	}
	if err != nil {
		w.Fatalf("%s of %+v: %v", tool, *f, err)
	}
	if f.dirty {
		f.text, f.undoable = want, true
	} else {
		f.disk, f.undoable = want, false
	}
	return tool
}
