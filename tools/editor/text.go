package editor

import (
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// text returns the change as text for a model: a header and the diff.
func (c Change) text(did string) string {
	where := ""
	switch {
	case c.Editor != "" && c.Saved:
		where = ", in " + c.Editor + ", saved"
	case c.Editor != "":
		where = ", in " + c.Editor + ", not saved"
	}
	return fmt.Sprintf("[%s: %s%s; sha256 %s]\n%s", c.Path, did, where, security.ShortSHA256(c.SHA256), c.Diff)
}

// text returns the feedback as text for a model.
func (f Feedback) text() string {
	var b strings.Builder
	what := "new error"
	if f.changedLines {
		what = "error in the changed lines, perhaps older"
	}
	for _, d := range f.NewErrors {
		b.WriteString("[" + what + ": " + d.line(true) + "]\n")
	}
	switch c := (FileChecks{Reason: f.Reason, Next: f.Next, By: f.CheckedBy}); adapter.CheckState(f.Diagnostics) {
	case adapter.Checked:
		if len(f.NewErrors) == 0 {
			b.WriteString("[no new errors, by " + f.CheckedBy + "]\n")
		}
	case adapter.Stale:
		b.WriteString("[errors are not known yet" + c.explanation() + ". get_diagnostics tells them later]\n")
	case adapter.Unchecked:
		b.WriteString("[not checked for errors" + c.explanation() + "]\n")
	}
	writeNotes(&b, f.Notes)
	return b.String()
}

func writeNotes(b *strings.Builder, notes []string) {
	for _, note := range notes {
		b.WriteString("[" + note + "]\n")
	}
}
