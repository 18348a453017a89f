package git

import (
	"context"
	"time"
)

// job is a network operation. It can outlive the call that started it.
type job struct {
	cancel context.CancelFunc
	done   chan struct{}
	ended  time.Time
	result string
	err    error
}

// jobLife is the time for which the result of a finished job is kept if no call waits for it.
const jobLife = 5 * time.Minute

// await starts a job, or joins the running job with the same name, and waits for it. running is true if the job continues after
// Options.Patience; the same call joins it again. The end of ctx cancels the job.
func (g *Git) await(ctx context.Context, name string, do func(ctx context.Context) (string, error)) (result string, running bool, err error) {
	j := g.job(ctx, name, do)
	timer := time.NewTimer(g.options.WaitTimeout)
	defer timer.Stop()
	select {
	case <-j.done:
	case <-timer.C:
		return "", true, nil
	case <-ctx.Done():
		j.cancel()
		<-j.done
		return "", false, gitError("waiting for the remote", context.Cause(ctx))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.jobs[name] == j {
		delete(g.jobs, name)
	}
	return j.result, false, j.err
}

// job returns the job with a name, or starts it. It also removes expired results.
func (g *Git) job(ctx context.Context, name string, do func(ctx context.Context) (string, error)) *job {
	g.mu.Lock()
	defer g.mu.Unlock()
	for old, j := range g.jobs {
		if !j.ended.IsZero() && time.Since(j.ended) > jobLife {
			delete(g.jobs, old)
		}
	}
	if j, ok := g.jobs[name]; ok {
		return j
	}
	j := &job{done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.options.NetworkTimeout)
	stop := context.AfterFunc(g.life, cancel)
	j.cancel, g.jobs[name] = cancel, j
	g.work.Go(func() {
		defer close(j.done)
		defer cancel()
		defer stop()
		result, err := do(ctx)
		g.mu.Lock()
		defer g.mu.Unlock()
		j.result, j.err, j.ended = result, err, time.Now()
	})
	return j
}
