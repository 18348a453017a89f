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
	maxFrame     = 24 << 20         // limit of a message in either direction, in bytes; the extension has the same limit
	writeTimeout = 10 * time.Second // timeout of one write to a window
)

// pipe is the connection for frames.
type pipe interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// frames reads and writes messages in the framing of the Language Server Protocol. It implements jsonrpc2.ObjectStream; package
// jsonrpc2 calls it with at most one reader and one writer at a time.
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

// WriteObject sends a message. If the window does not read it within writeTimeout, the connection is closed.
func (f *frames) WriteObject(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(body) > maxFrame {
		return fmt.Errorf("a message of %d bytes exceeds the limit of %d", len(body), maxFrame)
	}
	if err := f.pipe.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if _, err := f.pipe.Write(frame.Of(body)); err != nil {
		return errors.Join(err, f.pipe.Close()) // a part of the frame may have been sent
	}
	return nil
}

func (f *frames) Close() error { return f.pipe.Close() }
