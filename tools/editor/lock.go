package editor

import (
	"context"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// allFiles is the key of a lock for all files. Changes in editors are serialized.
const allFiles = ""

// lockFile waits for the lock of a file, or for that of all files if an adapter has buffers. The Root has its own locks; this
// one prevents repeated computations of concurrent changes.
func (e *Editor) lockFile(ctx context.Context, path string) (release func(), err error) {
	key := filepath.Clean(path)
	if hasAdapter[adapter.Buffers](e) {
		key = allFiles
	} else if path == allFiles {
		return func() {}, nil
	}
	release, err = e.locks.Lock(ctx, key)
	if err != nil {
		return nil, &security.Error{Code: security.CodeOf(ctx.Err()), Message: "Another change has not ended yet.", Next: "Call again.", Err: ctx.Err()}
	}
	return release, nil
}
