package chunking

import "strings"

// maxTypeText is the size of the text of a type, in bytes, above which get_chunk returns an outline.
const maxTypeText = 16 << 10

// maxTypeHead limits the text before the first member in an outline, in bytes.
const maxTypeHead = 2000

// members returns the indexes of the declarations directly within a type whose text is long, or nil. A long function has none,
// because its statements are not in an outline.
func (c *Chunks) members(found chunk) []int {
	chosen := found.get()
	if !c.options.Outlines || !chosen.Kind.IsType() || int(chosen.End-chosen.Start) <= maxTypeText {
		return nil
	}
	var members []int
	for i := range found.chunks {
		if int(found.chunks[i].Parent) == found.n {
			members = append(members, i)
		}
	}
	return members
}

// outline returns the result for a type with its members in place of their text. The caller has not read the chunk then.
func (c *Chunks) outline(found chunk, members []int) ChunkResult {
	chosen := found.get()
	end := chosen.End
	for _, i := range members {
		end = min(end, found.chunks[i].Start)
	}
	r := ChunkResult{
		Entry: found.entry(found.n, 0), Code: headOf(found.text(chosen.Start, end)), FilePath: found.Path,
		Language: string(found.Language), Parser: found.Parser, SHA256: found.digest(), Moved: found.moved(), ParseErrors: parseErrors(found.Problems),
		Truncated: true, TotalBytes: int(chosen.End - chosen.Start),
	}
	r.CodeLines = []int32{r.Line, r.Line + int32(strings.Count(r.Code, "\n"))}
	for _, i := range members {
		r.Members = append(r.Members, found.entry(i, 0))
	}
	r.memberCount = len(r.Members)
	r.Members = cut(r.Members, max(c.limits.Answer-len(r.Code), 0))
	return r
}

// headOf returns the beginning of a type, in complete lines of at most maxTypeHead bytes.
func headOf(text string) string {
	if len(text) > maxTypeHead {
		text = text[:max(strings.LastIndexByte(text[:maxTypeHead], '\n'), 0)] + "\n…"
	}
	return strings.TrimRight(text, " \t\r\n")
}

// outlineText returns the beginning of the type and a line for each member.
func (r ChunkResult) outlineText() string {
	var b strings.Builder
	path := r.within()
	b.WriteString("[outline of " + number(r.TotalBytes) + " bytes, lines " + number(r.Line) + "-" + number(r.EndLine) +
		": get_chunk reads a member by its id, " + r.FilePath + "#" + path + ".name, and all with full=true]\n" + r.Code)
	for i := range r.Members {
		b.WriteString("\n " + r.Members[i].line(path, true))
	}
	if rest := r.memberCount - len(r.Members); rest > 0 {
		b.WriteString("\n[" + number(rest) + " more members are not shown]")
	}
	return b.String()
}
