package fs

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// dryRunNew checks without writing whether a new file can be written.
func (f *Files) dryRunNew(ctx context.Context, path string, content []byte, o security.UpdateOptions) (security.WriteResult, error) {
	there := &security.Error{Code: security.AlreadyExists, AttemptedPath: path, Message: quote(path) + " exists already."}
	done, err := f.root.Update(ctx, path, o, func(_ []byte, info security.FileInfo) ([]byte, error) {
		if info.Kind != 0 {
			return nil, there
		}
		return content, nil
	})
	if security.CodeOf(err) == security.FileTooLarge {
		err = there
	}
	return done, err
}

// diff returns a unified diff between the old and the new content.
func (w *pendingWrite) diff(path string, created bool, budget int) string {
	name, was := path, new(textfile.Text)
	var err error
	if created {
		name = "/dev/null"
	} else if was, err = textfile.Decode(w.old, textfile.Auto); err != nil {
		return w.sizeDiff()
	}
	now, err := textfile.Decode(w.new, w.encoding)
	if err != nil {
		return w.sizeDiff()
	}
	return textdiff.Unified(name, path, was.Content, now.Content, textdiff.Options{MaxBytes: budget})
}

// sizeDiff describes the change of a binary file.
func (w *pendingWrite) sizeDiff() string {
	return fmt.Sprintf("Contents that are not text differ: %s became %s.\n", plural.Count(int64(len(w.old)), "byte"), plural.Count(int64(len(w.new)), "byte"))
}

// dryRunText returns the text for the model after a dry run.
func (r WriteResult) dryRunText() string {
	would := "would be changed"
	switch {
	case r.Created:
		would = "would be created"
	case r.Unchanged:
		would = "would stay as it is"
	}
	return fmt.Sprintf("[%s: %s, %s; dry run, nothing was written]\n%s", r.Path, would, r.Encoding, r.Diff)
}
