package filesystem_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// project is a directory whose files are indexed.
type project struct {
	testing.TB
	dir   string
	root  *security.Root
	index *memory
}

func newProject(t testing.TB, files map[string]string) *project {
	t.Helper()
	p := &project{TB: t, dir: t.TempDir(), index: newMemory()}
	for name, content := range files {
		p.write(name, content)
	}
	p.open(security.RootOptions{})
	return p
}

func (p *project) open(o security.RootOptions) {
	p.Helper()
	if o.Dirs == nil {
		o.Dirs = []string{p.dir}
	}
	o.StateDir = p.TempDir()
	root, err := security.OpenRoot(o)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { root.Close() })
	p.root = root
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// write writes a file with an old modification time. See now.
func (p *project) write(name, content string) {
	p.Helper()
	p.now(name, content)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(p.path(name), old, old); err != nil {
		p.Fatal(err)
	}
}

// now writes a file with the current modification time.
func (p *project) now(name, content string) {
	p.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(content), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p *project) remove(name string) {
	p.Helper()
	if err := os.RemoveAll(p.path(name)); err != nil {
		p.Fatal(err)
	}
}

// files returns a Filesystem that updates only on Refresh, unless an interval is set.
func (p *project) files(o filesystem.Options) *filesystem.Filesystem {
	p.Helper()
	if o.Index == nil {
		o.Index = p.index
	}
	if o.Parsers == nil {
		o.Parsers = source.NewParsers()
	}
	if o.Interval == 0 {
		o.Interval = -1
	}
	f, err := filesystem.New(tools.Env{Root: p.root}, o)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { p.close(f) })
	return f
}

func (p *project) close(f *filesystem.Filesystem) {
	p.Helper()
	if err := f.Close(context.Background()); err != nil {
		p.Error(err)
	}
}

func (p *project) refresh(f *filesystem.Filesystem, o plugin.RefreshOptions) plugin.Report {
	p.Helper()
	report, err := f.Refresh(p.Context(), o)
	if err != nil {
		p.Fatal(err)
	}
	return report
}

// texts returns the indexed texts, by path.
func (p *project) texts() map[string]string {
	p.index.mu.Lock()
	defer p.index.mu.Unlock()
	all := map[string]string{}
	for path, f := range p.index.files {
		all[path] = string(f.Text)
	}
	return all
}

func (p *project) paths() []string { return slices.Sorted(maps.Keys(p.texts())) }

// wants fails the test unless exactly these files are indexed.
func (p *project) wants(label string, want ...string) {
	p.Helper()
	if got := p.paths(); !slices.Equal(got, want) {
		p.Errorf("%s: %q is indexed, want %q", label, got, want)
	}
}

// counts returns the numbers of a Report.
func counts(r plugin.Report) [5]int {
	return [5]int{r.Files, r.Added, r.Updated, r.Removed, r.Unchanged}
}
