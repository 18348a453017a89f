package headless

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// Format implements adapter.Formatter. It uses the first that is available of: formatters with Preferred, language servers, other
// formatters.
func (h *Headless) Format(ctx context.Context, doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error) {
	ctx, cancel := context.WithTimeout(ctx, h.o.RequestTimeout)
	defer cancel()
	if int64(len(doc.Text)) > h.o.MaxFile {
		return nil, unsupported("Do it by other means.", "%s has more than %d bytes", quote(doc.Path), h.o.MaxFile)
	}
	if part != nil {
		if err := errors.Join(checkPosition(doc, part.Start), checkPosition(doc, part.End)); err != nil {
			return nil, err
		}
	}
	if f, ok := h.formatter(h.language(doc), true); ok {
		return h.runFormatter(ctx, f, doc, part)
	}
	edits, err := h.formatByServer(ctx, doc, part)
	if err == nil || !errors.Is(err, adapter.ErrUnsupported) {
		return edits, err
	}
	if f, ok := h.formatter(h.language(doc), false); ok {
		return h.runFormatter(ctx, f, doc, part)
	}
	return nil, h.noFormatter(h.language(doc))
}

// formatter returns the first installed formatter of a language.
func (h *Headless) formatter(language string, preferred bool) (Formatter, bool) {
	for _, f := range h.o.Formatters {
		if f.Preferred == preferred && slices.Contains(f.Languages, language) && h.trusts(f.RunsProject) {
			if _, ok := h.find(Server{Command: f.Command}); ok {
				return f, true
			}
		}
	}
	return Formatter{}, false
}

// noFormatter returns the error for a language without an available formatter. It names the formatters that can be installed.
func (h *Headless) noFormatter(language string) error {
	var hints, untrusted []string
	for _, f := range h.o.Formatters {
		if slices.Contains(f.Languages, language) {
			hint := fmt.Sprintf("%s (%s)", f.Name, f.Install)
			if !h.trusts(f.RunsProject) {
				if h.o.TrustFlag == "" {
					untrusted = append(untrusted, f.Name)
					continue
				}
				hint += ", which runs code of the project and requires " + h.o.TrustFlag
			}
			hints = append(hints, hint)
		}
	}
	if len(hints) == 0 && len(untrusted) > 0 {
		return unsupported("Format it by hand.", "%s would run code of the project, which this program does not do", strings.Join(untrusted, " or "))
	}
	if len(hints) == 0 {
		return unsupported("Format it by hand.", "no formatter is known for the language %s", quote(language))
	}
	return unsupported("Install one of: "+strings.Join(hints, "; ")+".", "no formatter for the language %s is installed", quote(language))
}

// formatByServer formats with the first server that supports it.
func (h *Headless) formatByServer(ctx context.Context, doc adapter.Document, part *adapter.Range) (edits []adapter.TextEdit, err error) {
	method := "textDocument/formatting"
	params := lsp.FormattingParams{TextDocument: lsp.Document{URI: lsp.URI(doc.Path)}, Options: indentation(doc.Text)}
	if part != nil {
		method = "textDocument/rangeFormatting"
		r := protocolRange(*part)
		params.Range = &r
	}
	err = h.ask(ctx, doc, method, "formatting", func(ctx context.Context, i *instance, session *lsp.Session) error {
		var answer []lsp.TextEdit
		if err := session.Call(ctx, method, params, &answer); err != nil {
			return err
		}
		exact, err := textEdits(doc.Text, answer)
		if err != nil {
			return invalidResponse(i.server.Name, "wants to change %s where it cannot: %v", quote(doc.Path), err)
		}
		after, err := adapter.Apply(doc.Text, exact)
		edits = difference(doc.Text, after)
		return err
	})
	return edits, err
}

// indentation guesses the indentation of a text from its first 64 KiB. Servers with formatting rules of their own ignore it.
func indentation(text string) lsp.FormattingOptions {
	tabs, spaces, narrow := 0, 0, 0
	for line := range strings.Lines(text[:min(len(text), 64<<10)]) {
		switch {
		case strings.HasPrefix(line, "\t"):
			tabs++
		case strings.HasPrefix(line, "  "):
			if spaces++; !strings.HasPrefix(line, "    ") {
				narrow++
			}
		}
	}
	o := lsp.FormattingOptions{TabSize: 4, InsertSpaces: spaces > tabs}
	if narrow > 0 && narrow*5 >= spaces {
		o.TabSize = 2
	}
	return o
}

