package headless

import (
	"context"
	"maps"
	"slices"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// Starting implements adapter.Starter. It is true if a server for one of the files has not reported on a file since its start, or a
// compiler has not finished its first run.
func (h *Headless) Starting(ctx context.Context, paths []string) bool {
	if len(paths) == 0 {
		_ = h.project.update(ctx) // without a scan there are no files, and nothing starts
		paths = h.exampleFiles(ctx)
	}
	withoutServer := make(map[string]error)
	for _, path := range paths {
		instances, err := h.instancesFor(path, h.project.languageOf(path))
		if err != nil {
			withoutServer[path] = err
			continue
		}
		if slices.ContainsFunc(instances, (*instance).isStarting) {
			return true
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(withoutServer)), h.isCompiling)
}

// exampleFiles returns one file of each language and folder of the project.
func (h *Headless) exampleFiles(ctx context.Context) []string {
	var examples []string
	seen := make(map[instanceKey]bool)
	add := func(name string, s Server) {
		folders, _, err := h.filesOf(ctx, s)
		if err != nil {
			return
		}
		for folder, paths := range folders {
			if key := (instanceKey{name, folder}); !seen[key] {
				seen[key] = true
				examples = append(examples, paths[0])
			}
		}
	}
	for _, s := range h.o.Servers {
		add(s.Name, s)
	}
	for _, c := range h.compilers {
		add(c.Name, Server{Languages: c.Languages, RootMarkers: c.RootMarkers})
	}
	return examples
}

// isCompiling reports whether the compiler for a file has not finished its first run.
func (h *Headless) isCompiling(path string) bool {
	c, folder, ok, _ := h.compilerFor(path)
	if !ok {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	run := h.compilations[instanceKey{c.Name, folder}]
	return run == nil || run.first && !wait.IsClosed(run.done)
}

// isStarting reports whether the server has not reported on a file since its start. It is false for a server that was given up.
func (i *instance) isStarting() bool {
	session, _ := i.life.Running()
	if session == nil {
		return !i.life.GivenUp()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.answered != session
}

// noteAnswer records that a server has reported on a file.
func (i *instance) noteAnswer(session *lsp.Session) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answered = session
}
