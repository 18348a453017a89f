package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Decoder is an io.Reader of the characters of a file as UTF-8, without byte-order mark and with the original line ends. It
// holds at most 64 KiB of the file. Its errors are the errors of Decode; the text before a malformed position is returned
// first.
type Decoder struct {
	src      io.Reader
	encoding Encoding
	codec    codec // nil as long as Auto has seen nothing but ASCII
	bom      bool
	state    state

	in   []byte // read but not decoded
	out  []byte // decoded but not given away
	text []byte // the memory of out
	end  error  // error of src; io.EOF at the end
	err  error  // given once out is empty

	offset   int64 // of in, in the file
	lineEnds int   // in front of in
	afterCR  bool  // the last character in front of in is a CR
}

// NewDecoder makes a Decoder of src. Auto is settled by the first 64 KiB that have more than ASCII.
func NewDecoder(src io.Reader, e Encoding) *Decoder {
	return &Decoder{src: src, encoding: e, in: make([]byte, 0, sampleLen)}
}

// Encoding returns the encoding that Auto or UTF16 was resolved to. While only ASCII was read, Auto is UTF8.
func (d *Decoder) Encoding() Encoding {
	if d.encoding == Auto {
		return UTF8
	}
	return d.encoding
}

// BOM reports whether the file begins with a byte-order mark. It is valid after the first Read.
func (d *Decoder) BOM() bool { return d.bom }

// Read is io.Reader.
func (d *Decoder) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(d.out) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.fill()
		d.decode()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// fill reads until in is full or src ends.
func (d *Decoder) fill() {
	for idle := 0; d.end == nil && len(d.in) < cap(d.in); {
		n, err := d.src.Read(d.in[len(d.in):cap(d.in)])
		d.in = d.in[:len(d.in)+n]
		if idle++; n > 0 {
			idle = 0
		}
		d.end = err
		if err == nil && idle >= 100 {
			d.end = io.ErrNoProgress
		}
	}
}

// decode turns in into out, and sets err where that ends.
func (d *Decoder) decode() {
	if d.codec == nil && !d.settle() {
		return
	}
	c, limit := d.codec, len(d.in)
	if c == nil {
		c = utf8Codec{} // ASCII so far
		limit -= d.undecided()
	}
	out, n, s, why, bad := transcode(d.text[:0], d.in, limit, c, d.state)
	d.text, d.out, d.state = out, out, s
	d.count(out)
	d.offset += int64(n)
	rest := d.in[n:]
	if why == atShort && errors.Is(d.end, io.EOF) {
		why, bad = atMalformed, len(rest)
	}
	if why == atMalformed {
		d.err = &DecodeError{Encoding: d.Encoding(), Offset: d.offset, Line: d.lineEnds + 1, Bytes: bytes.Clone(rest[:bad])}
	} else {
		d.err = d.end
	}
	d.in = d.in[:copy(d.in[:cap(d.in)], rest)]
}

// settle finds out the encoding and takes the byte-order mark away. It is false if that fails.
func (d *Decoder) settle() bool {
	e := d.encoding
	if e == Auto {
		known := d.in[:len(d.in)-d.undecided()]
		if d.offset == 0 {
			e = detect(known, d.end == nil)
		} else {
			e = detectText(known, d.end == nil)
		}
		if e == UTF8 && asciiLen(known) == len(known) {
			return true
		}
	}
	if d.offset == 0 {
		rest, resolved, marked, foreign := cutBOM(d.in, e)
		if foreign {
			d.err = &DecodeError{Encoding: resolved, Line: 1, Bytes: bytes.Clone(d.in[:2])}
			return false
		}
		e, d.bom = resolved, marked
		d.offset = int64(len(d.in) - len(rest))
		d.in = d.in[:copy(d.in, rest)]
	}
	if d.codec = codecFor(e); d.codec == nil {
		d.err = fmt.Errorf("decoding: %w", ErrBinary)
		return false
	}
	d.encoding = e
	return true
}

// undecided returns the number of bytes at the end of in that can begin a non-ASCII character but are too few to detect the
// encoding.
func (d *Decoder) undecided() int {
	const few = 256
	first := asciiLen(d.in)
	if i := bytes.IndexByte(d.in[:first], esc); i >= 0 {
		first = i
	}
	if d.end != nil || first == 0 || len(d.in)-first > few || bytes.IndexByte(d.in, 0) >= 0 {
		return 0
	}
	return len(d.in) - first
}

// count adds the line ends of decoded text.
func (d *Decoder) count(out []byte) {
	if len(out) == 0 {
		return
	}
	d.lineEnds += countLineEnds(out)
	if d.afterCR && out[0] == '\n' {
		d.lineEnds--
	}
	d.afterCR = out[len(out)-1] == '\r'
}
