package telemetry

import (
	"fmt"
	"io"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// readRegular reads a file of the operator. A file that is not regular or larger than most bytes is an error.
func readRegular(path string, most int64) ([]byte, error) {
	f, err := rootfs.OpenFile(path) // does not wait for the writer of a FIFO
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = &tooLargeError{path, most}
	}
	return data, err
}

// tooLargeError is a file that is larger than it may be.
type tooLargeError struct {
	path string
	most int64
}

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("%s has more than %d bytes", e.path, e.most)
}
