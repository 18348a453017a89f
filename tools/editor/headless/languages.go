package headless

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/dougu-go/dougu/tools/editor/internal/installed"
)

// LanguageServers describes the known language servers for one language.
type LanguageServers struct {
	// Language is the identifier of the Language Server Protocol.
	Language string
	// Files is the number of files in the project.
	Files int
	// Servers are the known servers, in the order of preference.
	Servers []ServerState
	// Optional is true if a file counts as complete without a server. See Server.Optional.
	Optional bool
}

// Available returns the first server that can be started.
func (l LanguageServers) Available() (ServerState, bool) {
	i := slices.IndexFunc(l.Servers, func(s ServerState) bool { return s.Availability == Found })
	if i < 0 {
		return ServerState{}, false
	}
	return l.Servers[i], true
}

// Problem returns the server whose reason and next step say why the language has no available server: an installed one that cannot be
// started, or else the preferred one. Call it if Available returns none.
func (l LanguageServers) Problem() ServerState {
	i := slices.IndexFunc(l.Servers, func(s ServerState) bool { return s.Availability != Missing })
	return l.Servers[max(i, 0)]
}

// ServerState describes a known language server on this machine.
type ServerState struct {
	// Name is Server.Name.
	Name string
	// Availability reports whether the server can be started.
	Availability Availability
	// Program is the path of the program, Origin the place in which it was found, for example PATH or mason, and Version its version
	// as far as files show it. They are empty for a missing server.
	Program, Origin, Version string
	// Reason is the reason why the server cannot be started, and Next the next step. Both are empty if it can.
	Reason, Next string
	// Tested is Server.Tested.
	Tested bool
}

// Availability reports whether a language server can be started.
type Availability string

// Availabilities of a language server.
const (
	// Found is a server that starts with the first request.
	Found Availability = "found"
	// Untrusted is an installed server that needs Options.TrustProject.
	Untrusted Availability = "untrusted"
	// Unusable is an installed server that lacks another program, or whose version cannot be used.
	Unusable Availability = "unusable"
	// Missing is a server that is not installed.
	Missing Availability = "missing"
)

// serverState describes a server for a folder.
func (h *Headless) serverState(s Server, folder string) ServerState {
	state := ServerState{Name: s.Name, Availability: Found, Tested: s.Tested}
	p, err := h.command(s, folder)
	if err != nil {
		state.Reason, state.Next = reasonAndStep(err)
		state.Availability = Missing
		if errors.Is(err, errMissing) {
			return state
		}
		ok := false
		if p, ok = h.find(s); !ok {
			p, ok = h.findInProject(s, folder)
		}
		switch {
		case !ok:
			return state
		case !h.o.TrustProject && (s.RunsProject || p.Origin == installed.OriginProject):
			state.Availability = Untrusted
		default:
			state.Availability = Unusable
		}
	}
	state.Program, state.Origin, state.Version = p.File, p.Origin, p.Version()
	return state
}

// WhyUnchecked implements adapter.Explainer. It returns empty strings for a language without a known server, and for one whose
// servers are optional.
func (h *Headless) WhyUnchecked(path string) (reason, next string) {
	language := h.project.languageOf(path)
	if !h.inProject(path) || !slices.ContainsFunc(h.o.Servers, func(s Server) bool { return !s.Optional && slices.Contains(s.Languages, language) }) {
		return "", ""
	}
	if _, err := h.serversFor(path, language); err != nil {
		_, _, usable, missing := h.compilerFor(path)
		if usable {
			return "", ""
		}
		return h.withoutCompiler(err, missing)
	}
	return "", ""
}

// Unindexed implements adapter.Indexer.
func (h *Headless) Unindexed(path string) (reason, next string) {
	servers, err := h.serversFor(path, h.project.languageOf(path))
	if err != nil {
		return "", "" // WhyUnchecked reports this
	}
	for _, s := range servers {
		if s.Index != "" && !hasIndex(path, s.Index) {
			return s.Name + " has checked only open files and their includes, because there is no " + s.Index + " for " + filepath.Base(path), s.IndexHint
		}
	}
	return "", ""
}

// hasIndex reports whether an index file exists for a source file. It is searched in each directory from the source up to the root,
// in its subdirectory build, and in the directory named by a .clangd.
func hasIndex(path, index string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		places := []string{dir, filepath.Join(dir, "build")}
		if settings := filepath.Join(dir, ".clangd"); isFile(settings) {
			text, _ := os.ReadFile(settings)
			if m := compilationDatabase.FindSubmatch(text); m != nil {
				place := filepath.FromSlash(string(m[1]))
				if !filepath.IsAbs(place) {
					place = filepath.Join(dir, place)
				}
				places = append(places, place)
			}
		}
		if slices.ContainsFunc(places, func(place string) bool { return isFile(filepath.Join(place, index)) }) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// compilationDatabase matches the setting of .clangd that names the directory of an index.
var compilationDatabase = regexp.MustCompile(`(?m)^\s*CompilationDatabase:\s*["']?([^\s"'#]+)`)

// Languages returns the languages of the project for which servers are known, sorted by descending number of files. With all it
// returns every known language, those without files last.
func (h *Headless) Languages(ctx context.Context, all bool) ([]LanguageServers, error) {
	if _, _, _, err := h.project.changes(ctx, -1); err != nil {
		return nil, err
	}
	examples, counts, err := h.projectLanguages(ctx)
	if err != nil {
		return nil, err
	}
	if all {
		for _, s := range h.o.Servers {
			for _, language := range s.Languages {
				if _, known := examples[language]; !known {
					examples[language] = filepath.Join(h.dirs[0], "file")
				}
			}
		}
	}
	list := make([]LanguageServers, 0, len(examples))
	for language, example := range examples {
		l := LanguageServers{Language: language, Files: counts[language], Optional: true}
		for _, s := range h.o.Servers {
			if slices.Contains(s.Languages, language) {
				l.Servers = append(l.Servers, h.serverState(s, h.folderOf(example, s.RootMarkers)))
				l.Optional = l.Optional && s.Optional
			}
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b LanguageServers) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Language, b.Language))
	})
	return list, nil
}

// projectLanguages returns, as of the last scan of the project, an example file of each language with a known server, and the
// number of its files.
func (h *Headless) projectLanguages(ctx context.Context) (examples map[string]string, counts map[string]int, err error) {
	examples, counts = make(map[string]string), make(map[string]int)
	var known []string
	for _, s := range h.o.Servers {
		known = append(known, s.Languages...)
	}
	seen := make(map[string]bool)
	for _, dir := range h.dirs {
		paths, err := h.project.scanned(ctx, dir, known)
		if err != nil {
			return nil, nil, err
		}
		for _, path := range paths {
			if seen[path] {
				continue
			}
			seen[path] = true
			language := h.project.languageOf(path)
			counts[language]++
			if old, known := examples[language]; !known || path < old {
				examples[language] = path
			}
		}
	}
	return examples, counts, nil
}

// coversLanguage reports whether a server that is not optional can be started for a language of the project, as of its last scan.
func (h *Headless) coversLanguage(ctx context.Context) (bool, error) {
	examples, _, err := h.projectLanguages(ctx)
	for language, example := range examples {
		for _, s := range h.o.Servers {
			if s.Optional || !slices.Contains(s.Languages, language) {
				continue
			}
			if _, err := h.command(s, h.folderOf(example, s.RootMarkers)); err == nil {
				return true, nil
			}
		}
	}
	return false, err
}
