package security_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrandom"
	"github.com/dougu-go/dougu/security"
)

// model is a tree in memory: the result of contents for the disk, and the entries of the trash by their path there.
type model struct {
	tree  map[string]string
	trash map[string]map[string]string
}

// kind returns "directory", "file" (also for links) or "".
func (m *model) kind(name string) string {
	if _, ok := m.tree[name+"/"]; ok || name == "." {
		return "directory"
	}
	if _, ok := m.tree[name]; ok {
		return "file"
	}
	return ""
}

// reachable reports whether the directory of a path exists.
func (m *model) reachable(name string) bool { return m.kind(path.Dir(name)) == "directory" }

// cut removes an entry from the tree and returns it with names relative to the entry.
func (m *model) cut(name string) map[string]string {
	part := map[string]string{}
	for entry, content := range m.tree {
		if entry == name || strings.HasPrefix(entry, name+"/") {
			part[strings.TrimPrefix(entry, name)] = content
			delete(m.tree, entry)
		}
	}
	return part
}

func (m *model) paste(name string, part map[string]string) {
	for rest, content := range part {
		m.tree[name+rest] = content
	}
}

func (m *model) move(from, to string, overwrite bool) (ok bool) {
	switch {
	case m.kind(from) == "" || from == to || !m.reachable(to) || m.kind(to) == "directory" || strings.HasPrefix(to, from+"/"):
		return false
	case m.kind(to) == "file" && (!overwrite || m.kind(from) == "directory"):
		return false
	}
	return true
}

// machine does the same to a Root and to the model.
type machine struct {
	model
	dir    string
	root   *security.Root
	made   int // contents so far, all different
	random testrandom.Rand
}

func (m *machine) name() string {
	names := make([]string, m.random.Between(1, 3))
	for i := range names {
		names[i] = testrandom.Pick(m.random, "a", "b", "c")
	}
	return strings.Join(names, "/")
}

// Write creates or replaces a file. A replacement is not a deletion.
func (m *machine) Write(t *testing.T) {
	name := m.name()
	if m.kind(name) != "" || !m.reachable(name) {
		return
	}
	m.made++
	content := fmt.Sprint("content ", m.made)
	if _, err := m.root.Write(t.Context(), name, []byte(content), security.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	m.tree[name] = content
}

func (m *machine) Link(t *testing.T) {
	name := m.name()
	if m.kind(name) != "" || !m.reachable(name) {
		return
	}
	m.made++
	target := fmt.Sprint("nowhere-", m.made)
	if err := os.Symlink(target, filepath.Join(m.dir, name)); err != nil {
		t.Fatal(err)
	}
	m.tree[name] = "-> " + target
}

func (m *machine) MakeDir(t *testing.T) {
	name, parents := m.name(), m.random.Bool()
	want := m.reachable(name) || parents
	for at := name; at != "."; at = path.Dir(at) {
		if strings.HasPrefix(m.tree[at], "-> ") {
			return
		}
		want = want && m.kind(at) != "file"
	}
	result, err := m.root.MakeDir(t.Context(), name, parents)
	if (err == nil) != want || err == nil && result.Created != (m.kind(name) == "") {
		t.Fatalf("making %s: %+v, %v", name, result, err)
	}
	for at := name; want && at != "."; at = path.Dir(at) {
		m.tree[at+"/"] = ""
	}
}

func (m *machine) Move(t *testing.T) {
	from, to, overwrite := m.name(), m.name(), m.random.Bool()
	want, replaced := m.move(from, to, overwrite), m.kind(to) == "file"
	result, err := m.root.Move(t.Context(), from, to, security.MoveOptions{Overwrite: overwrite})
	if (err == nil) != want {
		t.Fatalf("moving %s to %s: %v", from, to, err)
	}
	if err != nil {
		return
	}
	part := m.cut(from)
	if replaced {
		m.trash[result.Replaced.Path] = m.cut(to)
	}
	m.paste(to, part)
}

func (m *machine) Trash(t *testing.T) {
	name, recursive := m.name(), m.random.Bool()
	want := m.kind(name) != ""
	for entry := range m.tree {
		if strings.HasPrefix(entry, name+"/") && entry != name+"/" {
			want = want && recursive
		}
	}
	result, err := m.root.Trash(t.Context(), name, security.TrashOptions{Recursive: recursive})
	if (err == nil) != want {
		t.Fatalf("deleting %s: %v", name, err)
	}
	if err == nil {
		m.trash[result.Trash.Path] = m.cut(name)
	}
}

// Restore moves an entry out of the trash to a random path.
func (m *machine) Restore(t *testing.T) {
	if len(m.trash) == 0 {
		return
	}
	from, to := testrandom.Pick(m.random, slices.Sorted(maps.Keys(m.trash))...), m.name()
	want := m.reachable(to) && m.kind(to) == ""
	if _, err := m.root.Move(t.Context(), from, to, security.MoveOptions{}); (err == nil) != want {
		t.Fatalf("moving %s to %s: %v", from, to, err)
	}
	if want {
		m.paste(to, m.trash[from])
		delete(m.trash, from)
	}
}

// Check compares the disk with the model: deleted and overwritten entries are in the trash.
func (m *machine) Check(t *testing.T) {
	tree, err := contentsOf(m.dir)
	if err != nil || !maps.Equal(tree, m.tree) {
		t.Fatalf("the tree differs:%s, %v", differences(m.tree, tree), err)
	}
	want := map[string]string{}
	for name, part := range m.trash {
		for rest, content := range part {
			want[name+rest] = content
		}
	}
	got := map[string]string{}
	trash, err := contentsOf(filepath.Join(m.dir, security.TrashDir))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for name, content := range trash {
		full := security.TrashDir + "/" + name
		if _, ours := want[full]; ours || !strings.HasSuffix(name, "/") && name != ".gitignore" {
			got[full] = content
		}
	}
	if !maps.Equal(got, want) {
		t.Fatalf("the trash differs:%s", differences(want, got))
	}
}

// TestRoot_RandomChangesLoseNothing creates, moves, overwrites, deletes and restores entries at random.
func TestRoot_RandomChangesLoseNothing(t *testing.T) {
	state := t.TempDir()
	testrandom.Check(t, func(t *testing.T, r testrandom.Rand) {
		dir, err := os.MkdirTemp(state, "project-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: filepath.Join(state, "locks"), Durability: security.Process})
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		m := &machine{model: model{map[string]string{}, map[string]map[string]string{}}, dir: dir, root: root, random: r}
		actions := []func(*testing.T){m.Write, m.Link, m.MakeDir, m.Move, m.Trash, m.Restore}
		for range 30 {
			testrandom.Pick(r, actions...)(t)
			m.Check(t)
		}
	})
}
