package terminal

import (
	"context"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/spool"
	"github.com/dougu-go/dougu/tools/terminal/internal/readable"
)

const (
	progressInterval = 2 * time.Second
	maxProgress      = 200 // most bytes of output in a message
)

// reportProgress reports the running time in seconds and the last line of output.
func (p *proc) reportProgress(ctx context.Context) {
	const sample = 1 << 10
	tail, _ := p.out.Read(spool.Both, p.out.Size(spool.Both)-sample, sample)
	text, _, _ := readable.Text(tail, readable.Options{More: true, Middle: true, Overwritten: true})
	text = strings.TrimSpace(text)
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if len(line) > maxProgress {
		line = strings.ToValidUTF8(line[:maxProgress], "") + "…"
	}
	mcp.Progress(ctx, time.Since(p.started).Seconds(), 0, line)
}
