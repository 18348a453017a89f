package telemetry

import (
	"fmt"
	"io"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// readRegular reads a file of the operator. It returns an error if the file is not regular or is
// larger than most bytes.
func readRegular(path string, most int64) ([]byte, error) {
	f, err := rootfs.OpenFile(path) // does not block on a FIFO
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

// tooLargeError is returned for a file above the size limit.
type tooLargeError struct {
	path string
	most int64
}

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("%s has more than %d bytes", e.path, e.most)
}
