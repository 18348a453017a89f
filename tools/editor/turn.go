package editor

import (
	"context"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// everything is what all changes of documents in editors want: editors are given one after another.
const everything = ""

// take waits for the turn to change a file, or everything that editors have open. Files on the disk have locks of their own,
// so that nothing is lost, but those who wait here need not work their change out again.
func (e *Editor) take(ctx context.Context, path string) (release func(), err error) {
	key := filepath.Clean(path)
	if has[adapter.Buffers](e) {
		key = everything
	} else if path == everything {
		return func() {}, nil
	}
	release, err = e.turns.Lock(ctx, key)
	if err != nil {
		return nil, &security.Error{Code: security.CodeOf(ctx.Err()), Message: "Another change has not ended yet.", Next: "Call again.", Err: ctx.Err()}
	}
	return release, nil
}
