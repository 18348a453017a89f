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

// patches reads the hunks of files until there is no more room.
type patches struct {
	*repo
	comparison
	files []DiffFile
	file  int // that comes next
	line  int // of it
	room  int
	text  strings.Builder
	known map[string]string // hunks that were asked for together, by the name of the file
}

// mostTogether is of how many files the hunks are asked for at once: in a large repository each asking takes its time.
const mostTogether = 25

// mostAsked bounds of how many files the hunks are asked for in one call.
const mostAsked = 100

// seek goes on behind an earlier answer.
func (p *patches) seek(place string) {
	file, line, _ := strings.Cut(place, ".")
	p.file, _ = strconv.Atoi(file)
	p.line, _ = strconv.Atoi(line)
	p.file, p.line = max(p.file, 0), max(p.line, 0)
}

// place is where the next answer begins, "" if there is none.
func (p *patches) place() string {
	if p.file >= len(p.files) {
		return ""
	}
	return fmt.Sprintf("%d.%d", p.file, p.line)
}

func (p *patches) read(ctx context.Context, around *int) error {
	lines := 3
	if around != nil {
		lines = *around
	}
	for asked := 0; p.file < len(p.files) && asked < mostAsked; asked++ {
		f := p.files[p.file]
		if f.Hidden || f.Binary {
			p.file, p.line = p.file+1, 0
			continue
		}
		hunks, known := p.known[f.names[0]]
		if !known {
			p.together(ctx, lines)
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

// hunks are those of one file. A file whose content is the same has none.
func (p *patches) hunks(ctx context.Context, f DiffFile, around int) (string, error) {
	args := slices.Concat([]string{"diff"}, comparing, []string{"-U" + strconv.Itoa(around)}, p.args, []string{"--"}, f.names)
	out, err := p.Run(ctx, gitcmd.Call{Args: args, Limit: localTimeout, Most: 4 << 20})
	if err != nil && len(out) == 0 {
		return "", failed("comparing "+quote(f.Path), err)
	}
	text := fromHunk(out)
	if err != nil {
		text += "\n[the rest of the file is too long to be compared]\n"
	}
	return text, nil
}

// together asks for the hunks of the files that come next, of those that can be told apart in one answer. What goes wrong is told when
// they are asked for one by one.
func (p *patches) together(ctx context.Context, around int) {
	p.known = make(map[string]string)
	var names []string
	heads := make(map[string]string)
	for _, f := range p.files[p.file:] {
		if len(names) == mostTogether {
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
	args := slices.Concat([]string{"diff"}, comparing, []string{"-z", "--src-prefix=a/", "--dst-prefix=b/", "-U" + strconv.Itoa(around)}, p.args, []string{"--"}, names)
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
		if bytes.HasPrefix(line, []byte("diff --git ")) { // lines of files begin with something else
			keep(at)
			name, begin = heads[strings.TrimRight(string(line), "\n\x00")], at
		}
		at += len(line)
	}
	keep(len(out))
}

// fromHunk is what git has said of one file from the first hunk on, as text.
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

// add adds hunks from the line that comes next on, and reports whether there was room for all of them.
func (p *patches) add(f DiffFile, hunks string) bool {
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

// cutLine is a line of which there may be more than an answer can have.
func cutLine(line string, most int) string {
	if most = min(most, 8<<10); len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + fmt.Sprintf("… [%d bytes]\n", len(line))
}

// decoded is what git has of files as text, in whatever encoding that is.
func decoded(out []byte) string {
	encoding := textfile.Detect(out)
	if text, err := textfile.Decode(out, encoding); err == nil {
		return text.Content
	}
	// Git cuts what it shows of functions at bytes.
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

func trim(out []byte) string { return strings.TrimSpace(string(out)) }
