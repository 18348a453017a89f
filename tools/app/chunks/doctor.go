package chunks

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/source"
)

// checks look at the directories, the parsers and the index.
func (o *options) checks(ctx context.Context, a *app.App) []app.Check {
	all := a.CheckRoots(o.dirs(), o.readOnly)
	s, err := openService(ctx, o, purpose{log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(all, app.Check{Name: "flags", Status: app.Broken, Detail: app.Explain(err), Next: "Correct the flags, or the files and programs that they name."})
	}
	all = append(all, checkParsers(s.parsers), o.checkSourceKitten(), s.checkServers())
	snapshot := s.chunks.Index().Snapshot()
	kept := app.Check{Name: "index", Status: app.OK, Detail: "empty; analyze_project or \"chunks index\" fills it"}
	if snapshot.Len() > 0 {
		kept.Detail = plural.Count(snapshot.Functions(), "function") + " in " + plural.Count(snapshot.Len(), "file") + ", from " + s.kept
	}
	all = append(all, kept)
	if s.temporary != "" {
		all = append(all, app.Check{Name: "database", Status: app.Warning, Detail: "it cannot be kept in the cache directory, so each server builds it again", Next: "Make the cache directory writable."})
	}
	if dir, ok := s.root.CacheDir("grammars"); ok && !o.readOnly {
		all = append(all, app.CheckState("compiled grammars", dir))
	}
	if err := s.close(ctx); err != nil {
		all = append(all, app.Check{Name: "ending", Status: app.Warning, Detail: err.Error()})
	}
	return all
}

// checkParsers says which languages can be read.
func checkParsers(p *source.Parsers) app.Check {
	var missing []string
	all := source.Languages()
	for _, lang := range p.Languages() {
		if !slices.Contains(all, lang) {
			all = append(all, lang)
		}
	}
	for _, lang := range all {
		if !p.Supports(lang) {
			missing = append(missing, string(lang))
		}
	}
	if len(missing) == 0 {
		return app.Check{Name: "languages", Status: app.OK, Detail: "all " + plural.Count(len(all), "language")}
	}
	return app.Check{
		Name: "languages", Status: app.Warning, Detail: "not on this processor: " + strings.Join(missing, ", "),
		Next: "Grammars need amd64 or arm64; the other languages work everywhere.",
	}
}

// checkSourceKitten says whether the optional program is used.
func (o *options) checkSourceKitten() app.Check {
	if o.sourceKitten == "" {
		return app.Check{Name: "sourcekitten", Status: app.Unused, Detail: "not requested; other parsers read Swift"}
	}
	return app.Check{Name: "sourcekitten", Status: app.OK, Detail: o.sourceKitten + " reads Swift"}
}

// checkServers says which language servers are used.
func (s *service) checkServers() app.Check {
	check := app.Check{Name: "language servers", Status: app.Unused, Detail: "not requested; -language-servers uses the installed servers"}
	if s.servers == nil {
		return check
	}
	state := s.servers.State()
	check.Status, check.Detail = app.OK, state.Detail
	if !state.Running && s.swift == nil {
		check.Status, check.Next = app.Warning, state.Start
	}
	if s.swift != nil {
		check.Detail += "; sourcekit-lsp reads Swift"
	}
	return check
}
