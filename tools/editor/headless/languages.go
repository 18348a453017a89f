package headless

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// LanguageServers describes the language servers available for one language of the project.
type LanguageServers struct {
	// Language is the identifier of the Language Server Protocol.
	Language string
	// Files is the number of files in the project.
	Files int
	// Servers are the available servers, as "name (program)".
	Servers []string
	// Missing is the reason why no server is available, and Next the next step. Both are empty if there is a server.
	Missing, Next string
}

// WhyUnchecked implements adapter.Explainer. It returns empty strings for a language without a known server.
func (h *Headless) WhyUnchecked(path string) (reason, next string) {
	language := h.project.languageOf(path)
	if !h.inProject(path) || !slices.ContainsFunc(h.o.Servers, func(s Server) bool { return slices.Contains(s.Languages, language) }) {
		return "", ""
	}
	if _, err := h.serversFor(path, language); err != nil {
		_, usable, missing := h.compilerFor(language, h.compileFolder(path, language))
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

// Languages returns the languages of the project for which servers are known, sorted by descending number of files.
func (h *Headless) Languages(ctx context.Context) ([]LanguageServers, error) {
	if _, _, _, err := h.project.changes(ctx, -1); err != nil {
		return nil, err
	}
	return h.languages(ctx)
}

// languages is Languages as of the last scan of the project.
func (h *Headless) languages(ctx context.Context) ([]LanguageServers, error) {
	counts := make(map[string]int)
	languages := make(map[string]string) // by path
	for _, s := range h.o.Servers {
		for _, dir := range h.dirs {
			paths, err := h.project.scanned(ctx, dir, s.Languages)
			if err != nil {
				return nil, err
			}
			for _, path := range paths {
				if _, known := languages[path]; !known {
					languages[path] = h.project.languageOf(path)
					counts[languages[path]]++
				}
			}
		}
	}
	example := make(map[string]string) // a file of each language
	for path, language := range languages {
		if old, known := example[language]; !known || path < old {
			example[language] = path
		}
	}
	all := make([]LanguageServers, 0, len(counts))
	for language, files := range counts {
		l := LanguageServers{Language: language, Files: files}
		servers, err := h.serversFor(example[language], language)
		if err != nil {
			l.Missing, l.Next = reasonAndStep(err)
		}
		for _, s := range servers {
			command, err := h.command(s, h.folderOf(example[language], s.RootMarkers))
			if err != nil {
				continue
			}
			l.Servers = append(l.Servers, s.Name+" ("+command[0]+")")
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b LanguageServers) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Language, b.Language))
	})
	return all, nil
}
