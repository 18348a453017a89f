package editor

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// syntaxFindings are the result of the syntax checker for a file.
type syntaxFindings struct{ adapter.Syntax }

// check returns the check state of a file that only the syntax checker has checked.
func (s syntaxFindings) check() adapter.FileCheck {
	if s.Complete {
		return adapter.FileCheck{State: adapter.Checked, By: s.By}
	}
	return adapter.FileCheck{State: adapter.Unchecked, By: s.By, Reason: reasonSyntax}
}

// syntax checks the syntax of a text. The error is ErrUnsupported without a suitable checker. A panic becomes an error.
func (e *Editor) syntax(ctx context.Context, p projectFile, text string) (found syntaxFindings, err error) {
	if e.options.Syntax == nil || !e.options.Syntax.KnowsSyntax(p.abs) {
		return found, adapter.ErrUnsupported
	}
	if err := ctx.Err(); err != nil {
		return found, err
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("looking at the syntax: panic: %v", v)
		}
	}()
	found.Syntax, err = e.options.Syntax.CheckSyntax(ctx, p.abs, text)
	for i := range found.Items {
		found.Items[i].Path = p.abs
	}
	return found, err
}

// uncheckedState returns the unchecked state of a file, with the reason of the first adapter that gives one.
func (e *Editor) uncheckedState(p projectFile) adapter.FileCheck {
	for _, a := range e.options.Adapters {
		if x, ok := a.(adapter.Explainer); ok {
			if reason, next := x.WhyUnchecked(p.abs); reason != "" {
				return adapter.FileCheck{State: adapter.Unchecked, Reason: reason, Next: next}
			}
		}
	}
	return adapter.FileCheck{State: adapter.Unchecked}
}

// presentText returns the text of a file: the unsaved one of an editor, or that on the disk.
func (e *Editor) presentText(ctx context.Context, p projectFile) (string, error) {
	raw, _, err := e.root.ReadFile(ctx, p.path, e.limits.MaxFile)
	if err != nil {
		return "", err
	}
	text, err := textfile.Decode(raw, textfile.Auto)
	if err != nil {
		return "", notText(p.path, err)
	}
	return text.Content, nil
}
