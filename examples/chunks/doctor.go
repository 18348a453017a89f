package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// checks look at the directories, the parsers and the index.
func (o *options) checks(ctx context.Context, a *cli.App) []cli.Check {
	all := a.CheckRoots(o.dirs(), o.readOnly)
	s, err := openService(ctx, o, purpose{log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(all, cli.Check{Name: "flags", Status: cli.Broken, Detail: err.Error(), Next: "Correct the flags, or what they name."})
	}
	all = append(all, checkParsers(s.parsers), o.checkSourceKitten())
	snapshot := s.chunks.Index().Snapshot()
	kept := cli.Check{Name: "index", Status: cli.OK, Detail: "empty; analyze_project or \"chunks index\" fills it"}
	if snapshot.Len() > 0 {
		kept.Detail = count(snapshot.Functions(), "function") + " in " + count(snapshot.Len(), "file") + ", from " + s.kept
	}
	all = append(all, kept)
	if cache, err := os.UserCacheDir(); err == nil && !o.readOnly {
		all = append(all, cli.CheckState("compiled grammars", filepath.Join(cache, "dougu", "grammars")))
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
		return cli.Check{Name: "sourcekitten", Status: cli.Unused, Detail: "not asked for; the built-in parsers read Swift"}
	}
	return cli.Check{Name: "sourcekitten", Status: cli.OK, Detail: o.sourceKitten + " reads Swift"}
}
