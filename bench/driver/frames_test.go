package driver

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
)

// frame returns a frame as servers send it.
func frame(first byte, payload string) string {
	head := []byte{first, byte(len(payload))}
	switch {
	case len(payload) >= 1<<16:
		head = binary.BigEndian.AppendUint64([]byte{first, 127}, uint64(len(payload)))
	case len(payload) >= 126:
		head = binary.BigEndian.AppendUint16([]byte{first, 126}, uint16(len(payload)))
	}
	return string(head) + payload
}

func TestFrames_Split(t *testing.T) {
	t.Parallel()
	sizes := []int{0, 1, 125, 126, 1<<16 - 1, 1 << 16, 1 << 20}
	var stream strings.Builder
	for _, size := range sizes {
		stream.WriteString(frame(0x89, "are you there?"))
		stream.WriteString(frame(0x81, strings.Repeat("x", size)))
	}
	f := &frames{r: bufio.NewReader(strings.NewReader(stream.String()))}
	var got []int
	for len(got) < len(sizes) {
		if _, err := f.batch(func(message []byte) { got = append(got, len(message)) }); err != nil {
			t.Fatal(err)
		}
	}
	for i, size := range sizes {
		if got[i] != size {
			t.Errorf("message %d has %d bytes, want %d", i, got[i], size)
		}
	}
	if _, err := f.batch(func([]byte) { t.Error("there is one more message") }); !errors.Is(err, io.EOF) {
		t.Errorf("the end gave %v", err)
	}
}

func TestFrames_Batch(t *testing.T) {
	t.Parallel()
	f := &frames{r: bufio.NewReader(strings.NewReader(strings.Repeat(frame(0x81, "{}"), 5)))}
	if n, err := f.batch(func([]byte) {}); n != 5 || err != nil {
		t.Errorf("got %d messages and %v, want 5", n, err)
	}
}

func TestFrames_Invalid(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, stream, want string }{
		{"a part of a message", frame(0x01, "{"), "begins with 01 01"},
		{"binary", frame(0x82, "{}"), "begins with 82 02"},
		{"the end, with its reason", frame(0x88, "\x03\xf0going away"), "going away"},
		{"masked", "\x81\x82{}", "begins with 81 82"},
		{"too long", "\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff", "bytes"},
		{"cut off in the head", "\x81", "unexpected EOF"},
		{"cut off in the length", "\x81\x7e\x00", "unexpected EOF"},
		{"cut off in the message", "\x81\x05{}", "unexpected EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := &frames{r: bufio.NewReader(strings.NewReader(test.stream))}
			_, err := f.batch(func(m []byte) { t.Errorf("there is a message %q", m) })
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
}

func TestFramed_Request(t *testing.T) {
	t.Parallel()
	for size, head := range map[int]string{
		60:      "\x81\xbc",
		200:     "\x81\xfe\x00\xc8",
		1 << 16: "\x81\xff\x00\x00\x00\x00\x00\x01\x00\x00",
	} {
		const around = `{"jsonrpc":"2.0","id":1000000,"method":"test","params":""}`
		r, err := newRequest("test", strings.Repeat("x", size-len(around)))
		if err != nil {
			t.Fatal(err)
		}
		framed := framed(r)
		framed.number(2345678)
		want := head + "\x00\x00\x00\x00" + strings.Replace(strings.TrimSuffix(string(r.line), "\n"), "1000000", "2345678", 1)
		if got := string(framed.line); got != want {
			t.Errorf("%d bytes are framed as % x, want % x", size, got[:min(len(got), 40)], want[:40])
		}
		if !bytes.HasSuffix(r.line, []byte("\n")) || !bytes.Contains(r.line, []byte("1000000")) {
			t.Error("framing has changed the request itself")
		}
	}
}
