package process

import (
	"context"
	"errors"
	"os"
)

// Orphan is a process that another program has started with Capture and may have left running when it died.
type Orphan struct {
	// PID is the process id.
	PID int
	// Birth is the result of the function Birth for the process. If it is empty, End does not use PID, since the
	// system reuses numbers.
	Birth string
	// Mark is CaptureOptions.Mark; "" does not search for a mark.
	Mark string
}

// End kills the group of the orphan if the process is alive and has the same Birth. On Linux it also kills every
// process with the Mark, however old.
func (o Orphan) End(ctx context.Context) error {
	var err error
	if o.Birth != "" && o.PID > 1 && o.PID != os.Getpid() {
		if born, known := Birth(o.PID); known == nil && born == o.Birth {
			err = endGroup(o.PID)
		}
	}
	if o.Mark != "" {
		err = errors.Join(err, killMarkedOrphans(ctx, o.Mark))
	}
	return err
}

// ErrNoProcess means that a process does not exist.
var ErrNoProcess = errors.New("there is no such process")
