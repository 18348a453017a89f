package jetbrains

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

const (
	// formatPatience is how long the IDE may take to start and to lay a file out.
	formatPatience = 2 * time.Minute
	maxFormatted   = 10 << 20 // bytes of a document
)

// Format lays a document out by the launcher's command format, if Options.Format asks for it. It is done to a copy: the IDE writes the
// file that it is given.
func (j *JetBrains) Format(ctx context.Context, doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error) {
	fail := func(err error) ([]adapter.TextEdit, error) {
		return nil, fmt.Errorf("laying %s out by an IDE of JetBrains: %w", doc.Path, err)
	}
	launcher := j.launcher()
	switch {
	case j.options.Format == nil || launcher == "":
		return fail(adapter.ErrUnsupported)
	case part != nil:
		return fail(fmt.Errorf("only whole files: %w", adapter.ErrUnsupported))
	case len(doc.Text) > maxFormatted:
		return fail(fmt.Errorf("it has more than %d bytes: %w", maxFormatted, adapter.ErrUnsupported))
	}
	dir, err := os.MkdirTemp("", "dougu-format-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "copy"+filepath.Ext(doc.Path))
	if err := os.WriteFile(copied, []byte(doc.Text), 0o600); err != nil {
		return fail(err)
	}
	args := []string{"format", "-allowDefaults"}
	if settings := j.options.Format.Settings; settings != "" {
		args = []string{"format", "-s", settings}
	}
	if err := runToEnd(ctx, exec.Command(launcher, append(args, copied)...), dir); err != nil {
		return fail(err)
	}
	info, err := os.Lstat(copied)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 2*maxFormatted {
		return fail(errors.New("the IDE has not left a file of reasonable size"))
	}
	after, err := os.ReadFile(copied)
	if err != nil {
		return fail(err)
	}
	return difference(doc.Text, string(after)), nil
}

// runToEnd runs a program and waits for its end, or ends it with all that it has started.
func runToEnd(ctx context.Context, cmd *exec.Cmd, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, formatPatience)
	defer cancel()
	var said bytes.Buffer
	cmd.Dir = dir
	run, err := process.Capture(cmd, process.CaptureOptions{Output: func(_ process.Stream, p []byte) {
		if said.Len() < 4*maxErrorText {
			said.Write(p)
		}
	}})
	if err != nil {
		return err
	}
	select {
	case <-run.Ended():
		_ = run.Close()
	case <-ctx.Done():
		_ = run.Close()
		return fmt.Errorf("it has not ended in time: %w", context.Cause(ctx))
	}
	if exit := run.Exit(); exit.Code != 0 {
		return fmt.Errorf("it ends with code %d: %s", exit.Code, truncate.Line(said.String(), maxErrorText))
	}
	return nil
}

// difference are the lines that differ.
func difference(old, new string) []adapter.TextEdit {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(new, "\n")
	offsets := make([]int, len(a)+1)
	for n, line := range a {
		offsets[n+1] = offsets[n] + len(line)
	}
	lines := adapter.NewText(old)
	var edits []adapter.TextEdit
	for _, s := range textdiff.Compare(a, b) {
		r := adapter.Range{Start: lines.Position(offsets[s.A0]), End: lines.Position(offsets[s.A1])}
		edits = append(edits, adapter.TextEdit{Range: r, NewText: strings.Join(b[s.B0:s.B1], "")})
	}
	return edits
}
