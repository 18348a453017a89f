package terminal

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/spool"
	"github.com/dougu-go/dougu/tools/terminal/internal/readable"
)

// viewNames maps views to their names in arguments.
var viewNames = map[spool.View]string{spool.Both: "both", spool.Stdout: "stdout", spool.Stderr: "stderr"}

// readable returns the conversion options for the output of a view.
func (p *proc) readable(v spool.View, ansi bool) readable.Options {
	return readable.Options{More: p.state().running || p.holdsOutput(), Keep: ansi, Overwritten: p.pty || v == spool.Stderr}
}

// excerpt returns the first size bytes of a view as text of about room bytes. If they do not fit, it returns the beginning and a
// longer part of the end. end is the offset after the text.
func (p *proc) excerpt(v spool.View, size, room int64, ansi bool) (text string, end int64, cut bool) {
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
	for range 4 { // the text can be longer than its bytes
		text, end = p.headAndTail(v, size, scale, o)
		if int64(len(text)) <= room+noteSize {
			break
		}
		scale = scale * room / int64(len(text))
	}
	return text, end, true
}

// noteSize is an estimate of the bytes of the note on omitted output. The note is always present.
const noteSize = 160

// headAndTail returns the beginning and the end of a view with a note between them.
func (p *proc) headAndTail(v spool.View, size, room int64, o readable.Options) (text string, end int64) {
	head, headEnd := p.head(v, room/3, o)
	tail, tailAt, end := p.tail(v, size, max(room-int64(headEnd), 0), o)
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + p.offers.omitted(max(tailAt-int64(headEnd), 0), p.id, viewNames[v], headEnd) + "\n" + tail, end
}

// head returns the beginning of a view, up to a line end if possible.
func (p *proc) head(v spool.View, room int64, o readable.Options) (text string, end int) {
	raw, at := p.out.Read(v, 0, int(room))
	if at > 0 {
		return "", 0 // the output was dropped
	}
	if last := bytes.LastIndexByte(raw, '\n'); last >= len(raw)/2 {
		raw = raw[:last+1]
	}
	o.More = true
	text, _, end = readable.Text(raw, o)
	return text, end
}

// tail returns the last room bytes of the first size bytes of a view. It begins with a line if possible, and after dropped
// output.
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

// markSeen records the offset up to which a view was shown.
func (p *proc) markSeen(v spool.View, end int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read[v] = end
}

// seen returns the offset up to which a view was shown.
func (p *proc) seen(v spool.View) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read[v]
}
