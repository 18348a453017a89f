package process

import (
	"context"
	"errors"
	"os"
)

// Orphan is a process that another program has started with Capture, and may have left behind when it died.
type Orphan struct {
	PID int
	// Birth is what Birth has answered for it. Without one the number alone is not trusted.
	Birth string
	// Mark is CaptureOptions.Mark; empty: it is not looked for.
	Mark string
}

// End kills what is left of an orphan: its group, as long as it is alive itself, for
// its number may be that of others by now; and on Linux whoever has its mark, however
// old.
func (o Orphan) End(ctx context.Context) error {
	var err error
	if o.Birth != "" && o.PID > 1 && o.PID != os.Getpid() {
		if born, known := Birth(o.PID); known == nil && born == o.Birth {
			err = endGroup(o.PID)
		}
	}
	if o.Mark != "" {
		err = errors.Join(err, killOld(ctx, o.Mark))
	}
	return err
}

// ErrNoProcess is the error for a process that does not exist.
var ErrNoProcess = errors.New("there is no such process")
