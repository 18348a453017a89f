package chunks

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// with opens the service for a command of a person.
func (o *options) with(ctx context.Context, a *app.App, use func(*service) error) (err error) {
	log := slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	audit, err := a.OpenAudit()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, audit.Close()) }()
	s, err := openService(ctx, o, purpose{log: log, limits: tools.Limits{Answer: largest, MaxAnswer: largest}, audit: audit})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(context.WithoutCancel(ctx))) }()
	return use(s)
}

// largest is more than a person is shown of anything.
const largest = 100 << 20

// indexed is with, after the project was analysed.
func (o *options) indexed(ctx context.Context, a *app.App, force bool, use func(*service, index.Report) error) error {
	return o.with(ctx, a, func(s *service) error {
		a.Progress("looking for changed files")
		r, err := s.chunks.Index().Analyze(ctx, ".", index.AnalyzeOptions{Force: force}, func(p index.Progress) {
			if p.Changed > 0 {
				a.Progress(fmt.Sprintf("reading: %d of %d files", p.Done, p.Changed))
			}
		})
		if err == nil && s.graph != nil {
			a.Progress("updating the graph")
			err = s.graph.Update(ctx, s.chunks.Index().Snapshot())
		}
		if err != nil {
			return err
		}
		return use(s, r)
	})
}

func (o *options) indexCommand() app.Command {
	var force bool
	return app.Command{
		Name: "index", Summary: "read all source files into the index, and count their declarations",
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&force, "force", false, "also read unchanged files")
		},
		Run: func(ctx context.Context, a *app.App, _ *flag.FlagSet) error {
			return o.indexed(ctx, a, force, func(s *service, r index.Report) error { return report(a.Stdout, r, s.kept) })
		},
	}
}

func (o *options) mapCommand() app.Command {
	var tokens int
	var query string
	var focus, names app.List
	return app.Command{
		Name: "map", Summary: "show the most important declarations of the project",
		Flags: func(flags *flag.FlagSet) {
			flags.IntVar(&tokens, "tokens", 1000, "budget of the map, in `tokens`")
			flags.StringVar(&query, "query", "", "`question` or words that the map is about")
			flags.Var(&focus, "focus", "`file` or directory to center the map on; may be given several times")
			flags.Var(&names, "name", "`name` to center the map on; may be given several times")
		},
		Run: func(ctx context.Context, a *app.App, _ *flag.FlagSet) error {
			return o.indexed(ctx, a, false, func(s *service, found index.Report) error {
				if found.Files == 0 {
					return errors.New(noSources)
				}
				r, err := s.chunks.RepoMap(ctx, chunking.RepoMapArgs{BudgetTokens: tokens, FocusFiles: focus, FocusIdentifiers: names, Query: query})
				if err != nil {
					return err
				}
				_, err = io.WriteString(a.Stdout, r.TextContent())
				return err
			})
		},
	}
}

func (o *options) showCommand() app.Command {
	return app.Command{
		Name: "show", Args: "FILE | ID", Summary: "list the declarations of a file, or show one chunk by its id",
		Run: func(ctx context.Context, a *app.App, flags *flag.FlagSet) error {
			if flags.NArg() != 1 {
				return app.UsageErrorf("give one file, or the id of a chunk such as path#Type.function")
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
	var b strings.Builder
	for _, f := range r.Functions {
		fmt.Fprintf(&b, "%11s  %-11s  %s\n%24s   %s\n", fmt.Sprintf("%d-%d", f.Line, f.EndLine), f.Kind, f.ID, "", f.Signature)
	}
	for _, p := range r.ParseErrors {
		fmt.Fprintf(&b, "%11d  could not be read: %s\n", p.Line, p.Message)
	}
	fmt.Fprintf(&b, "%s in %s, which is %s, read by %s\n", plural.Count(len(r.Functions), "declaration"), r.FilePath, r.Language, r.Parser)
	_, err = io.WriteString(w, b.String())
	return err
}

func (o *options) watchCommand() app.Command {
	return app.Command{
		Name: "watch", Summary: "keep the index current until it is interrupted",
		Run: func(ctx context.Context, a *app.App, _ *flag.FlagSet) error {
			return o.indexed(ctx, a, false, func(s *service, r index.Report) error {
				if err := report(a.Stdout, r, s.kept); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(a.Stdout, "Following changes. End with Ctrl+C."); err != nil {
					return err
				}
				err := s.chunks.Index().Watch(ctx, index.WatchOptions{Changed: func(r index.Report) {
					fmt.Fprintf(a.Stdout, "%s %s read, %d removed, in %v\n", time.Now().Format(time.TimeOnly), plural.Count(r.Parsed, "file"), r.Removed, r.Duration.Round(time.Millisecond))
				}})
				if ctx.Err() != nil {
					return nil
				}
				return err
			})
		},
	}
}
