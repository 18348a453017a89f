package index

import (
	"cmp"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/source"
)

// Report is the result of Analyze or Update. Files is the sum of Parsed, Unchanged,
// Skipped and Failed. The fields from Chunks to ByParser cover all indexed files of the
// analysis, parsed now or before.
type Report struct {
	Files     int // source files of the wanted languages
	Parsed    int // new or changed files that were parsed
	Unchanged int // files that had not changed
	Removed   int // entries removed because the file is missing or now ignored
	Skipped   int // binary files and files above the size limit
	Failed    int // files that could not be read or parsed

	Chunks      int                     // number of chunks
	Functions   int                     // number of callable chunks
	ParseErrors int                     // files with parts that could not be parsed
	ByLanguage  map[source.Language]int // number of files
	ByParser    map[string]int          // number of files

	// Problems lists failed and too long files first, then the first problem of each
	// partly parsed file. It has at most MaxProblems entries.
	Problems []FileProblem
	// Incomplete reports that files may be missing: a directory was unreadable or too
	// large, or the work was cancelled.
	Incomplete bool
	// Unread counts the files that were found and not indexed, by extension.
	Unread Unread
	// LeftOut is the number of entries excluded by rules: hidden, ignored or blocked,
	// or with an invalid name. Entries below an excluded directory are not counted.
	LeftOut int
	// NotSaved is the reason why the result is not on disk; "" if it is.
	NotSaved string
	// Damage describes entries that the Store had lost, and that were parsed again; "" if
	// there were none.
	Damage string
	// Joined reports that the analysis had been started by another caller.
	Joined   bool
	Duration time.Duration
}

// MaxProblems is the maximum number of entries of Report.Problems.
const MaxProblems = 100

// FileProblem is a problem of one file.
type FileProblem struct {
	Path    string
	Line    int // from 1; 0 if the problem concerns the entire file
	Message string
}

// Progress is the progress of an analysis.
type Progress struct {
	Walking bool // the walk is running, so Files and Changed still grow
	Files   int  // source files found
	Changed int  // files to read
	Done    int  // files read
}

// troubles collects problems: of entire files, and of parts of files.
type troubles struct{ files, parts []FileProblem }

// add records a problem of an entire file.
func (t *troubles) add(path string, message string) {
	t.files = keep(t.files, FileProblem{Path: path, Message: message})
}

func (t *troubles) parsed(f *File) {
	p := f.Problems[0]
	t.parts = keep(t.parts, FileProblem{Path: f.Path, Line: int(p.Line), Message: p.Message})
}

// keep adds a problem and bounds the list. It prefers lower paths, so the result does
// not depend on the order of workers.
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
