package telemetry

import (
	"fmt"
	"io"
	"os"
)

// readRegular reads a file of the operator's, unless it is no regular one or larger than most bytes.
func readRegular(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a FIFO would wait for its writer
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
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
