package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/internal/sse"
)

// read returns all events of a stream, each as one line, and the final error.
func read(r *sse.Reader) string {
	var b strings.Builder
	for {
		e, err := r.Next()
		if err != nil {
			fmt.Fprintf(&b, "end %v, last %q, retry %v", err, r.LastID(), r.Retry())
			return b.String()
		}
		fmt.Fprintf(&b, "%s %q %q\n", e.Name, e.ID, e.Data)
	}
}

func TestReader(t *testing.T) {
	for _, tc := range []struct{ name, stream, want string }{
		{"nothing", "", `end EOF, last "", retry 0s`},
		{"one event", "data: {\"a\":1}\n\n", "message \"\" \"{\\\"a\\\":1}\"\n" + `end EOF, last "", retry 0s`},
		{"a name", "event: endpoint\ndata: /x\n\n", "endpoint \"\" \"/x\"\n" + `end EOF, last "", retry 0s`},
		{"the name is of one event", "event: a\ndata: 1\n\ndata: 2\n\n", "a \"\" \"1\"\nmessage \"\" \"2\"\n" + `end EOF, last "", retry 0s`},
		{"a name without data is forgotten", "event: a\n\ndata: 2\n\n", "message \"\" \"2\"\n" + `end EOF, last "", retry 0s`},
		{"an id stays in force", "id: 7\ndata: a\n\ndata: b\n\n", "message \"7\" \"a\"\nmessage \"7\" \"b\"\n" + `end EOF, last "7", retry 0s`},
		{"an id without data", "id: 7\n\n", `end EOF, last "7", retry 0s`},
		{"an id can be taken back", "id: 7\n\nid\ndata: a\n\n", "message \"\" \"a\"\n" + `end EOF, last "", retry 0s`},
		{"an id with NUL is ignored", "id: 7\n\nid: 8\x00\ndata: a\n\n", "message \"7\" \"a\"\n" + `end EOF, last "7", retry 0s`},
		{"an id of a broken event does not count", "id: 7\n\nid: 8\ndata: a\n", `end EOF, last "7", retry 0s`},
		{"a priming event", "id: 1\nretry: 500\ndata:\n\n", "message \"1\" \"\"\n" + `end EOF, last "1", retry 500ms`},
		{"retry takes effect at once", "retry: 20\n", `end EOF, last "", retry 20ms`},
		{"retry is digits", "retry: 20\nretry: -1\nretry: 1.5\nretry:\nretry:  7\nretry: 7s\n\n", `end EOF, last "", retry 20ms`},
		{"retry is at most a day", "retry: 99999999999999999999999999\n", `end EOF, last "", retry 24h0m0s`},
		{"several lines of data", "data: a\ndata:b\ndata:  c\ndata\n\n", "message \"\" \"a\\nb\\n c\\n\"\n" + `end EOF, last "", retry 0s`},
		{"comments", ": ping\n\n:\ndata: a\n:data: b\n\n", "message \"\" \"a\"\n" + `end EOF, last "", retry 0s`},
		{"unknown fields", "x: y\nDATA: n\n data: n\ndata : n\ndata: a\n\n", "message \"\" \"a\"\n" + `end EOF, last "", retry 0s`},
		{"carriage returns", "data: a\rdata: b\r\rdata: c\r\r", "message \"\" \"a\\nb\"\nmessage \"\" \"c\"\n" + `end EOF, last "", retry 0s`},
		{"both", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", "message \"\" \"a\\nb\"\nmessage \"\" \"c\"\n" + `end EOF, last "", retry 0s`},
		{"mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", "message \"\" \"a\"\nmessage \"\" \"b\"\nmessage \"\" \"c\"\n" + `end EOF, last "", retry 0s`},
		{"a byte-order mark", "\ufeffdata: a\n\n\ufeffdata: b\n\n", "message \"\" \"a\"\n" + `end EOF, last "", retry 0s`},
		{"an unfinished event", "data: a\n\ndata: b\n", "message \"\" \"a\"\n" + `end EOF, last "", retry 0s`},
		{"an unfinished line", "data: a\n\ndata: b", "message \"\" \"a\"\n" + `end EOF, last "", retry 0s`},
		{"too large in one line", "data: a\n\ndata: " + strings.Repeat("x", 41) + "\n\n", "message \"\" \"a\"\n" + `end an event of the stream is too large, last "", retry 0s`},
		{"too large in several", strings.Repeat("data: "+strings.Repeat("x", 15)+"\n", 3) + "\n", `end an event of the stream is too large, last "", retry 0s`},
		{"an endless line", strings.Repeat("x", 10000), `end an event of the stream is too large, last "", retry 0s`},
		{"as large as allowed", "data: " + strings.Repeat("x", 40) + "\n\n", "message \"\" \"" + strings.Repeat("x", 40) + "\"\n" + `end EOF, last "", retry 0s`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sources := map[string]io.Reader{
				"at once":      strings.NewReader(tc.stream),
				"byte by byte": iotest.OneByteReader(strings.NewReader(tc.stream)),
				"with the end": iotest.DataErrReader(strings.NewReader(tc.stream)),
			}
			for how, source := range sources {
				if got := read(sse.NewReader(source, 40)); got != tc.want {
					t.Errorf("%s:\n got %s\nwant %s", how, got, tc.want)
				}
			}
		})
	}
}

