package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// checks look at the directories, the parsers and the index.
func (o *options) checks(ctx context.Context, a *cli.App) []cli.Check {
	all := a.CheckRoots(o.dirs(), o.readOnly)
	s, err := openService(ctx, o, purpose{log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(all, cli.Check{Name: "flags", Status: cli.Broken, Detail: cli.Explain(err), Next: "Correct the flags, or what they name."})
	}
	all = append(all, checkParsers(s.parsers), o.checkSourceKitten(), s.checkServers())
	snapshot := s.chunks.Index().Snapshot()
	kept := cli.Check{Name: "index", Status: cli.OK, Detail: "empty; analyze_project or \"chunks index\" fills it"}
	if snapshot.Len() > 0 {
		kept.Detail = count(snapshot.Functions(), "function") + " in " + count(snapshot.Len(), "file") + ", from " + s.kept
	}
	all = append(all, kept)
	if s.temporary != "" {
		all = append(all, cli.Check{Name: "database", Status: cli.Warning, Detail: "it cannot be kept in the cache directory, so it ends with each server", Next: "Make the cache directory writable."})
	}
	if dir, ok := s.root.CacheDir("grammars"); ok && !o.readOnly {
		all = append(all, cli.CheckState("compiled grammars", dir))
	}
	if err := s.close(ctx); err != nil {
		all = append(all, cli.Check{Name: "ending", Status: cli.Warning, Detail: err.Error()})
	}
	return all
}

// checkParsers says which languages can be read.
func checkParsers(p *parse.Parsers) cli.Check {
	var missing []string
	for _, lang := range parse.Languages() {
		if !p.Knows(lang) {
			missing = append(missing, string(lang))
		}
	}
	if len(missing) == 0 {
		return cli.Check{Name: "languages", Status: cli.OK, Detail: "all " + count(len(parse.Languages()), "language")}
	}
	return cli.Check{
		Name: "languages", Status: cli.Warning, Detail: "not on this processor: " + strings.Join(missing, ", "),
		Next: "Grammars need amd64 or arm64; the other languages work everywhere.",
	}
}

// checkSourceKitten says whether the optional program is used.
func (o *options) checkSourceKitten() cli.Check {
	if o.sourceKitten == "" {
		return cli.Check{Name: "sourcekitten", Status: cli.Unused, Detail: "not asked for; other parsers read Swift"}
	}
	return cli.Check{Name: "sourcekitten", Status: cli.OK, Detail: o.sourceKitten + " reads Swift"}
}

// checkServers says which language servers are used.
func (s *service) checkServers() cli.Check {
	check := cli.Check{Name: "language servers", Status: cli.Unused, Detail: "not asked for; -language-servers asks those that are installed"}
	if s.servers == nil {
		return check
	}
	state := s.servers.State()
	check.Status, check.Detail = cli.OK, state.Detail
	if !state.Running && s.swift == nil {
		check.Status, check.Next = cli.Warning, state.Start
	}
	if s.swift != nil {
		check.Detail += "; sourcekit-lsp reads Swift"
	}
	return check
}
