package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// with opens the service for a command of a person.
func (o *options) with(ctx context.Context, a *cli.App, use func(*service) error) (err error) {
	s, err := openService(ctx, o, slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(context.WithoutCancel(ctx))) }()
	return use(s)
}

// indexed is with, after the project was analysed.
func (o *options) indexed(ctx context.Context, a *cli.App, force bool, use func(*service, index.Report) error) error {
	return o.with(ctx, a, func(s *service) error {
		bar := newBar(a.Stderr)
		r, err := s.chunks.Index().Analyze(ctx, ".", index.AnalyzeOptions{Force: force}, bar.show)
		bar.done()
		if err != nil {
			return err
		}
		return use(s, r)
	})
}

func (o *options) indexCommand() cli.Command {
	var force bool
	return cli.Command{
		Name: "index", Summary: "read all source files into the index, and count what they declare",
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&force, "force", false, "read also files that have not changed")
		},
		Run: func(ctx context.Context, a *cli.App, _ *flag.FlagSet) error {
			return o.indexed(ctx, a, force, func(_ *service, r index.Report) error { return report(a.Stdout, r) })
		},
	}
}

// report prints what an analysis has found.
func report(w io.Writer, r index.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files: %d parsed, %d unchanged, %d skipped, %d failed; %d removed\n", r.Files, r.Parsed, r.Unchanged, r.Skipped, r.Failed, r.Removed)
	fmt.Fprintf(&b, "%d functions among %d chunks, in %v\n", r.Functions, r.Chunks, r.Duration.Round(time.Millisecond))
	for _, group := range []struct {
		name  string
		count map[string]int
	}{{"language", named(r.ByLanguage)}, {"parser", r.ByParser}} {
		for _, name := range sortedKeys(group.count) {
			fmt.Fprintf(&b, "  %s %s: %d files\n", group.name, name, group.count[name])
		}
	}
	for _, p := range r.Problems {
		if p.Line > 0 {
			fmt.Fprintf(&b, "  %s:%d: %s\n", p.Path, p.Line, p.Message)
			continue
		}
		fmt.Fprintf(&b, "  %s: %s\n", p.Path, p.Message)
	}
	if r.NotSaved != "" {
		fmt.Fprintf(&b, "not saved: %s\n", r.NotSaved)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (o *options) mapCommand() cli.Command {
	var tokens int
	var focus, names paths
	return cli.Command{
		Name: "map", Summary: "show the most important declarations of the project",
		Flags: func(flags *flag.FlagSet) {
			flags.IntVar(&tokens, "tokens", 1000, "budget of the map, in `tokens`")
			flags.Var(&focus, "focus", "`file` or directory that the map is drawn around; may be given several times")
			flags.Var(&names, "name", "`name` that the map is drawn around; may be given several times")
		},
		Run: func(ctx context.Context, a *cli.App, _ *flag.FlagSet) error {
			return o.indexed(ctx, a, false, func(s *service, _ index.Report) error {
				r, err := s.chunks.RepoMap(ctx, chunking.RepoMapArgs{BudgetTokens: tokens, FocusFiles: focus, FocusIdentifiers: names})
				if err != nil {
					return err
				}
				_, err = io.WriteString(a.Stdout, r.TextContent())
				return err
			})
		},
	}
}

func (o *options) showCommand() cli.Command {
	return cli.Command{
		Name: "show", Args: "FILE | ID", Summary: "list the declarations of a file, or show one chunk by its id",
		Run: func(ctx context.Context, a *cli.App, flags *flag.FlagSet) error {
			if flags.NArg() != 1 {
				return errors.New("give one file, or the id of a chunk such as path#Type.function")
			}
			return o.with(ctx, a, func(s *service) error { return s.show(ctx, a.Stdout, flags.Arg(0)) })
		},
	}
}

// show prints a file's declarations or a chunk.
func (s *service) show(ctx context.Context, w io.Writer, name string) error {
	if strings.Contains(name, "#") {
		r, err := s.chunks.Chunk(ctx, chunking.GetChunkArgs{ChunkID: name})
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\n", r.Code)
		}
		return err
	}
	r, err := s.chunks.ListFunctions(ctx, chunking.ListFunctionsArgs{FilePath: name, IncludeTypes: true})
	if err != nil {
		return err
	}
	for _, f := range r.Functions {
		if _, err := fmt.Fprintf(w, "%5d-%-5d %-11s %s\n            %s\n", f.Line, f.EndLine, f.Kind, f.ID, f.Signature); err != nil {
			return err
		}
	}
	for _, p := range r.ParseErrors {
		if _, err := fmt.Fprintf(w, "%5d could not be read: %s\n", p.Line, p.Message); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "%s, read by %s\n", r.Language, r.Parser)
	return err
}

func (o *options) watchCommand() cli.Command {
	return cli.Command{
		Name: "watch", Summary: "keep the index current until it is interrupted",
		Run: func(ctx context.Context, a *cli.App, _ *flag.FlagSet) error {
			return o.indexed(ctx, a, false, func(s *service, r index.Report) error {
				if err := report(a.Stdout, r); err != nil {
					return err
				}
				err := s.chunks.Index().Watch(ctx, index.WatchOptions{Changed: func(r index.Report) {
					fmt.Fprintf(a.Stdout, "%s %d files read, %d removed, in %v\n", time.Now().Format(time.TimeOnly), r.Parsed, r.Removed, r.Duration.Round(time.Millisecond))
				}})
				if ctx.Err() != nil {
					return nil
				}
				return err
			})
		},
	}
}
