package textfile

import "unicode/utf8"

// patch writes the new file while it reads the old one. It copies bytes and encodes only new text.
type patch struct {
	codec  codec
	utf8   bool   // bytes of the body are bytes of the content
	body   []byte // the old file without its byte-order mark
	out    []byte // the new file so far
	copied int    // how much of body is in out, or was replaced

	// The place reached in body, always directly behind a character: the escapes in front of the next one are yet to come.
	at      int
	content int // the same place in the content
	state   state
}

// replace applies an edit at or after the present position. It returns the offset in New of a character that the encoding
// lacks, or -1.
func (p *patch) replace(e Edit) (lacking int) {
	p.walk(e.Start)
	p.out = append(p.out, p.body[p.copied:p.at]...)
	before := p.state
	p.walk(e.End)
	p.copied = p.at
	out, n, after := encodeRunes(p.out, e.New, p.codec, before)
	if n < len(e.New) {
		return n
	}
	// The following bytes depend on the state at their position and may not select it themselves.
	p.out = p.codec.shift(out, after, p.state)
	return -1
}

// walk goes on to an offset of the content.
func (p *patch) walk(to int) {
	if p.utf8 {
		p.at += to - p.content
		p.content = to
		return
	}
	for p.content < to {
		ahead := min(len(p.body), p.at+to-p.content)
		if k := p.codec.plain(p.state, p.body[p.at:ahead]); k > 0 {
			p.at += k
			p.content += k
			continue
		}
		r, size, next := p.codec.decode(p.state, p.body[p.at:])
		p.at += size
		p.state = next
		if r >= 0 {
			p.content += utf8.RuneLen(r)
		}
	}
}
