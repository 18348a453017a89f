package debug

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/spool"
)

// output returns the output of the program from an offset on, at most the last room bytes, and their offset.
func (s *session) output(from int64, room int) (text string, at int64, cut bool) {
	size := s.out.Size(spool.Both)
	start := max(from, size-int64(room))
	raw, at := s.read(start, room)
	if cut = at > from; cut {
		if line := bytes.IndexByte(raw, '\n'); line >= 0 && line < len(raw)/2 {
			raw, at = raw[line+1:], at+int64(line)+1
		}
		for len(raw) > 0 && at > 0 && !utf8.RuneStart(raw[0]) {
			raw, at = raw[1:], at+1
		}
	}
	return string(raw), at, cut
}

// read reads output in complete characters if possible.
func (s *session) read(from int64, n int) (raw []byte, at int64) {
	raw, at = s.out.Read(spool.Both, from, n)
	for i := 1; i <= utf8.UTFMax-1 && i <= len(raw); i++ {
		if last := raw[len(raw)-i]; utf8.RuneStart(last) {
			if !utf8.FullRune(raw[len(raw)-i:]) && len(raw) > i {
				raw = raw[:len(raw)-i]
			}
			break
		}
	}
	return raw, at
}

// hear notes up to where the output was shown.
func (s *session) hear(at int64, text string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = at + int64(len(text))
	return s.heard
}

// withOutput adds the output of a program to an error.
func withOutput(err error, text string) error {
	known, ok := errors.AsType[*mcp.ToolError](err)
	if !ok {
		return err
	}
	more := *known
	more.Message += "\nIt has printed:\n" + strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	return &more
}
