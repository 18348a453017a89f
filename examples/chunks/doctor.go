package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// checks look at the directories, the parsers and the index.
func (o *options) checks(ctx context.Context, a *cli.App) []cli.Check {
	all := a.CheckRoots(o.dirs(), o.readOnly)
	s, err := openService(ctx, o, slog.New(slog.NewTextHandler(io.Discard, nil)), false)
	if err != nil {
		return append(all, cli.Check{Name: "index", Status: cli.Broken, Detail: err.Error(), Next: "Correct the flags."})
	}
	all = append(all, checkParsers(s.parsers), o.checkSourceKitten())
	snapshot := s.chunks.Index().Snapshot()
	kept := cli.Check{Name: "index", Status: cli.OK, Detail: "empty; analyze_project or \"chunks index\" fills it"}
	if snapshot.Len() > 0 {
		kept.Detail = count(snapshot.Functions(), "function") + " in " + count(snapshot.Len(), "file")
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

// checkSourceKitten looks for the optional program.
func (o *options) checkSourceKitten() cli.Check {
	check := cli.Check{Name: "sourcekitten", Status: cli.OK, Detail: "not asked for; Swift is read by the built-in parsers"}
	if o.sourceKitten == "" {
		return check
	}
	if path, err := exec.LookPath(o.sourceKitten); err != nil {
		check.Status, check.Detail = cli.Warning, err.Error()
		check.Next = "Install SourceKitten (brew install sourcekitten), or leave out -sourcekitten."
	} else {
		check.Detail = path
	}
	return check
}
