package shell

import (
	"bytes"
	"regexp"
)

// heads are the first lines of functions at the margin.
var heads = regexp.MustCompile(`(?m)^(?:function[ \t]+[\w:.+-]+|[\w:.+-]+[ \t]*\([ \t]*\))`)

// segments reads a text that is damaged. It reads from the head of one function at the margin to the head of the next, so that a
// quote or bracket that is missing hides no other function. The last line that is a bracket at the margin ends a damaged function.
func (s *scanner) segments() {
	whole := s.src
	starts := []int{s.at}
	for _, head := range heads.FindAllIndex(whole, -1) {
		if head[0] > s.at {
			starts = append(starts, head[0])
		}
	}
	for i, start := range starts {
		end := len(whole)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		s.src, s.at, s.frames, s.documents, s.callable, s.owner, s.nested = whole[:end], start, s.frames[:0], nil, -1, -1, 0
		s.segment(start)
		if s.err != nil {
			break
		}
	}
	s.src = whole
}

// segment reads the text from start on to the end of the segment.
func (s *scanner) segment(start int) {
	s.damaged = false
	first := len(s.functions)
	s.list(none)
	if !s.damaged || s.err != nil {
		return
	}
	text := bytes.TrimRight(s.src[start:], " \t\r\n")
	end := start + len(text)
	if last := bytes.LastIndex(append(text[:len(text):len(text)], '\n'), []byte("\n}\n")); last >= 0 {
		end = start + last + len("\n}")
	}
	for _, f := range s.functions[first:] {
		c := s.b.Chunk(f)
		if int(max(c.Ident, c.Body)) >= end {
			if c.Parent >= 0 && int(s.b.Chunk(int(c.Parent)).Decl) < end {
				c.Parent = -1
			}
		} else if c.End > int32(end) {
			c.End = int32(end)
		}
	}
}
