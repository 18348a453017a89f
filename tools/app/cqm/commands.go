package cqm

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/searchservice"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// with opens a service for a person, brings its index up to date, and closes it.
func (p *program) with(ctx context.Context, a *app.App, do func(*searchservice.Service) error) (err error) {
	s, err := searchservice.Open(ctx, p.Options, searchservice.Purpose{Stderr: a.Stderr, Person: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	if err := refresh(ctx, a, s.Files()); err != nil {
		return err
	}
	a.Progress("searching")
	return do(s)
}

// refresh updates the index, unless a running server does that. It waits until the index is
// current, and shows how far the update is.
func refresh(ctx context.Context, a *app.App, files *filesystem.Filesystem) error {
	if files == nil {
		return nil
	}
	watched, stop := context.WithCancel(ctx)
	var watching group.Group
	watching.Go(func() { showUpdate(watched, a, files) })
	defer watching.Wait()
	defer stop()
	w, err := files.Index().Begin(ctx, index.WriteOptions{})
	if err == nil {
		w.Abort()
		_, err = files.Refresh(ctx, plugin.RefreshOptions{})
	}
	if errors.Is(err, index.ErrWriting) {
		return nil
	}
	return err
}

// updateInterval is the interval at which the progress of an update is read.
const updateInterval = 200 * time.Millisecond

// showUpdate shows the progress of an update of the index until the context ends.
func showUpdate(ctx context.Context, a *app.App, files *filesystem.Filesystem) {
	a.Progress("looking for changed files")
	ticker := time.NewTicker(updateInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if status := files.Status(); status.Total > 0 {
				a.Progress(fmt.Sprintf("indexing: %d of %d files", status.Done, status.Total))
			}
		}
	}
}

func (p *program) searchCommand() app.Command {
	var args search.DocumentsArgs
	return app.Command{
		Name: "search", Args: "WORDS…", Summary: "search the code and documents of the project",
		Flags: func(flags *flag.FlagSet) {
			args = search.DocumentsArgs{Filters: new(search.DocumentFilters)}
			flags.IntVar(&args.Limit, "limit", 10, "most `results`")
			flags.Func("in", "only in this `path`, such as src/", func(path string) error {
				args.Filters.Path = path
				return nil
			})
			flags.Func("type", "only files of this `type`, such as go or md; may be given several times", func(name string) error {
				args.Filters.FileTypes = append(args.Filters.FileTypes, name)
				return nil
			})
		},
		Run: func(ctx context.Context, a *app.App, flags *flag.FlagSet) error {
			if flags.NArg() == 0 {
				return app.UsageErrorf("search needs words to search for")
			}
			args.Query = strings.Join(flags.Args(), " ")
			return p.with(ctx, a, func(s *searchservice.Service) error {
				found, err := s.Set().SearchDocuments(ctx, args)
				if err != nil {
					return err
				}
				return printDocuments(a.Stdout, found)
			})
		},
	}
}

// maxCode bounds the code that is read from standard input, in bytes.
const maxCode = 1 << 20

func (p *program) similarCommand() app.Command {
	var args search.SimilarArgs
	return app.Command{
		Name: "similar", Summary: "find code that is similar to standard input",
		Flags: func(flags *flag.FlagSet) {
			args = search.SimilarArgs{}
			flags.IntVar(&args.Limit, "limit", 10, "most `results`")
			flags.StringVar(&args.Language, "language", "", "`language` of the code (default guessed)")
			flags.Func("similarity", "least `similarity`, from 0 to 1 (default 0.7)", func(text string) error {
				var least float64
				if _, err := fmt.Sscan(text, &least); err != nil {
					return fmt.Errorf("%q is no number", text)
				}
				args.Similarity = &least
				return nil
			})
		},
		Run: func(ctx context.Context, a *app.App, _ *flag.FlagSet) error {
			code, err := io.ReadAll(io.LimitReader(a.Stdin, maxCode))
			if err != nil {
				return fmt.Errorf("reading the code from standard input: %w", err)
			}
			args.Code = string(code)
			return p.with(ctx, a, func(s *searchservice.Service) error {
				found, err := s.Set().FindSimilarCode(ctx, args)
				if err != nil {
					return err
				}
				return printSimilar(a.Stdout, found)
			})
		},
	}
}

func (p *program) statusCommand() app.Command {
	return app.Command{
		Name: "status", Summary: "update the index, and show its contents",
		Run: func(ctx context.Context, a *app.App, _ *flag.FlagSet) error {
			return p.with(ctx, a, func(s *searchservice.Service) error {
				status, err := s.Set().IndexStatus(ctx, search.StatusArgs{})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.Stdout, "%s\n", strings.TrimRight(status.TextContent(), "\n"))
				if s.Kept() != "" && err == nil {
					_, err = fmt.Fprintf(a.Stdout, "kept in %s\n", s.Kept())
				}
				return err
			})
		},
	}
}

// configCommand shows the settings.
func (p *program) configCommand() app.Command {
	var template bool
	return app.Command{
		Name: "config", Anywhere: true, Summary: "show the settings with their sources and problems",
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&template, "template", false, "print a file with all defaults instead, in JSON, which is valid YAML")
		},
		Run: func(_ context.Context, a *app.App, _ *flag.FlagSet) error {
			if template {
				_, err := io.WriteString(a.Stdout, p.Template().Indented())
				return err
			}
			l, wrong := p.Load()
			err := l.Show(a.Stdout)
			for _, warning := range l.Warnings {
				fmt.Fprintln(a.Stderr, "warning:", warning)
			}
			return errors.Join(err, wrong)
		},
	}
}