// exitGrace is the time that a formatter may take to exit after the end of its output.
const exitGrace = 2 * time.Second

// maxComplaint is the size of the part of a formatter's standard error that an error quotes, in bytes.
const maxComplaint = 2000

// runFormatter runs a formatter with the text as standard input and returns the edits that lead to its output. part limits them to
// its lines.
func (h *Headless) runFormatter(ctx context.Context, f Formatter, doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error) {
	program, ok := h.find(Server{Command: f.Command})
	if !ok {
		return nil, h.noFormatter(h.language(doc))
	}
	args := make([]string, len(f.Args))
	for n, arg := range f.Args {
		args[n] = strings.ReplaceAll(arg, "{file}", doc.Path)
	}
	cmd := exec.Command(program.Command[0], args...)
	cmd.Dir, cmd.Env = filepath.Dir(doc.Path), h.environmentFor(program)
	// Some formatters support only LF. Their output for CRLF input is wrong.
	crlf := strings.Contains(doc.Text, "\r\n") && strings.Count(doc.Text, "\r\n") == strings.Count(doc.Text, "\n")
	input := doc.Text
	if crlf {
		input = strings.ReplaceAll(input, "\r\n", "\n")
	}
	output, err := filter(ctx, cmd, h.o.Sandbox.WithReadOnly().Wrap, input, int(2*h.o.MaxFile))
	if err == nil && (!utf8.ValidString(output) || strings.TrimSpace(output) == "" && strings.TrimSpace(input) != "") {
		err = errors.New("it printed no valid text")
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, h.explain(ctx, "formatting with "+f.Name, ctx.Err())
		}
		next := "Nothing was changed. Correct the reported problem, usually a syntax error."
		if h.o.Sandbox.Active() {
			next += " " + openSandbox
		}
		return nil, &mcp.ToolError{Code: codeFormatter, Message: fmt.Sprintf("%s could not format %s: %v", f.Name, quote(doc.Path), err), Next: next, Err: err}
	}
	if crlf {
		output = strings.ReplaceAll(strings.ReplaceAll(output, "\r\n", "\n"), "\n", "\r\n")
	}
	return limitToLines(difference(doc.Text, output), part), nil
}

// limitToLines returns the edits in the lines of part; all edits if part is nil.
func limitToLines(edits []adapter.TextEdit, part *adapter.Range) []adapter.TextEdit {
	if part == nil {
		return edits
	}
	return slices.DeleteFunc(edits, func(e adapter.TextEdit) bool {
		return e.Range.Start.Line < part.Start.Line || e.Range.End.Line > part.End.Line+1 || e.Range.End.Line == part.End.Line+1 && e.Range.End.Column > 1
	})
}

// filter runs a program with text as standard input and returns its output. An output over limit bytes is an error. The program and
// its descendants are ended with the context.
func filter(ctx context.Context, cmd *exec.Cmd, wrap func(*exec.Cmd) error, text string, limit int) (string, error) {
	var mu sync.Mutex
	var complaint strings.Builder
	child, err := process.StartWith(cmd, process.Options{Wrap: wrap, Stderr: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if complaint.Len() < maxComplaint {
			complaint.WriteString("\n" + line)
		}
	}})
	if err != nil {
		return "", err
	}
	var work group.Group
	work.Go(func() {
		_, _ = io.WriteString(child.Stdin, text) // a write error is no failure: the program may exit before it has read all input
		_ = child.Stdin.Close()
	})
	var out bytes.Buffer
	var readErr error
	read := make(chan struct{})
	work.Go(func() {
		defer close(read)
		_, readErr = io.Copy(&out, io.LimitReader(child.Stdout, int64(limit)+1))
	})
	grace := exitGrace
	select {
	case <-read:
		if out.Len() > limit {
			grace = 0
		}
	case <-ctx.Done():
		grace = 0
	}
	ended := child.Stop(ctx, grace)
	work.Wait()
	mu.Lock()
	defer mu.Unlock()
	said := strings.ToValidUTF8(complaint.String()[:min(complaint.Len(), maxComplaint)], "\uFFFD")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case out.Len() > limit:
		return "", fmt.Errorf("it printed more than %d bytes", limit)
	case ended != nil:
		return "", fmt.Errorf("%w%s", ended, said)
	}
	return out.String(), readErr
}
