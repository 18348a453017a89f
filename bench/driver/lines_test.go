package driver

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines_ReadSizes(t *testing.T) {
	long := strings.Repeat("x", 600<<10) // longer than the initial buffer
	want := []string{"one", "", long, "four"}
	text := strings.Join(want, "\n") + "\n"
	arrivals := map[string]func(io.Reader) io.Reader{
		"at once":      func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
		"in halves":    iotest.HalfReader,
		"with the end": iotest.DataErrReader,
	}
	for name, arrive := range arrivals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLines(arrive(strings.NewReader(text)))
			var got []string
			counted := 0
			for {
				n, err := l.batch(func(line []byte) { got = append(got, string(line)) })
				counted += n
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, want) || counted != len(want) {
				t.Errorf("got %d lines, counted %d, want %d", len(got), counted, len(want))
			}
		})
	}
}

func TestLines_EmptyReads(t *testing.T) {
	t.Parallel()
	silent := readerFunc(func([]byte) (int, error) { return 0, nil })
	if _, err := newLines(silent).batch(func([]byte) {}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that returns nothing gave %v, want %v", err, io.ErrNoProgress)
	}
}

func TestLines_UnendedLine(t *testing.T) {
	t.Parallel()
	l := newLines(bytes.NewReader([]byte("whole\npart")))
	if n, err := l.batch(func([]byte) {}); n != 1 || err != nil {
		t.Fatalf("got %d lines and %v, want one", n, err)
	}
	if n, err := l.batch(func([]byte) {}); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("got %d lines and %v, want the end", n, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
