package editor

import (
	"context"
	"fmt"
	iofs "io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/glob"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// selectedOccurrences are the occurrences of a file that the caller selected from a preview, by number from 1.
type selectedOccurrences struct {
	tag     string
	numbers map[int]bool
}

// check returns the numbers if they belong to the present content, pattern and replacement.
func (c *selectedOccurrences) check(path, mark string, n int) (map[int]bool, error) {
	if c == nil {
		return nil, nil
	}
	for number := range c.numbers {
		if c.tag != mark || number > n {
			return nil, &security.Error{Code: security.StaleFile, AttemptedPath: path,
				Message: fmt.Sprintf("The ids of occurrences in %s belong to another content, pattern or replacement.", quote(path)), Next: "Preview it again, and use the ids of that."}
		}
	}
	return c.numbers, nil
}

// parseOccurrenceIDs parses the ids of occurrences, which have the form path:number@tag.
func parseOccurrenceIDs(args ReplaceCodeArgs) (map[string]*selectedOccurrences, error) {
	if len(args.OccurrenceIDs) == 0 {
		return nil, nil
	}
	all := make(map[string]*selectedOccurrences)
	for _, id := range args.OccurrenceIDs {
		place, mark, ok := cutLast(id, "@")
		path, n, more := cutLast(place, ":")
		number, err := strconv.Atoi(n)
		if !ok || !more || err != nil || number < 1 {
			return nil, invalid("give the ids that a preview returned", "%s is not the id of an occurrence", quote(id))
		}
		c := all[path]
		if c == nil {
			c = &selectedOccurrences{mark, make(map[int]bool)}
			all[path] = c
		}
		if c.tag != mark {
			return nil, invalid("give the ids of one preview", "the ids of %s are from several previews", quote(path))
		}
		c.numbers[number] = true
	}
	if args.Glob == "" && len(all) > 1 {
		return nil, invalid("give the glob of the preview, too", "the ids are of several files")
	}
	return all, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// paths returns the files that may contain the pattern, sorted.
func (r *replaceRun) paths(ctx context.Context) ([]string, error) {
	if r.chosen != nil {
		paths := slices.Sorted(maps.Keys(r.chosen))
		if r.args.Glob == "" {
			info, err := r.e.root.Stat(ctx, r.args.Path)
			if err == nil && info.Path != paths[0] {
				err = invalid("give the path of the preview", "the ids do not belong to %s", quote(r.args.Path))
			}
			return paths, err
		}
		return paths, nil
	}
	if r.args.Glob == "" {
		return []string{r.args.Path}, nil
	}
	return r.search(ctx)
}

// search returns the files of a glob that contain the pattern on the disk.
func (r *replaceRun) search(ctx context.Context) ([]string, error) {
	start, err := r.e.root.Stat(ctx, r.args.Path)
	if err != nil {
		return nil, err
	}
	wanted, err := glob.Compile(r.args.Glob, start.Path)
	if err != nil {
		return nil, badPattern(err)
	}
	var paths []string
	var buf []byte
	looked := 0
	stats, err := r.e.root.Walk(ctx, start.Path, security.WalkOptions{Hidden: wanted.Hidden()}, func(entry *security.WalkEntry) error {
		if entry.Kind != security.RegularFile || !wanted.Match(entry.Name, entry.Rel()) {
			return nil
		}
		if looked++; looked%200 == 0 {
			mcp.Progress(ctx, float64(looked), 0, "looking through files")
		}
		raw, err := entry.ReadFile(ctx, buf, int(r.e.limits.MaxFile))
		buf = raw
		if err != nil {
			return ended(ctx)
		}
		// The buffer is reused, so the text is decoded before the next file.
		text, err := textfile.Decode(raw, textfile.Auto)
		if err != nil {
			return nil
		}
		if err := r.pattern.checkCost(entry.Path(), text); err != nil {
			return err
		}
		if found, _ := r.pattern.find(text, 1); len(found) == 0 {
			return nil
		}
		if paths = append(paths, entry.Path()); len(paths) > maxFiles {
			r.overflow = true
			return iofs.SkipAll
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case r.overflow:
		return nil, invalid("choose fewer files by path and glob", "more than %d files have the pattern", maxFiles)
	case stats.Incomplete:
		r.notes = append(r.notes, "not everything below "+start.Path+" was looked at")
	}
	return paths, nil
}

// ended returns the error of an ended context, or nil.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &security.Error{Code: security.CodeOf(err), Err: err}
	}
	return nil
}

// buildResult returns the result within the answer budget.
func (r *replaceRun) buildResult(f Feedback) ReplaceCodeResult {
	result := ReplaceCodeResult{ReplacementCount: r.total, AffectedLines: []int{}, Files: []ReplacedFile{}, Feedback: f, preview: boolOr(r.args.Preview, true), excluded: r.excluded}
	room := r.e.limits.Answer / 4
	for _, file := range r.files {
		if file.Count == 0 {
			continue
		}
		result.changed++
		if room -= 160 + len(file.Path); room < 0 && len(result.Files) > 0 {
			result.Truncated = true
			continue
		}
		result.Files = append(result.Files, file)
	}
	if first := result.Files[0].lines; len(first) > 0 {
		const most = 1000
		result.AffectedLines = slices.Compact(slices.Clone(first[:min(len(first), most)]))
		result.Truncated = result.Truncated || len(first) > most
	}
	diff, cut := r.t.diff(min(maxDiff, r.e.limits.Answer/2))
	result.Truncated = result.Truncated || cut
	if !result.preview {
		result.Diff = diff
		return result
	}
	result.Preview = diff
	room = r.e.limits.Answer / 4
	for _, o := range r.found {
		if room -= 40 + len(o.ID) + len(o.Text); room < 0 && len(result.Occurrences) > 0 {
			result.Truncated = true
			break
		}
		result.Occurrences = append(result.Occurrences, o)
	}
	return result
}

// listSome names the first five of many files.
func listSome(paths []string) string {
	const most = 5
	if more := len(paths) - most; more > 0 {
		return strings.Join(paths[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(paths, ", ")
}

// TextContent returns the result as text for a model.
func (r ReplaceCodeResult) TextContent() string {
	var b strings.Builder
	did := "replaced "
	if r.preview {
		did = "preview, nothing was written: "
	}
	fmt.Fprintf(&b, "[%s%s in %s", did, plural.Count(r.ReplacementCount, "occurrence"), plural.Count(r.changed, "file"))
	if len(r.excluded) > 0 {
		b.WriteString("; left out: " + listSome(r.excluded))
	}
	b.WriteString("]\n")
	for _, f := range r.Files {
		if !r.preview {
			b.WriteString(Change{Path: f.Path, SHA256: f.SHA256, Saved: f.Saved, Editor: f.Editor}.text(plural.Count(f.Count, "occurrence")))
			continue
		}
		fmt.Fprintf(&b, "[%s: %s, in lines %s; the id of the first is %s:1@%s]\n", f.Path, plural.Count(f.Count, "occurrence"), listNumbers(f.lines), f.Path, f.tag)
	}
	b.WriteString(r.Preview + r.Diff)
	if r.Truncated {
		b.WriteString("[cut here; narrow path, glob or pattern to see all]\n")
	}
	return b.String() + r.Feedback.text()
}
