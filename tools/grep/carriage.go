package grep

import "bytes"

var lf = []byte{'\n'}

// withoutLoneCR returns a text whose lines end at LF or CRLF: text itself, or a copy with LF for each lone CR. Offsets do not
// change.
func withoutLoneCR(text []byte) []byte {
	at := loneCR(text, 0)
	if at < 0 {
		return text
	}
	text = bytes.Clone(text)
	for ; at >= 0; at = loneCR(text, at+1) {
		text[at] = '\n'
	}
	return text
}

// loneCR returns the offset of the first CR from from on without an LF behind it, or -1.
func loneCR(text []byte, from int) int {
	for {
		n := bytes.IndexByte(text[from:], '\r')
		if n < 0 {
			return -1
		}
		from += n
		if from+1 == len(text) || text[from+1] != '\n' {
			return from
		}
		from += 2
	}
}

// withoutCR returns a text whose lines end at LF: text itself, or a shorter copy.
func withoutCR(text []byte) []byte {
	at := bytes.IndexByte(text, '\r')
	if at < 0 {
		return text
	}
	unix := append(make([]byte, 0, len(text)), text[:at]...)
	for rest := text[at:]; ; {
		unix = append(unix, '\n')
		rest = bytes.TrimPrefix(rest[1:], lf)
		n := bytes.IndexByte(rest, '\r')
		if n < 0 {
			return append(unix, rest...)
		}
		unix = append(unix, rest[:n]...)
		rest = rest[n:]
	}
}

// origin maps offsets of withoutCR(text) to offsets of text. Offsets must be requested in ascending order.
type origin struct {
	text     []byte
	moved    bool // whether any offsets differ
	at, from int  // corresponding offsets in the copy and in text
	cr       int  // offset of the next CR from from on
	ready    bool
}

func (o *origin) of(place int) int {
	if !o.moved {
		return place
	}
	if !o.ready {
		o.ready = true
		o.seek()
	}
	for o.cr < len(o.text) && o.at+o.cr-o.from < place {
		o.at += o.cr - o.from + 1 // behind the line end
		o.from = o.cr + 1
		if o.from < len(o.text) && o.text[o.from] == '\n' {
			o.from++
		}
		o.seek()
	}
	return o.from + place - o.at
}

// seek finds the next CR.
func (o *origin) seek() {
	o.cr = len(o.text)
	if n := bytes.IndexByte(o.text[o.from:], '\r'); n >= 0 {
		o.cr = o.from + n
	}
}
