package index

import (
	"cmp"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/source"
)

// Report tells what Analyze or Update did. Files is the sum of Parsed, Unchanged,
// Skipped and Failed; Chunks and what follows describe those that are indexed,
// whether they were parsed now or before.
type Report struct {
	Files     int // source files of the languages asked for that were found
	Parsed    int // that were parsed, because they are new or have changed
	Unchanged int // that had not changed
	Removed   int // that were indexed and are gone, or are left out now
	Skipped   int // that are no text, or too long
	Failed    int // that could not be read or parsed

	Chunks      int
	Functions   int // chunks that are called
	ParseErrors int // files of which a part could not be parsed
	ByLanguage  map[source.Language]int
	ByParser    map[string]int

	// Problems name files that failed or were too long, and then those that could
	// not be parsed completely with the first place; at most MaxProblems.
	Problems []FileProblem
	// Incomplete says that not all was looked at: a directory could not be read,
	// there were too many entries, or the work was ended.
	Incomplete bool
	// Unread counts the files that were seen and not indexed, by extension.
	Unread Unread
	// LeftOut is the number of entries that were not looked at, without the entries in them: hidden, ignored or withheld by
	// rules, or with names that no call accepts.
	LeftOut int
	// NotSaved says why the result is not on disk; empty if it is.
	NotSaved string
	// Joined says that the work had been begun for another caller.
	Joined   bool
	Duration time.Duration
}

// MaxProblems bounds Report.Problems.
const MaxProblems = 100

// FileProblem is something that is wrong with a file.
type FileProblem struct {
	Path    string
	Line    int // from 1, or 0 if it is about the whole file
	Message string
}

// Progress tells how far the work has come.
type Progress struct {
	Walking bool // files are still looked for, so that Files and Changed grow
	Files   int  // that were found
	Changed int  // of these, that are to be read
	Done    int  // of these, that were read
}

// troubles are problems by weight.
type troubles struct{ files, parts []FileProblem }

// add keeps a bounded number of problems.
func (t *troubles) add(path string, message string) {
	t.files = keep(t.files, FileProblem{Path: path, Message: message})
}

func (t *troubles) parsed(f *File) {
	p := f.Problems[0]
	t.parts = keep(t.parts, FileProblem{Path: f.Path, Line: int(p.Line), Message: p.Message})
}

// keep keeps those that come first by path, however the work was shared out.
func keep(all []FileProblem, p FileProblem) []FileProblem {
	all = append(all, p)
	if len(all) >= 4*MaxProblems {
		all = first(all, MaxProblems)
	}
	return all
}

func first(all []FileProblem, n int) []FileProblem {
	slices.SortFunc(all, func(a, b FileProblem) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line)) })
	return all[:min(len(all), n)]
}

func (t *troubles) list() []FileProblem {
	files := first(t.files, MaxProblems)
	return append(files, first(t.parts, MaxProblems-len(files))...)
}

// count adds an indexed file to the totals.
func (r *Report) count(f *File) {
	r.Chunks += f.Len()
	r.Functions += f.functions
	r.ByLanguage[f.Language]++
	r.ByParser[f.Parser]++
	if len(f.Problems) > 0 {
		r.ParseErrors++
	}
}
