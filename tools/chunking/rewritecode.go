package chunking

import (
	"context"
	"errors"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/pattern"
)

// RewriteCodeArgs are the arguments of rewrite_code.
type RewriteCodeArgs struct {
	// Pattern, Language, Path and Kind select the code as in FindCodeArgs.
	Pattern string `json:"pattern" jsonschema:"minLength=1,description=Code as in find_code"`
	// Rewrite is the new code with the variables of the pattern. Empty text deletes the matches.
	Rewrite  string `json:"rewrite" jsonschema:"description=New code with the $NAMEs of the pattern"`
	Language string `json:"language,omitempty"`
	Path     string `json:"path,omitempty" jsonschema:"description=Glob for files"`
	Kind     string `json:"kind,omitempty" jsonschema:"description=Syntax node; if an answer asks for it"`
	// ExpectedCount is the expected number of rewritten places. Nothing is written for another number. Default: 0, any number.
	ExpectedCount int `json:"expectedCount,omitempty" jsonschema:"minimum=0,default=0"`
	// DryRun returns the diff without a change of the files.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// Limits of one call of rewrite_code.
const (
	maxRewritten = 20000    // places
	maxNewCode   = 64 << 20 // bytes of new code
)

// RewriteCode replaces the code that matches a pattern in all files, or in none. It is the tool rewrite_code. A match within another
// one is not rewritten. Files with new syntax errors are refused.
func (c *Chunks) RewriteCode(ctx context.Context, args RewriteCodeArgs) (ChangeResult, error) {
	return c.change(ctx, args.DryRun, func() ([]*fileChange, ChangeResult, error) {
		r := rewriting{chunks: c, args: args}
		files, err := r.compute(ctx)
		return files, r.result, err
	})
}

// rewriting is the state of one attempt of rewrite_code.
type rewriting struct {
	chunks *Chunks
	args   RewriteCodeArgs
	result ChangeResult

	places, nested int // rewritten matches, and matches within them
	comments       int // in rewritten matches and outside of captures
	written        int // bytes of new code
}

// compute returns the changes of all files.
func (r *rewriting) compute(ctx context.Context) ([]*fileChange, error) {
	a := r.args
	s, err := r.chunks.newCodeSearch(ctx, FindCodeArgs{Pattern: a.Pattern, Language: a.Language, Path: a.Path, Kind: a.Kind}, true)
	if err != nil {
		return nil, err
	}
	templates := make(map[source.Language]*pattern.Template, len(s.patterns))
	for lang, p := range s.patterns {
		if p == nil {
			continue
		}
		inStrings := r.chunks.options.Parsers.StringLines([]byte(textfile.WithLF(a.Rewrite)), lang)
		templates[lang], err = pattern.ParseTemplate(p, a.Rewrite, inStrings)
		if bad, refused := errors.AsType[*pattern.Error](err); refused {
			return nil, invalid(bad.Next, "%s", bad.Message)
		} else if err != nil {
			return nil, err
		}
	}
	if err := s.run(ctx, maxRewritten); err != nil {
		return nil, err
	}
	switch kinds := s.kinds(); {
	case s.late > 0:
		return nil, invalid("Narrow path. Nothing was changed.", "%s not searched in time", plural.Count(s.late, "file"))
	case len(s.unread) > 0:
		return nil, invalid("Narrow path so that it leaves them out. Nothing was changed.", "%s could not be read or parsed: %s", plural.Count(len(s.unread), "file"), firstPaths(s.unread))
	case len(s.incomplete) > 0:
		return nil, invalid("Narrow path so that it leaves them out, or use less $$$. Nothing was changed.", "%s searched only in part, because comparing takes too long: %s", plural.Count(len(s.incomplete), "file"), firstPaths(s.incomplete))
	case s.stopped:
		return nil, invalid("Narrow path. Nothing was changed.", "the pattern matches more than %d places, with those within others; no further files were searched", maxRewritten)
	case len(kinds) > 1:
		return nil, invalid("Set kind to one of them; find_code shows their matches. Nothing was changed.", "the matches are of several kinds of code: %s", strings.Join(kinds, ", "))
	case len(s.found) > maxRenamedFiles:
		return nil, invalid("Narrow path. Nothing was changed.", "the pattern matches in %d files; at most %d are changed at once", len(s.found), maxRenamedFiles)
	}
	var files []*fileChange
	for _, found := range s.found {
		f, err := r.file(ctx, templates[found.file.Language], found)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	switch {
	case a.ExpectedCount > 0 && r.places != a.ExpectedCount:
		within := ""
		if r.nested > 0 {
			within = "; matches within them are not counted"
		}
		return nil, invalid("Check the pattern with find_code. Nothing was changed.", "expectedCount is %d, and %s would be rewritten%s", a.ExpectedCount, plural.Count(r.places, "place"), within)
	case r.places > maxRewritten:
		return nil, invalid("Narrow path. Nothing was changed.", "the pattern matches %d places; at most %d are rewritten at once", r.places, maxRewritten)
	}
	r.result.did = "rewrote " + plural.Count(r.places, "place") + " in " + plural.Count(len(files), "file")
	if r.nested > 0 {
		r.result.Notes = append(r.result.Notes, plural.Count(r.nested, "place")+" within rewritten code left as written")
	}
	if r.comments > 0 {
		r.result.Notes = append(r.result.Notes, plural.Count(r.comments, "comment")+" within rewritten code removed, as no variable stands for it")
	}
	if note := s.note(r.places); note != "" {
		r.result.Notes = append(r.result.Notes, note)
	}
	return files, nil
}

// file returns the change of a file.
func (r *rewriting) file(ctx context.Context, template *pattern.Template, found *codeFile) (*fileChange, error) {
	c := r.chunks
	parsed, err := c.open(ctx, found.path, string(found.file.Language))
	if err != nil {
		return nil, err
	}
	f, err := c.newChange(ctx, parsed)
	if err != nil {
		return nil, err
	}
	if f.digest != found.digest {
		return nil, &security.Error{Code: security.StaleFile, AttemptedPath: f.path, Message: quote(f.path) + " has changed meanwhile.", Next: "Call again."}
	}
	text := pattern.NewText(found.content, c.options.Parsers.StringLines([]byte(found.content), found.file.Language))
	var edits []textfile.Edit
	end := 0
	for _, m := range found.matches {
		if m.Start < end {
			r.nested++
			continue
		}
		end = m.End
		r.places++
		r.comments += m.Comments
		code, err := template.Expand(text, m)
		if bad, refused := errors.AsType[*pattern.Error](err); refused {
			return nil, invalid(bad.Next+" Nothing was changed.", "%s: %s", quote(f.path), bad.Message)
		}
		if r.written += len(code); r.written > maxNewCode {
			return nil, invalid("Narrow path, or use each capture once. Nothing was changed.", "the new code has more than %d MiB", maxNewCode>>20)
		}
		e := textfile.Edit{Start: m.Start, End: m.End, New: code}
		if e.New = f.text.Fit(e.Start, e.End, e.New, textfile.Keep); e.New != found.content[m.Start:m.End] {
			edits = append(edits, e)
		}
	}
	if len(edits) == 0 {
		return f, nil
	}
	if f.raw, err = f.text.Apply(edits...); err != nil {
		return nil, encodingError(err, f.path)
	}
	content := textfile.Splice(f.text.Content, edits)
	if f.after, err = symbols.Parse(ctx, c.options.Parsers, f.path, content); err != nil {
		return nil, notSource(f.path, c.options.Parsers.Languages(), err)
	}
	f.edits = edits
	return f, f.checkGrammar(ctx, c, content, "Fix the parameter rewrite. Nothing was changed.")
}

// firstPaths lists the first paths of files.
func firstPaths(paths []string) string {
	var list []string
	for i, path := range paths {
		if i == maxCandidates {
			list = append(list, "...")
			break
		}
		list = append(list, quote(path))
	}
	return strings.Join(list, ", ")
}
