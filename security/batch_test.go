package security_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// projectFiles returns the contents and modes of the files of a project, without the files of a Root itself.
func projectFiles(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == security.TrashDir || d.Name() == security.BackupDir {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			all[rel+"/"] = ""
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(name)
		all[rel] = info.Mode().String() + " " + string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// journals returns the files in the directories of journals.
func journals(t testing.TB, state string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(state, "journal", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantFiles(t testing.TB, what, dir string, want map[string]string) {
	t.Helper()
	if got := projectFiles(t, dir); !maps.Equal(got, want) {
		t.Errorf("%s:%s", what, differences(want, got))
	}
}

// sample is a project, and a change of it with all kinds of steps.
var (
	sample      = map[string]string{"a": "old a", "b": "old b", "c": "old c", "d/e": "old e", "open": "in an editor"}
	sampleSteps = []security.Step{
		{Kind: security.WriteStep, Path: "a", Content: []byte("new a")},
		{Kind: security.CreateStep, Path: "x/y/new", Content: []byte("new")},
		{Kind: security.WriteStep, Path: "d/e", Content: []byte("new e"), ExpectedSHA256: sum("old e")},
		{Kind: security.TrashStep, Path: "b"},
		{Kind: security.MoveStep, Path: "d/e", To: "moved"},
	}
)

func TestBatch_AllSteps(t *testing.T) {
	dir, o := layout(t, sample), quick
	o.StateDir = t.TempDir()
	r := open(t, o, dir)
	if err := r.Batch(t.Context(), "test", sampleSteps...); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "new a", "x/y/new": "new", "moved": "new e", "c": "old c"} {
		if got := onDisk(t, dir, name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"b", "d/e"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left := journals(t, o.StateDir); len(left) > 0 {
		t.Errorf("left in the state directory: %v", left)
	}
	if told := r.TakeNotices(); len(told) > 0 {
		t.Errorf("told %q", told)
	}
	info, err := os.Stat(filepath.Join(o.StateDir, "journal"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the directory of journals: %v, %v", info, err)
	}
}

// TestBatch_CancelledBetweenSteps checks that a call that ends before the last step begins leaves nothing behind, and that a later
// end does not undo the change.
func TestBatch_CancelledBetweenSteps(t *testing.T) {
	for at := range 3 {
		dir, o := layout(t, sample), quick
		o.StateDir = t.TempDir()
		r := open(t, o, dir)
		before := projectFiles(t, dir)
		ctx, cancel := context.WithCancel(t.Context())
		var steps []security.Step
		for i, name := range []string{"a", "b", "c"} {
			steps = append(steps, security.Step{Kind: security.WriteStep, Path: name, Act: func(ctx context.Context) (func(context.Context) error, error) {
				if i == at {
					cancel()
				}
				old := onDisk(t, dir, name)
				_, err := r.Write(ctx, name, []byte("new"), security.WriteOptions{Overwrite: true})
				return func(ctx context.Context) error {
					_, err := r.Write(ctx, name, []byte(old), security.WriteOptions{Overwrite: true})
					return err
				}, err
			}})
		}
		err := r.Batch(ctx, "test", append([]security.Step{{Kind: security.CreateStep, Path: "x/y/new", Content: []byte("new")}, {Kind: security.WriteStep, Path: "d/e", Content: []byte("new")}}, steps...)...)
		if at == 2 {
			if err != nil || onDisk(t, dir, "a") != "new" || onDisk(t, dir, "c") != "new" || onDisk(t, dir, "d/e") != "new" {
				t.Errorf("ended in the last step: %v", err)
			}
		} else {
			if !errors.Is(err, context.Canceled) || security.CodeOf(err) != security.Cancelled {
				t.Errorf("step %d: %v", at, err)
			}
			wantFiles(t, "after the cancellation", dir, before)
		}
		if left := journals(t, o.StateDir); len(left) > 0 {
			t.Errorf("left in the state directory: %v", left)
		}
		cancel()
	}
}

// TestBatch_FailedStepRestoresFiles checks that a failed step undoes the earlier steps: contents, modes, moves,
// deletions and directories.
func TestBatch_FailedStepRestoresFiles(t *testing.T) {
	failing := errors.New("the editor failed")
	for name, last := range map[string]security.Step{
		"taken destination": {Kind: security.MoveStep, Path: "c", To: "d"},
		"failing editor":    {Kind: security.WriteStep, Path: "c", Act: func(context.Context) (func(context.Context) error, error) { return nil, failing }},
	} {
		t.Run(name, func(t *testing.T) {
			dir, o := layout(t, sample), quick
			o.StateDir = t.TempDir()
			if err := os.Chmod(filepath.Join(dir, "a"), 0o751); err != nil {
				t.Fatal(err)
			}
			before := projectFiles(t, dir)
			r := open(t, o, dir)
			undone := 0
			steps := append([]security.Step{{Kind: security.WriteStep, Path: "open", Act: func(context.Context) (func(context.Context) error, error) {
				return func(context.Context) error { undone++; return nil }, nil
			}}}, sampleSteps...)
			err := r.Batch(t.Context(), "test", append(steps, last)...)
			if err == nil || name == "failing editor" && !errors.Is(err, failing) {
				t.Errorf("%v", err)
			}
			wantFiles(t, "after the failure", dir, before)
			if undone != 1 {
				t.Errorf("the step of the editor was taken back %d times", undone)
			}
			if left := journals(t, o.StateDir); len(left) > 0 {
				t.Errorf("left in the state directory: %v", left)
			}
		})
	}
}

// TestBatch_FileChangedByOtherProgram keeps a file that another program has changed after its step, and backs up the
// former content.
func TestBatch_FileChangedByOtherProgram(t *testing.T) {
	dir := layout(t, sample)
	r := open(t, quick, dir)
	err := r.Batch(t.Context(), "test",
		security.Step{Kind: security.WriteStep, Path: "a", Content: []byte("new a")},
		security.Step{Kind: security.WriteStep, Path: "b", Content: []byte("new b")},
		security.Step{Kind: security.WriteStep, Path: "c", Act: func(context.Context) (func(context.Context) error, error) {
			return nil, errors.Join(errors.New("no"), os.WriteFile(filepath.Join(dir, "a"), []byte("somebody else's"), 0o644))
		}})
	e := asError(t, err)
	if e.Code != security.InternalError || !strings.Contains(e.Error(), "could not all be undone: a: ") {
		t.Errorf("%v", err)
	}
	if a, b := onDisk(t, dir, "a"), onDisk(t, dir, "b"); a != "somebody else's" || b != "old b" {
		t.Errorf("a holds %q, b %q", a, b)
	}
	kept, err := filepath.Glob(filepath.Join(dir, security.BackupDir, "files", "a", "*"))
	if err != nil || len(kept) != 1 || onDisk(t, kept[0]) != "old a" || !strings.Contains(e.Error(), filepath.Base(kept[0])) {
		t.Errorf("kept in %v, %v; told %v", kept, err, e)
	}
}

// TestBatch_NamesDifferInCase treats names that differ in case as two files where the file system does.
func TestBatch_NamesDifferInCase(t *testing.T) {
	dir, o := layout(t, map[string]string{"shop.ts": "class Shop"}), quick
	o.StateDir = t.TempDir()
	if _, err := os.Stat(filepath.Join(dir, "SHOP.ts")); err == nil {
		t.Skip("the file system does not tell names apart by case")
	}
	r := open(t, o, dir)
	err := r.Batch(t.Context(), "test",
		security.Step{Kind: security.CreateStep, Path: "Shop.ts", Content: []byte("class Shop")},
		security.Step{Kind: security.WriteStep, Path: "shop.ts", Content: []byte("import")},
		security.Step{Kind: security.MoveStep, Path: "shop.ts", To: "index.ts"})
	if err != nil {
		t.Fatal(err)
	}
	if moved, made := onDisk(t, dir, "index.ts"), onDisk(t, dir, "Shop.ts"); moved != "import" || made != "class Shop" {
		t.Errorf("index.ts holds %q, Shop.ts %q", moved, made)
	}
	// One that fails afterwards takes both back.
	before := projectFiles(t, dir)
	failing := errors.New("the editor failed")
	err = r.Batch(t.Context(), "test",
		security.Step{Kind: security.WriteStep, Path: "Shop.ts", Content: []byte("1")},
		security.Step{Kind: security.CreateStep, Path: "shop.ts", Content: []byte("2")},
		security.Step{Kind: security.WriteStep, Path: "index.ts", Act: func(context.Context) (func(context.Context) error, error) { return nil, failing }})
	if !errors.Is(err, failing) {
		t.Errorf("%v", err)
	}
	wantFiles(t, "after the failure", dir, before)
}

// TestBatch_Refused changes nothing if the change cannot be planned.
func TestBatch_Refused(t *testing.T) {
	write := security.Step{Kind: security.WriteStep, Path: "a", Content: []byte("x")}
	for what, test := range map[string]struct {
		step security.Step
		code security.Code
	}{
		"outside":              {security.Step{Kind: security.CreateStep, Path: "../x"}, security.PermissionDenied},
		"hidden":               {security.Step{Kind: security.CreateStep, Path: ".env"}, security.PermissionDenied},
		"moved out":            {security.Step{Kind: security.MoveStep, Path: "b", To: "/tmp/x"}, security.PermissionDenied},
		"missing":              {security.Step{Kind: security.WriteStep, Path: "none"}, security.FileNotFound},
		"a directory":          {security.Step{Kind: security.TrashStep, Path: "d"}, security.IsDirectory},
		"made again":           {security.Step{Kind: security.CreateStep, Path: "b"}, security.AlreadyExists},
		"written twice":        {security.Step{Kind: security.WriteStep, Path: "a"}, security.InvalidParams},
		"of another content":   {security.Step{Kind: security.WriteStep, Path: "b", ExpectedSHA256: sum("x")}, security.StaleFile},
		"moved onto a written": {security.Step{Kind: security.MoveStep, Path: "b", To: "a"}, security.InvalidParams},
	} {
		dir := layout(t, sample)
		before := projectFiles(t, dir)
		if err := open(t, quick, dir).Batch(t.Context(), "test", write, test.step); security.CodeOf(err) != test.code {
			t.Errorf("%s: %v, want %s", what, err, test.code)
		}
		wantFiles(t, what, dir, before)
	}
}

// TestBatch_OwnerAlive does not undo the change of a living process.
func TestBatch_OwnerAlive(t *testing.T) {
	dir, o := layout(t, sample), quick
	o.StateDir = t.TempDir()
	r, other := open(t, o, dir), open(t, o, dir)
	err := r.Batch(t.Context(), "test", append(sampleSteps, security.Step{Kind: security.WriteStep, Path: "c",
		Act: func(ctx context.Context) (func(context.Context) error, error) {
			_, err := other.Write(t.Context(), "other", nil, security.WriteOptions{})
			open(t, o, dir)
			return nil, err
		}})...)
	if err != nil || onDisk(t, dir, "a") != "new a" || onDisk(t, dir, "moved") != "new e" {
		t.Errorf("%v; a holds %q", err, onDisk(t, dir, "a"))
	}
	if told := other.TakeNotices(); len(told) > 0 {
		t.Errorf("told %q", told)
	}
}
