package headless

import (
	"cmp"
	"context"
	"slices"
)

// LanguageServers tells which language servers look at the files of a language.
type LanguageServers struct {
	Language string
	Files    int      // of the project
	Servers  []string // that can be started: the program of each
	// Missing is why there is no server, and Next how to get one. They are empty where there is one.
	Missing, Next string
}

// WhyUnchecked implements adapter.Explainer. It is empty for languages for which no server is known.
func (h *Headless) WhyUnchecked(path string) (reason, next string) {
	language := LanguageOf(path)
	if !h.inProject(path) || !slices.ContainsFunc(h.o.Servers, func(s Server) bool { return slices.Contains(s.Languages, language) }) {
		return "", ""
	}
	if _, err := h.serversFor(path, language); err != nil {
		return why(err)
	}
	return "", ""
}

// Languages returns the languages of the project for which servers are known, by falling number of files.
func (h *Headless) Languages(ctx context.Context) ([]LanguageServers, error) {
	counts := make(map[string]int)
	languages := make(map[string]string) // of files
	for _, s := range h.o.Servers {
		for _, dir := range h.dirs {
			paths, err := h.project.newest(ctx, dir, s.Languages)
			if err != nil {
				return nil, err
			}
			for _, path := range paths {
				if _, known := languages[path]; !known {
					languages[path] = LanguageOf(path)
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
			l.Missing, l.Next = why(err)
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
