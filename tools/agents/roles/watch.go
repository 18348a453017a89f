package roles

import (
	"context"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/config"
)

// Watch calls changed with the current roles after each change of the roles or their problems,
// until ctx ends. It reports changes of the file by any program and changes through the Book; quick
// successive changes may be combined. changed may use the Book.
func (b *Book) Watch(ctx context.Context, changed func([]Role)) {
	wake := make(chan struct{}, 1)
	b.mu.Lock()
	b.watchers[wake] = true
	text, err := b.text, b.err
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers, wake)
	}()
	var watching group.Group
	defer watching.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w := config.Watcher{Path: b.file.path, Read: b.file.read, Changed: b.reload}
	watching.Keep(ctx, func() { w.Run(ctx, text, err) })
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
			changed(b.Roles())
		}
	}
}

// reload reads the file again, which may be newer than the content that the watcher has read.
func (b *Book) reload([]byte, error) {
	b.changeMu.Lock()
	defer b.changeMu.Unlock()
	b.setContents(b.file.read())
}
