package fs_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/edit"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// FuzzEdit edits files of arbitrary bytes. A refused edit leaves the file unchanged; another one changes no byte outside its
// diff.
func FuzzEdit(f *testing.F) {
	for _, c := range editCorpus(f) {
		e := c.Edits[0]
		f.Add(c.Before, e.Old, e.New, e.ReplaceAll, uint8(e.NearLine))
	}
	p := newProject(f, setup{}, nil)
	f.Fuzz(func(t *testing.T, raw []byte, old, new string, all bool, near uint8) {
		if len(raw)+len(old)+len(new) > 1<<14 {
			t.Skip()
		}
		p.put(t, "f", string(raw))
		args := fs.EditArgs{Path: "f", Edits: []fs.TextEdit{{OldText: old, NewText: new, ReplaceAll: all, NearLine: int(near)}}}
		got, err := p.Edit(t.Context(), args)
		after := p.bytes(t, "f")
		if err != nil {
			if after != string(raw) {
				t.Fatalf("refused with %v, but %q became %q", err, raw, after)
			}
			if code := security.CodeOf(err); code == "" || code == security.InternalError {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		if got.SHA256 != digest(after) || got.Size != int64(len(after)) || len(got.Applied) != 1 {
			t.Fatalf("answered %+v", got)
		}
		checkOutside(t, string(raw), after, args.Edits[0])
	})
}

// checkOutside checks that the bytes before the first change and after the last one are unchanged, and that the bytes between
// them are as planned.
func checkOutside(t *testing.T, before, after string, e fs.TextEdit) {
	t.Helper()
	was, err := textfile.Decode([]byte(before), textfile.Auto)
	if err != nil {
		t.Fatal(err)
	}
	if was.BOM && strings.HasPrefix(e.OldText, "\uFEFF") {
		return
	}
	plan, err := edit.Plan(was.Content, []edit.Edit{{Old: e.OldText, New: e.NewText, ReplaceAll: e.ReplaceAll, NearLine: e.NearLine}})
	if err != nil {
		t.Fatalf("%q, %+v was edited, but not planned: %v", before, e, err)
	}
	now, err := textfile.Decode([]byte(after), was.Encoding)
	want := plan.Apply(was.Content)
	if !was.BOM {
		want = strings.TrimPrefix(want, "\uFEFF") // then it is one
	}
	if err != nil || now.Content != want {
		t.Fatalf("%q, %+v became %q, which is read as %+v, %v", before, e, after, now, err)
	}
	if was.Encoding != textfile.UTF8 {
		return
	}
	first, last := plan.Changes[0], plan.Changes[len(plan.Changes)-1]
	mark := len(before) - len(was.Content)
	if !strings.HasPrefix(after, before[:mark+first.Start]) || !strings.HasSuffix(after, before[mark+last.End:]) {
		t.Fatalf("%q, %+v became %q", before, e, after)
	}
}
