package debug

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/dap"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	// maxLooked is how many frames are looked at for one in the project.
	maxLooked = 20
	// around is how many lines of source there are before and behind the one where the program stands.
	around  = 5
	maxLine = 400 // bytes of a line of source
)

// frames returns a part of the frames of a thread, and their number if the adapter reports it.
func (s *session) frames(ctx context.Context, client *dap.Session, thread, start, levels int) ([]protocol.StackFrame, int, error) {
	var answer protocol.StackTraceResponseBody
	err := client.Call(ctx, "stackTrace", protocol.StackTraceArguments{ThreadId: thread, StartFrame: start, Levels: levels}, &answer)
	if err != nil {
		return nil, 0, failed("reading the stack", err)
	}
	all := answer.StackFrames
	if start > 0 && len(all) > levels { // from one that knows no paging
		all = all[min(start, len(all)):]
	}
	return all[:min(len(all), levels)], answer.TotalFrames, nil
}

// toFrames are frames as they are answered.
func (s *session) toFrames(ctx context.Context, frames []protocol.StackFrame, start int) []Frame {
	shown := make([]Frame, len(frames))
	for i, f := range frames {
		shown[i] = Frame{Index: start + i, Function: truncate.Cut(f.Name, maxName), Path: s.path(ctx, f), Line: f.Line}
	}
	return shown
}

// path is the file of a frame for other calls, or outside of the project for people.
func (s *session) path(ctx context.Context, f protocol.StackFrame) string {
	if f.Source == nil {
		return ""
	}
	name := f.Source.Path
	if name == "" {
		return truncate.Cut(f.Source.Name, maxName)
	}
	if filepath.IsAbs(name) && s.d.inProject(name) {
		if info, err := s.d.root.Stat(ctx, name); err == nil {
			return info.Path
		}
	}
	return truncate.Cut(name, 4*maxName)
}

// source are the lines around the one where a frame is, if its file is one of the project that may be read.
func (s *session) source(ctx context.Context, f protocol.StackFrame) (string, bool) {
	if f.Source == nil || f.Line < 1 || !filepath.IsAbs(f.Source.Path) || !s.d.inProject(f.Source.Path) {
		return "", false
	}
	data, _, err := s.d.root.ReadFile(ctx, f.Source.Path, s.d.limits.MaxFile)
	if err != nil {
		return "", false
	}
	text, err := textfile.Decode(data, textfile.Auto)
	if err != nil {
		return "", false
	}
	lines := strings.Split(text.Content, "\n")
	if f.Line > len(lines) {
		return "", false
	}
	var b strings.Builder
	for n := max(1, f.Line-around); n <= min(len(lines), f.Line+around); n++ {
		mark := "  "
		if n == f.Line {
			mark = "> "
		}
		fmt.Fprintf(&b, "%s%4d  %s\n", mark, n, truncate.Cut(strings.TrimRight(lines[n-1], "\r"), maxLine))
	}
	return b.String(), true
}
