package edit

import (
	"cmp"
	"fmt"
	"strings"
)

// InvalidError is the error of an edit that is invalid for every content.
type InvalidError struct {
	Edit    int    // number of the edit, from 1
	Message string // description of the error
	Next    string // advice
}

func (e *InvalidError) Error() string { return which(e.Edit) + e.Message }

// ErrorCode is stable: INVALID_PARAMS.
func (e *InvalidError) ErrorCode() string { return "INVALID_PARAMS" }

// NextStep returns the advice.
func (e *InvalidError) NextStep() string { return e.Next }

// which returns the beginning of a message about an edit.
func which(edit int) string {
	if edit == 0 {
		return ""
	}
	return fmt.Sprintf("edit %d: ", edit)
}

// NoMatchError is the error of an edit without a match. Lines refer to the original content.
type NoMatchError struct {
	Edit int // number of the edit, from 1
	// Part is the name of the searched part of the file; "" is the file.
	Part string
	// Reason explains why a similar place was refused; empty if there is none.
	Reason string
	// Present is a line that already contains New; 0 if there is none.
	Present int
	// Earlier means that the original content contained Old and an earlier edit changed it.
	Earlier bool
	// First and Last are the most similar lines; 0 if there are none.
	First, Last int
	// Diff is a diff from Old to those lines. If only white space differs, spaces, tabs and CR are shown as ·, → and ␍.
	Diff string
}

func (e *NoMatchError) Error() string {
	var b strings.Builder
	b.WriteString(which(e.Edit) + "oldText is not in the " + partName(e.Part))
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	b.WriteString(".")
	if e.Present > 0 {
		fmt.Fprintf(&b, " newText is already there, at line %d.", e.Present)
	}
	if e.Earlier {
		b.WriteString(" It was there before an earlier edit of this call changed it.")
	}
	if e.Diff != "" {
		fmt.Fprintf(&b, " Nearest is what stands at %s (- oldText, + the file", lineRange(e.First, e.Last))
		if strings.ContainsAny(e.Diff, "·→␍") {
			b.WriteString("; · is a space, → a tab, ␍ a CR")
		}
		b.WriteString("):\n" + strings.TrimSuffix(e.Diff, "\n"))
	}
	return b.String()
}

// ErrorCode is stable: EDIT_NO_MATCH.
func (e *NoMatchError) ErrorCode() string { return "EDIT_NO_MATCH" }

// NextStep returns the advice.
func (e *NoMatchError) NextStep() string {
	switch {
	case e.Earlier:
		return "Edits are made in order: give oldText as it is after the earlier ones, or join the edits into one."
	case e.Present > 0:
		return fmt.Sprintf("If line %d is what you want, the edit was made already: leave it out. Else read the file there and copy oldText from it.", e.Present)
	case e.First > 0:
		return fmt.Sprintf("Copy oldText from %s as they are now, without line numbers, and call again.", lineRange(e.First, e.Last))
	}
	return "Read the " + partName(e.Part) + " again and copy oldText from it, without line numbers."
}

// partName returns the name of the searched text.
func partName(part string) string { return cmp.Or(part, "file") }

func lineRange(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d to %d", first, last)
}

// AmbiguousError is the error of an edit with several matches where one is allowed.
type AmbiguousError struct {
	Edit  int   // which of the edits, from 1
	Lines []int // where places begin in the original content; the first ones, if there are many
	Count int   // the places
	By    Step  // how they were found
	// Partial means that all places were to be changed and the exact step found only some of them.
	Partial bool
	Near    int // the line that was to decide, and did not; 0 if none was given
	// Part is the name of the searched part of the file; "" is the file.
	Part string
}

func (e *AmbiguousError) Error() string {
	text := fmt.Sprintf("%soldText is at %d places", which(e.Edit), e.Count)
	if by := e.By.Ignored(); by != "" {
		text += " if " + by + " are ignored"
		if !strings.HasSuffix(by, "s") {
			text = strings.TrimSuffix(text, "are ignored") + "is ignored"
		}
	}
	text += ": " + lineList(e.Lines, e.Count)
	switch {
	case e.Partial:
		text += "; only some of them are otherwise equal, so it is not clear which are all"
	case e.Near > 0:
		text += fmt.Sprintf("; none is clearly nearest to line %d", e.Near)
	}
	return text + "."
}

// ErrorCode is stable: EDIT_AMBIGUOUS.
func (e *AmbiguousError) ErrorCode() string { return "EDIT_AMBIGUOUS" }

// NextStep returns the advice.
func (e *AmbiguousError) NextStep() string {
	if e.Partial {
		return "Give one edit for each place, with oldText exactly as it is there."
	}
	if e.Part != "" {
		return "Add lines before or after to oldText and newText until it is at one place only, or set replaceAll to change all of them."
	}
	return "Add lines before or after to oldText and newText until it is at one place only, give the line as nearLine, or set replaceAll to change all of them."
}

// CountError is an edit that was to change another number of places than there are.
type CountError struct {
	Edit     int // which of the edits, from 1
	Expected int
	Lines    []int // where places begin in the original content; the first ones, if there are many
	Count    int
	By       Step // how they were found
}

func (e *CountError) Error() string {
	text := fmt.Sprintf("%soldText was expected at %d places, but is at %d: %s", which(e.Edit), e.Expected, e.Count, lineList(e.Lines, e.Count))
	if by := e.By.Ignored(); by != "" {
		text += " (ignoring " + by + ")"
	}
	return text + "."
}

// ErrorCode is stable: EDIT_COUNT_MISMATCH.
func (e *CountError) ErrorCode() string { return "EDIT_COUNT_MISMATCH" }

// NextStep returns the advice.
func (e *CountError) NextStep() string {
	return "Look at these lines; then correct expectedCount, or give one edit for each place that is meant."
}

// lineList lists lines, and says how many more there are.
func lineList(lines []int, count int) string {
	var b strings.Builder
	b.WriteString("line ")
	if len(lines) != 1 {
		b.Reset()
		b.WriteString("lines ")
	}
	for i, line := range lines {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, line)
	}
	if more := count - len(lines); more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// TooLargeError is edits that would take too long or make too much.
type TooLargeError struct {
	Edit    int // which of the edits, from 1; 0 for all of them
	Message string
	Next    string
}

func (e *TooLargeError) Error() string { return which(e.Edit) + e.Message }

// ErrorCode is stable: FILE_TOO_LARGE.
func (e *TooLargeError) ErrorCode() string { return "FILE_TOO_LARGE" }

// NextStep returns the advice.
func (e *TooLargeError) NextStep() string { return e.Next }
