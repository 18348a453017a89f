package headless

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// progressDelay is the time between two progress notifications of a call.
const progressDelay = 250 * time.Millisecond

// reportProgress sends the progress reports of a server as progress notifications of the call of ctx, until stop is called. stop
// waits for the last one. The value counts the notifications, because the percentage of a server begins again with each of its works.
func (i *instance) reportProgress(ctx context.Context, session *lsp.Session) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work group.Group
	work.OnPanic = i.h.work.OnPanic
	work.Go(func() {
		last := ""
		for sent := 0; ; {
			news := session.News()
			if text := describeWork(session); text != "" && text != last {
				last = text
				sent++
				mcp.Progress(ctx, float64(sent), 0, i.server.Name+": "+text)
			}
			if wait.Sleep(ctx, progressDelay) != nil {
				return
			}
			select {
			case <-news:
			case <-session.Done():
				return
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		work.Wait()
	}
}

// describeWork returns the work that a server reports, for example "Indexing 43 %, src/a.rs". It is empty if the server reports none.
func describeWork(session *lsp.Session) string {
	var texts []string
	for _, w := range session.Work() {
		text := strings.TrimSpace(w.Title)
		if w.Percentage > 0 {
			text += fmt.Sprintf(" %d %%", w.Percentage)
		}
		if message := strings.TrimSpace(w.Message); message != "" {
			text += ", " + message
		}
		if text = strings.Join(strings.Fields(strings.TrimPrefix(text, ", ")), " "); text != "" {
			texts = append(texts, text)
		}
	}
	return truncate.Cut(strings.Join(texts, "; "), 200)
}
