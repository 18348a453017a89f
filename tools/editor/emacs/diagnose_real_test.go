//go:build unix

package emacs_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// checker is a flymake backend that reports the word "wrong".
const checker = `(progn
  (require 'flymake)
  (defun check (report &rest _)
    (run-at-time 0.2 nil
      (lambda (buffer)
        (with-current-buffer buffer
          (save-excursion
            (goto-char (point-min))
            (let (all)
              (while (search-forward "wrong" nil t)
                (push (flymake-make-diagnostic buffer (match-beginning 0) (match-end 0) :error "it is wrong") all)
                (push (flymake-make-diagnostic buffer (match-beginning 0) (match-end 0) :warning "or may be") all))
              (funcall report all)))))
      (current-buffer))))`

func TestDiagnose_Flymake(t *testing.T) {
	w := start(t, map[string]string{"a.txt": "fine\n😀 wrong\n", "b.txt": "wrong\n"})
	w.do(checker)
	w.do(`(find-file "b.txt") (find-file "a.txt") (add-hook 'flymake-diagnostic-functions #'check nil t) (flymake-mode 1)`)
	diagnose := func(names ...string) (adapter.Diagnostics, error) {
		ctx, cancel := context.WithTimeout(w.ctx, long)
		defer cancel()
		var paths []string
		for _, name := range names {
			paths = append(paths, w.path(name))
		}
		return w.Diagnose(ctx, paths)
	}
	found, err := diagnose("a.txt", "b.txt")
	if err != nil || !found.Fresh || len(found.Covered) != 1 || found.Covered[0] != w.path("a.txt") || len(found.Items) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	severities := map[adapter.Severity]string{}
	for _, d := range found.Items {
		severities[d.Severity] = d.Message
		if d.Range != between(2, 4, 2, 9) || d.Source != "check" || d.Path != w.path("a.txt") {
			t.Errorf("%+v", d)
		}
	}
	if severities[adapter.Error] != "it is wrong" || severities[adapter.Warning] != "or may be" {
		t.Errorf("%v", severities)
	}
	doc := w.opened("a.txt")
	if _, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(2, 4, 2, 9), NewText: "right"}}, true); err != nil {
		t.Fatal(err)
	}
	if found, err := diagnose(); err != nil || !found.Fresh || len(found.Items) != 0 || len(found.Notes) != 1 {
		t.Errorf("after an edit: %+v, %v", found, err)
	}
	if _, err := diagnose("b.txt"); !errors.Is(err, adapter.ErrUnsupported) || !strings.Contains(err.Error(), "no buffer is checked") {
		t.Errorf("of a buffer that is not checked: %v", err)
	}
}
