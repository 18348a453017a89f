package bridge

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// maxAnswer limits a frame from Unity, in bytes. The bridge allows 64 MiB; the results used here are paged and far smaller.
	maxAnswer = 16 << 20
	// maxQuestion limits a frame to Unity, in bytes.
	maxQuestion = 1 << 20
	// maxHeartbeats bounds the empty frames before an answer.
	maxHeartbeats = 10_000
)

var errFrame = errors.New("the frame is not one of the bridge of Unity")

// writeFrame sends a payload: its length in 8 bytes, the highest first, and the bytes.
func writeFrame(w io.Writer, payload []byte) error {
	if len(payload) > maxQuestion {
		return fmt.Errorf("a command of %d bytes is too long", len(payload))
	}
	frame := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(payload)), uint64(len(payload)))
	_, err := w.Write(append(frame, payload...))
	return err
}

// readFrame reads a payload. Empty frames are heartbeats and are skipped. Memory is allocated as data arrives, not by the
// announced length.
func readFrame(r io.Reader) ([]byte, error) {
	for range maxHeartbeats {
		var header [8]byte
		if _, err := io.ReadFull(r, header[:]); err != nil {
			return nil, err
		}
		size := binary.BigEndian.Uint64(header[:])
		if size == 0 {
			continue
		}
		if size > maxAnswer {
			return nil, fmt.Errorf("%w: it claims %d bytes", errFrame, size)
		}
		var payload bytes.Buffer
		if _, err := io.CopyN(&payload, r, int64(size)); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		return payload.Bytes(), nil
	}
	return nil, fmt.Errorf("%w: nothing but heartbeats", errFrame)
}
