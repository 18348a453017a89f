package roles

import (
	"context"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/config"
)

// Watch tells of changes of the roles and of their problems until ctx ends: of those of the file, however and by whom
// it is changed, and of the Book's own. changed gets the roles of the moment; changes that come quickly are told as
// one. It may use the Book.
func (b *Book) Watch(ctx context.Context, changed func([]Role)) {
	wake := make(chan struct{}, 1)
	b.mu.Lock()
	b.wakened[wake] = true
	text, err := b.text, b.err
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.wakened, wake)
	}()
	var watching group.Group
	defer watching.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w := config.Watcher{Path: b.file.path, Read: b.file.read, Changed: b.reread}
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

// reread takes what the file has now, which may be newer than what the watcher has seen.
func (b *Book) reread([]byte, error) {
	b.change.Lock()
	defer b.change.Unlock()
	b.take(b.file.read())
}
