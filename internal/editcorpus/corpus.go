package editcorpus

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Edit is an edit of a case.
type Edit struct {
	Old, New      string
	ReplaceAll    bool
	ExpectedCount int
	NearLine      int
}

// Case is a list of edits of a file and the expected result.
type Case struct {
	File   string // name of the case's file without directory and extension: its subject
	Title  string
	Before []byte
	Edits  []Edit
	After  []byte
	By     string   // how the last edit must be found; empty if that does not matter
	Errors []string // codes one of which the refusal must have; empty if the edits must be made
	Says   []string // texts that the refusal must contain
}

// Name tells cases apart.
func (c *Case) Name() string { return c.File + "/" + c.Title }

// Refused tells whether the edits must be refused.
func (c *Case) Refused() bool { return len(c.Errors) > 0 }

// Verdict is the result of an editor for a case.
type Verdict uint8

// The verdicts.
const (
	Right   Verdict = iota
	NotDone         // the file is as before, but should not be, or it is said to have been changed
	Wrong           // the file has bytes that it must not have
)

var verdicts = [...]string{"right", "not done", "wrong"}

// String is right, not done or wrong.
func (v Verdict) String() string { return verdicts[v] }

// Judge compares the file after the edits with the expected result. refused reports that the editor returned an
// error.
func (c *Case) Judge(after []byte, refused bool) Verdict {
	unchanged := bytes.Equal(after, c.Before)
	switch {
	case c.Refused() && unchanged && refused:
		return Right
	case !c.Refused() && bytes.Equal(after, c.After) && !refused:
		return Right
	case unchanged:
		return NotDone
	}
	return Wrong
}

// Read reads all files of cases in a directory, *.txt, in the order of their names.
func Read(fsys fs.FS) ([]Case, error) {
	names, err := fs.Glob(fsys, "*.txt")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var all []Case
	seen := make(map[string]bool)
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		cases, err := Parse(strings.TrimSuffix(path.Base(name), ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			if seen[c.Name()] {
				return nil, fmt.Errorf("%s: the case %q is there twice", name, c.Title)
			}
			seen[c.Name()] = true
		}
		all = append(all, cases...)
	}
	return all, nil
}
