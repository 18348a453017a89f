package process

import (
	"encoding/json"
	"errors"
	"io"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/internal/group"
)

// wire is the supervisor's end of the connection, with the files that it has received.
type wire struct{ files []int }

// maxOrderFiles is as many files as Linux sends with one message.
const maxOrderFiles = 253

func (w *wire) Read(p []byte) (int, error) {
	oob := make([]byte, unix.CmsgSpace(4*maxOrderFiles))
	for {
		n, oobn, _, _, err := unix.Recvmsg(supervisorSocket, p, oob, unix.MSG_CMSG_CLOEXEC)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		messages, err := unix.ParseSocketControlMessage(oob[:oobn])
		if err != nil {
			return 0, err
		}
		for _, m := range messages {
			if fds, err := unix.ParseUnixRights(&m); err == nil {
				w.files = append(w.files, fds...)
			}
		}
		if n == 0 {
			return 0, io.EOF
		}
		return n, nil
	}
}

// message is an order with the files that came with it.
type message[O any] struct {
	order O
	files []int
}

// receive reads orders from the connection to the program, and closes the channel when the connection ends. An order takes the files
// that have come so far if takesFiles reports true for it.
func receive[O any](work *group.Group, takesFiles func(O) bool) <-chan message[O] {
	messages := make(chan message[O])
	work.Go(func() {
		defer close(messages)
		var w wire
		for in := json.NewDecoder(&w); ; {
			var m message[O]
			if in.Decode(&m.order) != nil {
				return
			}
			if takesFiles(m.order) {
				m.files, w.files = w.files, nil
			}
			messages <- m
		}
	})
	return messages
}
