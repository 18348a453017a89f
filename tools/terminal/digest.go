package terminal

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/spool"
	"github.com/dougu-go/dougu/tools/terminal/internal/readable"
)

// viewNames are how views are called in arguments.
var viewNames = map[spool.View]string{spool.Both: "both", spool.Stdout: "stdout", spool.Stderr: "stderr"}

// options are how output of a view is made readable.
func (p *proc) readable(v spool.View, ansi bool) readable.Options {
	return readable.Options{More: p.state().running || p.holdsOutput(), Keep: ansi, Overwritten: p.pty || v == spool.Stderr}
}

// digest is the first size bytes of a view within about room bytes of text: if that
// is too much, the beginning and more of the end. end is up to where it tells.
func (p *proc) digest(v spool.View, size, room int64, ansi bool) (text string, end int64, cut bool) {
	o := p.readable(v, ansi)
	if size <= room {
		raw, at := p.out.Read(v, 0, int(size))
		if at == 0 && int64(len(raw)) == size {
			text, _, n := readable.Text(raw, o)
			if int64(len(text)) <= room {
				return text, int64(n), false
			}
		}
	}
	room = max(room-noteSize, 0)
	scale := room
	for range 4 { // text can be longer than the bytes that it comes from
		text, end = p.ends(v, size, scale, o)
		if int64(len(text)) <= room+noteSize {
			break
		}
		scale = scale * room / int64(len(text))
	}
	return text, end, true
}

// noteSize is about how long the note about what was left out is, in bytes. It is
// there however little room there is.
const noteSize = 160

// ends are the beginning and the end of a view with a note between them.
func (p *proc) ends(v spool.View, size, room int64, o readable.Options) (text string, end int64) {
	head, headEnd := p.head(v, room/3, o)
	tail, tailAt, end := p.tail(v, size, max(room-int64(headEnd), 0), o)
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + p.offers.omitted(max(tailAt-int64(headEnd), 0), p.id, viewNames[v], headEnd) + "\n" + tail, end
}

// head is the beginning of a view, up to a line end if there is one.
func (p *proc) head(v spool.View, room int64, o readable.Options) (text string, end int) {
	raw, at := p.out.Read(v, 0, int(room))
	if at > 0 {
		return "", 0 // it is lost
	}
	if last := bytes.LastIndexByte(raw, '\n'); last >= len(raw)/2 {
		raw = raw[:last+1]
	}
	o.More = true
	text, _, end = readable.Text(raw, o)
	return text, end
}

// tail is the last room of the first size bytes of a view, from the beginning of a
// line if there is one, and from behind whatever was dropped.
func (p *proc) tail(v spool.View, size, room int64, o readable.Options) (text string, at, end int64) {
	var raw []byte
	for from := max(size-room, 0); ; from = at + int64(len(raw)) {
		raw, at = p.out.Read(v, from, int(size-from))
		if len(raw) == 0 || at+int64(len(raw)) >= size {
			break
		}
	}
	raw = raw[:max(0, min(int64(len(raw)), size-at))]
	if first := bytes.IndexByte(raw, '\n'); at > 0 && first >= 0 && first < len(raw)/2 {
		raw, at = raw[first+1:], at+int64(first)+1
	}
	o.Middle = at > 0
	text, start, n := readable.Text(raw, o)
	at += int64(start)
	return text, at, at + int64(n)
}

// saw notes up to where a view was shown last.
func (p *proc) saw(v spool.View, end int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read[v] = end
}

// seen is up to where a view was shown last.
func (p *proc) seen(v spool.View) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read[v]
}