// An event is there as soon as its last byte is, even if that is a carriage
// return that a line feed could follow.
func TestReader_ReturnsCompleteEvent(t *testing.T) {
	for _, stream := range []string{"data: a\n\n", "data: a\r\r", "data: a\r\n\r\n"} {
		r, w := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = io.WriteString(w, stream)
		}()
		e, err := sse.NewReader(r, 0).Next()
		if err != nil || string(e.Data) != "a" {
			t.Errorf("%q: %q, %v", stream, e.Data, err)
		}
		_ = r.Close()
		<-done
	}
}

func TestReader_Error(t *testing.T) {
	broken := errors.New("connection reset")
	r := sse.NewReader(io.MultiReader(strings.NewReader("id: 3\ndata: a\n\ndata: b\n"), iotest.ErrReader(broken)), 0)
	if got, want := read(r), "message \"3\" \"a\"\nend connection reset, last \"3\", retry 0s"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("asked again: %v", err)
	}
	if _, err := sse.NewReader(silent{}, 0).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a source that returns nothing: %v", err)
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestReader_SetLastID(t *testing.T) {
	r := sse.NewReader(strings.NewReader("data: a\n\n"), 0)
	r.SetLastID("5")
	if got, want := read(r), "message \"5\" \"a\"\nend EOF, last \"5\", retry 0s"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A large event takes a large buffer only as long as it is being read.
func TestReader_ReleasesLargeBuffers(t *testing.T) {
	large := strings.Repeat("x", 3<<20)
	r := sse.NewReader(strings.NewReader("data: "+large+"\n\ndata: a\n\n"), 0)
	for _, want := range []string{large, "a"} {
		if e, err := r.Next(); err != nil || string(e.Data) != want {
			t.Fatalf("%d bytes, want %d: %v", len(e.Data), len(want), err)
		}
	}
}

func TestAppend(t *testing.T) {
	for _, tc := range []struct {
		event sse.Event
		want  string
	}{
		{sse.Event{Data: []byte(`{}`)}, "data: {}\n\n"},
		{sse.Event{Name: "endpoint", ID: "1", Retry: 1500 * time.Millisecond, Data: []byte("x")}, "event: endpoint\nid: 1\nretry: 1500\ndata: x\n\n"},
		{sse.Event{ID: "1", Data: []byte{}}, "id: 1\ndata: \n\n"},
		{sse.Event{ID: "1"}, "id: 1\n\n"},
		{sse.Event{Retry: time.Microsecond}, "retry: 1\n\n"},
		{sse.Event{Data: []byte("a\nb\r\nc\rd")}, "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{sse.Event{Data: []byte("a\n")}, "data: a\ndata: \n\n"},
		{sse.Event{Data: []byte("\r")}, "data: \ndata: \n\n"},
		{sse.Event{Name: "a\nb", ID: "a\x00", Data: []byte("x")}, "data: x\n\n"},
	} {
		if diff := testdiff.Diff(tc.want, string(tc.event.Append(nil))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tc.event, diff)
		}
	}
	if got := string(sse.AppendComment(sse.AppendComment(sse.AppendComment(nil, ""), "ping"), "a\nb")); got != ":\n\n: ping\n\n:\n\n" {
		t.Errorf("comments: %q", got)
	}
}

// FuzzRoundTrip reads written events again.
func FuzzRoundTrip(f *testing.F) {
	f.Add("id", "name", []byte("a\r\nb"), uint16(500))
	f.Add("", "", []byte{}, uint16(0))
	f.Fuzz(func(t *testing.T, id, name string, data []byte, retry uint16) {
		if data == nil {
			data = []byte{}
		}
		wire := sse.AppendComment(nil, name)
		wire = sse.Event{ID: id, Name: name, Data: data, Retry: time.Duration(retry) * time.Millisecond}.Append(wire)
		r := sse.NewReader(bytes.NewReader(wire), len(data)+1)
		if len(id)+len(name) > len(data) {
			r = sse.NewReader(bytes.NewReader(wire), 0)
		}
		e, err := r.Next()
		if err != nil {
			t.Fatalf("%q: %v", wire, err)
		}
		if strings.ContainsAny(id, "\r\n\x00") {
			id = ""
		}
		if name == "" || strings.ContainsAny(name, "\r\n\x00") {
			name = "message"
		}
		want := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\r", "\n")
		if e.ID != id || e.Name != name || string(e.Data) != want || r.Retry() != time.Duration(retry)*time.Millisecond {
			t.Errorf("%q: got %+v", wire, e)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("after it: %v", err)
		}
	})
}

// FuzzReader compares the reader with the algorithm of the standard for any division of the stream into reads.
func FuzzReader(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbfid: 1\r\ndata: a\rdata\n\nretry: 5\n:c\n\nevent:x\ndata:y\n\n"), 100)
	f.Add([]byte("data: aaaaaaaaaaaaaaaaaaaaaa\n\n"), 10)
	f.Fuzz(func(t *testing.T, stream []byte, max int) {
		max = min(max, 1<<20)
		if max <= 0 {
			max = 1
		}
		got := read(sse.NewReader(bytes.NewReader(stream), max))
		if slow := read(sse.NewReader(iotest.OneByteReader(bytes.NewReader(stream)), max)); slow != got {
			t.Errorf("%q differs byte by byte:\n%s\nand at once:\n%s", stream, slow, got)
		}
		if !strings.Contains(got, sse.ErrTooLarge.Error()) {
			if want := reference(string(stream)); got != want {
				t.Errorf("%q:\n got %s\nwant %s", stream, got, want)
			}
		}
	})
}

// reference interprets a whole stream as the HTML standard describes it.
func reference(stream string) string {
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(stream, "\n")
	var out strings.Builder
	var data, name, next, last string
	var retry time.Duration
	for _, line := range lines[:len(lines)-1] {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			last = next
			if data != "" {
				if name == "" {
					name = "message"
				}
				fmt.Fprintf(&out, "%s %q %q\n", name, last, strings.TrimSuffix(data, "\n"))
			}
			data, name = "", ""
		case field == "data":
			data += value + "\n"
		case field == "event":
			name = value
		case field == "id" && !strings.Contains(value, "\x00"):
			next = value
		case field == "retry" && value != "" && strings.Trim(value, "0123456789") == "":
			digits := strings.TrimLeft(value, "0")
			if retry = 24 * time.Hour; len(digits) < 9 {
				ms := 0
				for _, c := range digits {
					ms = ms*10 + int(c-'0')
				}
				retry = min(retry, time.Duration(ms)*time.Millisecond)
			}
		}
	}
	fmt.Fprintf(&out, "end EOF, last %q, retry %v", last, retry)
	return out.String()
}
