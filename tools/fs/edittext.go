package fs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// TextContent returns the text for the model: a header line and notes on at most 20 edits. The diff follows only if it says more than
// the caller has written: after a dry run, and if a match was not exact.
func (r EditResult) TextContent() string {
	var b strings.Builder
	done := "made " + plural.Count(int64(len(r.Applied)), "edit")
	if r.DryRun {
		done = "dry run of " + plural.Count(int64(len(r.Applied)), "edit") + ", nothing was written"
	} else if r.Diff == "" {
		done += ", which together change nothing"
	}
	if len(r.Applied) == 1 && r.Applied[0].Count == 1 && r.Diff != "" && !r.DryRun {
		done += fmt.Sprintf(" at line %d", r.Applied[0].Line)
	}
	fmt.Fprintf(&b, "[%s: %s%s; now %s, sha256 %s]\n", r.Path, done, r.where(), plural.Count(r.Size, "byte"), security.ShortSHA256(r.SHA256))
	const most = 20
	told := 0
	for i, a := range r.Applied {
		ignored := i < len(r.ignored) && r.ignored[i] != ""
		if !ignored && a.Count == 1 {
			continue
		}
		if told++; told > most {
			b.WriteString("[…]\n")
			break
		}
		fmt.Fprintf(&b, "[edit %d: line %d", i+1, a.Line)
		if a.Count > 1 {
			fmt.Fprintf(&b, " and %s", plural.Count(int64(a.Count-1), "more place"))
		}
		if ignored {
			fmt.Fprintf(&b, " (matched ignoring %s)", r.ignored[i])
		}
		b.WriteString("]\n")
	}
	inexact := func(text string) bool { return text != "" }
	if r.DryRun || slices.ContainsFunc(r.ignored, inexact) {
		b.WriteString(r.Diff)
	}
	return b.String()
}

// notEditable adds advice to the error for a binary file.
func notEditable(err error) error {
	if errors.Is(err, textfile.ErrBinary) {
		return &mcp.ToolError{Code: codeBinaryFile, Message: "the file is not text",
			Next: "To change it, write the whole file with write_file and encoding=binary.", Err: err}
	}
	return err
}

// adviseLessText is the advice for edits that make a file too large.
const adviseLessText = "Insert less text, or put a part of it into another file."

// resultTooLarge returns the error for a file that would exceed the limit.
func resultTooLarge(size, most int64) error {
	return &security.Error{Code: security.FileTooLarge, Message: fmt.Sprintf("The file would have %d bytes; at most %d can be edited.", size, most),
		Next: adviseLessText}
}
