package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security"
)

// expireRemoved deletes, in the background, the trash and the backups of projects that have been missing for
// security.RemovedLife. The returned function ends it.
func (a *App) expireRemoved(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	log := a.logger()
	var work group.Group
	work.OnPanic = func(value any, stack []byte) {
		log.Error("panic while the trash of missing projects was deleted", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	work.Go(func() {
		deleted, err := security.ExpireRemoved(ctx, "", time.Now())
		for _, project := range deleted {
			log.Info("the trash of a missing project was deleted", slog.String("project", project), slog.Duration("after", security.RemovedLife))
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			log.Debug("the trash of missing projects was not examined completely", slog.Any("error", err))
		}
	})
	return func() {
		cancel()
		work.Wait()
	}
}

// measureTimeout limits the time in which doctor measures the trash.
const measureTimeout = 5 * time.Second

// checkRemoved reports the size of the trash and the backups of all projects; none if there are none.
func checkRemoved(ctx context.Context) []Check {
	ctx, cancel := context.WithTimeout(ctx, measureTimeout)
	defer cancel()
	u, err := security.MeasureRemoved(ctx, "")
	c := Check{Name: "trash", Status: OK}
	switch {
	case err != nil:
		c.Status, c.Detail, c.Next = Warning, Explain(err), "Make the directory readable."
		return []Check{c}
	case u.Projects == 0:
		return nil
	}
	least := ""
	if u.Partial {
		least = "at least "
	}
	c.Detail = fmt.Sprintf("%s: trash and backups of %d projects, %s%.1f MB", u.Dir, u.Projects, least, float64(u.Bytes)/1e6)
	if u.Missing > 0 {
		c.Detail += fmt.Sprintf("; %d of the projects are missing, and theirs are deleted after %d days", u.Missing, security.RemovedLife/(24*time.Hour))
	}
	return []Check{c}
}
