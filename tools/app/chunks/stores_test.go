package chunks

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// memory is a store that outlives the program.
type memory struct {
	mu     sync.Mutex
	files  map[string]*index.File
	closed int
}

func (m *memory) Load(context.Context) (all []*index.File, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.files {
		all = append(all, f)
	}
	return all, nil
}

func (m *memory) Save(_ context.Context, changed []*index.File, removed []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range changed {
		m.files[f.Path] = f
	}
	for _, path := range removed {
		delete(m.files, path)
	}
	return nil
}

func (m *memory) Close() error {
	m.closed++
	return nil
}

// A store of Options is a value of the flag -store, and can be its default.
func TestOptions_Stores(t *testing.T) {
	kept := &memory{files: make(map[string]*index.File)}
	open := func(_ context.Context, root *security.Root, log *slog.Logger) (index.Store, error) {
		if root == nil || log == nil {
			return nil, errors.New("no root or log")
		}
		return kept, nil
	}
	with := func(o Options) apptest.Program { return func() *app.App { return New(o) } }
	dir := newProject(t)
	own := Options{Stores: map[string]func(context.Context, *security.Root, *slog.Logger) (index.Store, error){"kept": open}}

	apptest.Contains(t, with(own).MustRun(t, "index", "-root", dir, "-store", "kept"), "kept in", "the store kept", "3 new or changed")
	if len(kept.files) != 3 || kept.closed != 1 || exists(dir+"/data") {
		t.Errorf("the store has %d files and was closed %d times", len(kept.files), kept.closed)
	}
	apptest.Contains(t, with(own).MustRun(t, "help", "flags"), "kept; ")
	with(own).MustFail(t, 1, "-data names the directory of the json store", "index", "-root", dir, "-store", "kept", "-data", "x")
	with(own).MustFail(t, 1, `there is no store "none"; choose kept, json, sqlite or memory`, "index", "-root", dir, "-store", "none")

	own.DefaultStore = "kept"
	apptest.Contains(t, with(own).MustRun(t, "index", "-root", dir), "3 unchanged", "the store kept")

	own.Stores["json"] = open
	with(own).MustFail(t, 1, `the added store "json"`, "index", "-root", dir)
	failing := Options{DefaultStore: "broken", Stores: map[string]func(context.Context, *security.Root, *slog.Logger) (index.Store, error){
		"broken": func(context.Context, *security.Root, *slog.Logger) (index.Store, error) {
			return nil, errors.New("no network")
		},
	}}
	with(failing).MustFail(t, 1, "open the store broken: no network", "index", "-root", dir)
}
