package vscode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dougu-go/dougu/tools/internal/lsp/frame"
)

const (
	maxFrame      = 24 << 20         // of a message, in bytes; the extension sends no longer ones
	writePatience = 10 * time.Second // limit of one write to a window
)

// pipe is the connection for frames.
type pipe interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// frames are messages as in the Language Server Protocol. They are a jsonrpc2.ObjectStream, of which package jsonrpc2 sees to it
// that one at a time reads and one at a time writes.
type frames struct {
	pipe pipe
	in   *frame.Reader
}

func newFrames(p pipe) *frames { return &frames{p, frame.NewReader(p, maxFrame)} }

// ReadObject decodes the next message into v.
func (f *frames) ReadObject(v any) error {
	body, err := f.in.Read()
	if err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}

// WriteObject sends a message. A window that does not read has gone.
func (f *frames) WriteObject(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(body) > maxFrame {
		return fmt.Errorf("a message of %d bytes is longer than %d", len(body), maxFrame)
	}
	if err := f.pipe.SetWriteDeadline(time.Now().Add(writePatience)); err != nil {
		return err
	}
	if _, err := f.pipe.Write(frame.Of(body)); err != nil {
		return errors.Join(err, f.pipe.Close()) // half a frame may be on its way
	}
	return nil
}

func (f *frames) Close() error { return f.pipe.Close() }
