package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// patchReader collects the hunks of files within a budget.
type patchReader struct {
	*repo
	comparison
	files []DiffFile
	file  int // index of the next file
	line  int // next line of its hunks
	room  int
	text  strings.Builder
	known map[string]string // prefetched hunks by file name
}

// prefetchFiles is the number of files of one git call. In a large repository every call takes long.
const prefetchFiles = 25

// maxPatchFiles is the most files whose hunks one answer reads.
const maxPatchFiles = 100

// seek continues after an earlier answer.
func (p *patchReader) seek(place string) {
	file, line, _ := strings.Cut(place, ".")
	p.file, _ = strconv.Atoi(file)
	p.line, _ = strconv.Atoi(line)
	p.file, p.line = max(p.file, 0), max(p.line, 0)
}

// position returns the position of the next answer, or "" at the end.
func (p *patchReader) position() string {
	if p.file >= len(p.files) {
		return ""
	}
	return fmt.Sprintf("%d.%d", p.file, p.line)
}

// read collects hunks until the budget or the files end.
func (p *patchReader) read(ctx context.Context, around *int) error {
	lines := 3
	if around != nil {
		lines = *around
	}
	for asked := 0; p.file < len(p.files) && asked < maxPatchFiles; asked++ {
		f := p.files[p.file]
		if f.Hidden || f.Binary {
			p.file, p.line = p.file+1, 0
			continue
		}
		hunks, known := p.known[f.names[0]]
		if !known {
			p.prefetch(ctx, lines)
			hunks, known = p.known[f.names[0]]
		}
		if !known {
			var err error
			if hunks, err = p.hunks(ctx, f, lines); err != nil {
				return err
			}
		}
		if !p.add(f, hunks) {
			return nil
		}
		p.file, p.line = p.file+1, 0
	}
	return nil
}

// hunks returns the hunks of one file. A file with unchanged content has none.
func (p *patchReader) hunks(ctx context.Context, f DiffFile, around int) (string, error) {
	args := slices.Concat([]string{"diff"}, diffOptions, []string{"-U" + strconv.Itoa(around)}, p.args, []string{"--"}, f.names)
	out, err := p.Run(ctx, gitcmd.Call{Args: args, Limit: localTimeout, Most: 4 << 20})
	if err != nil && len(out) == 0 {
		return "", gitError("comparing "+quote(f.Path), err)
	}
	text := fromHunk(out)
	if err != nil {
		text += "\n[the rest of the file is too long to be compared]\n"
	}
	return text, nil
}

// prefetch prefetches the hunks of the next files whose hunks can be told apart in one output. Errors are reported when a file
// is read individually.
func (p *patchReader) prefetch(ctx context.Context, around int) {
	p.known = make(map[string]string)
	var names []string
	heads := make(map[string]string)
	for _, f := range p.files[p.file:] {
		if len(names) == prefetchFiles {
			break
		}
		simple := len(f.names) == 1 && !strings.ContainsAny(f.names[0], "\n\"\\") && (f.Status == "added" || f.Status == "modified" || f.Status == "deleted")
		if simple && !f.Hidden && !f.Binary {
			names = append(names, f.names[0])
			heads["diff --git a/"+f.names[0]+" b/"+f.names[0]] = f.names[0]
		}
	}
	if len(names) < 2 || names[0] != p.files[p.file].names[0] {
		return
	}
	args := slices.Concat([]string{"diff"}, diffOptions, []string{"-z", "--src-prefix=a/", "--dst-prefix=b/", "-U" + strconv.Itoa(around)}, p.args, []string{"--"}, names)
	out, err := p.Run(ctx, gitcmd.Call{Args: args, Limit: localTimeout, Most: 4 << 20})
	if err != nil {
		return
	}
	name, begin, at := "", 0, 0
	keep := func(end int) {
		if name != "" {
			p.known[name] = fromHunk(out[begin:end])
		}
	}
	for line := range bytes.Lines(out) {
		if bytes.HasPrefix(line, []byte("diff --git ")) { // lines of files begin with another character
			keep(at)
			name, begin = heads[strings.TrimRight(string(line), "\n\x00")], at
		}
		at += len(line)
	}
	keep(len(out))
}

// fromHunk returns the output of git for one file from the first hunk on.
func fromHunk(out []byte) string {
	text := decoded(out)
	begin := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "@@") {
			return text[begin:]
		}
		begin += len(line)
	}
	return ""
}

// add appends hunks from the next line on. It returns false if the budget ends.
func (p *patchReader) add(f DiffFile, hunks string) bool {
	from, to := "a/"+f.Path, "b/"+f.Path
	if f.From != "" {
		from = "a/" + f.From
	}
	switch f.Status {
	case "added":
		from = "/dev/null"
	case "deleted":
		to = "/dev/null"
	}
	if hunks == "" {
		return true
	}
	head := fmt.Sprintf("--- %s\n+++ %s\n", name(from), name(to))
	if p.text.Len() > 0 && p.text.Len()+len(head) > p.room {
		return false
	}
	p.text.WriteString(head)
	n := 0
	for line := range strings.Lines(hunks) {
		if n++; n <= p.line {
			continue
		}
		if p.text.Len()+len(line) > p.room && p.text.Len() > len(head) {
			p.line = n - 1
			return false
		}
		p.text.WriteString(cutLine(line, p.room))
	}
	return true
}

// cutLine truncates a line that is longer than an answer.
func cutLine(line string, most int) string {
	if most = min(most, 8<<10); len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + fmt.Sprintf("… [%d bytes]\n", len(line))
}

// decoded returns file content in the output of git as UTF-8, whatever its encoding.
func decoded(out []byte) string {
	encoding := textfile.Detect(out)
	if text, err := textfile.Decode(out, encoding); err == nil {
		return text.Content
	}
	// Git cuts function names at bytes.
	var b strings.Builder
	for line := range bytes.Lines(out) {
		if text, err := textfile.Decode(line, encoding); err == nil {
			b.WriteString(text.Content)
		} else {
			b.WriteString(strings.ToValidUTF8(string(line), "\uFFFD"))
		}
	}
	return b.String()
}

// trim returns the output without surrounding white space.
func trim(out []byte) string { return strings.TrimSpace(string(out)) }
