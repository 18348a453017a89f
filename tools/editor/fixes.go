package editor

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// QuickFixesArgs are the arguments of get_quick_fixes.
type QuickFixesArgs struct {
	// Diagnostic is a diagnostic of get_diagnostics, or its id.
	Diagnostic DiagnosticRef `json:"diagnostic" jsonschema:"description=From get_diagnostics\\, or its id"`
}

// QuickFixesResult is the result of get_quick_fixes.
type QuickFixesResult struct {
	Fixes []QuickFix `json:"fixes"`
	// Notes describe gaps of the result.
	Notes []string `json:"notes,omitempty"`
}

// QuickFix is a change that fixes a diagnostic.
type QuickFix struct {
	// FixID is the argument of apply_quick_fix. It is valid once, until one of the files changes.
	FixID     string   `json:"fixId"`
	Title     string   `json:"title"`
	Kind      string   `json:"kind,omitempty"`
	Preferred bool     `json:"preferred,omitempty"` // the language server recommends it
	Files     []string `json:"files,omitempty"`     // paths of the changed files
	// Diff is the change. It is empty if the change is computed only when the fix is applied.
	Diff string `json:"diff,omitempty"`
	// Edits are the edits, with Options.FixEdits.
	Edits []FixEdit `json:"edits,omitempty"`
}

// FixEdit is one edit of a fix: new text for a range of a file.
type FixEdit struct {
	File    string        `json:"file"` // as Change.Path
	Range   adapter.Range `json:"range"`
	NewText string        `json:"newText"`
}

const (
	maxFixes         = 256
	maxListedFixes   = 20 // of an answer
	maxResolvedFixes = 8  // fixes whose edits are computed for the answer
	// computeTimeout limits one computation of an adapter.
	computeTimeout = 30 * time.Second
)

// offeredFix is a fix that get_quick_fixes has returned.
type offeredFix struct {
	adapter.Adapter
	fixer    adapter.Fixer
	fix      adapter.Fix
	document string             // path of the document of the diagnostic
	edits    []adapter.FileEdit // nil until they are computed
	digests  map[string]string  // by absolute path; "" for a new file
}

// QuickFixes returns the fixes of a diagnostic. It is the tool get_quick_fixes.
func (e *Editor) QuickFixes(ctx context.Context, args QuickFixesArgs) (QuickFixesResult, error) {
	d, from, err := e.resolveDiagnostic(ctx, args.Diagnostic)
	if err != nil {
		return QuickFixesResult{}, err
	}
	doc, err := e.openDocument(ctx, d.Path)
	if err != nil {
		return QuickFixesResult{}, err
	}
	offers, err := e.findFixes(ctx, doc, d, from)
	if err != nil {
		return QuickFixesResult{}, err
	}
	result := QuickFixesResult{Fixes: []QuickFix{}}
	if len(offers) > maxListedFixes {
		result.Notes = append(result.Notes, plural.Count(len(offers)-maxListedFixes, "fix")+" more were left out")
		offers = offers[:maxListedFixes]
	}
	budget := min(maxDiff, e.limits.Answer/2) / max(len(offers), 1)
	for i, o := range offers {
		shown, err := e.preview(ctx, o, doc, i < maxResolvedFixes || e.options.FixEdits, budget)
		if err != nil {
			result.Notes = append(result.Notes, fmt.Sprintf("left out, because it cannot be applied: %s: %s", quote(o.fix.Title), truncate.Cut(err.Error(), maxMessage)))
			continue
		}
		result.Fixes = append(result.Fixes, shown)
	}
	return result, nil
}

// findFixes queries the adapter that found the diagnostic first, then the others, until one has a fix.
func (e *Editor) findFixes(ctx context.Context, doc *document, d adapter.Diagnostic, from string) ([]*offeredFix, error) {
	ref := d.Ref
	var failure error
	refused := refusals{}
	answered := false
	for _, own := range []bool{true, false} {
		for a, fixer := range adaptersWith[adapter.Fixer](e, &doc.projectFile) {
			if own != (a.Name() == from) {
				continue
			}
			if d.Ref = nil; own {
				d.Ref = ref
			}
			fixes, err := retryAdapter(ctx, e, a, computeTimeout, func(ctx context.Context) ([]adapter.Fix, error) { return fixer.Fixes(ctx, doc.adapterDocument(), d) })
			if err != nil {
				if !isUnsupported(err) {
					failure = err
				} else {
					refused[a.Name()] = err
				}
				continue
			}
			if answered = true; len(fixes) == 0 {
				continue
			}
			all := make([]*offeredFix, len(fixes))
			for i, fix := range fixes {
				all[i] = &offeredFix{a, fixer, fix, doc.abs, fix.Edits, nil}
			}
			return all, nil
		}
	}
	switch {
	case answered:
		return nil, nil
	case failure != nil:
		return nil, failed(codeLanguageServer, "looking for fixes", failure)
	}
	return nil, missingCapability[adapter.Fixer](e, codeNoLanguageServer, "find fixes", &doc.projectFile, refused)
}

// preview computes the diff of a fix and stores the fix for apply_quick_fix.
func (e *Editor) preview(ctx context.Context, o *offeredFix, doc *document, resolve bool, budget int) (QuickFix, error) {
	shown := QuickFix{FixID: rand.Text()[:16], Title: truncate.Cut(o.fix.Title, 300), Kind: truncate.Cut(o.fix.Kind, maxName), Preferred: o.fix.Preferred}
	o.digests = map[string]string{doc.abs: doc.sha256}
	if o.edits == nil && resolve {
		if err := o.resolve(ctx); err != nil && !isUnsupported(err) {
			return shown, err
		}
	}
	if o.edits != nil {
		t := e.newTransaction()
		t.origin = origin{o.Name(), o.document}
		if err := t.plan(ctx, o.edits); err != nil {
			return shown, err
		}
		for _, p := range t.files {
			o.digests[p.originalPath()] = p.previousDigest()
			shown.Files = append(shown.Files, p.path)
		}
		shown.Diff, _ = t.diff(budget)
		if e.options.FixEdits {
			shown.Edits = t.listEdits(o.edits)
		}
	}
	e.fixes.put(shown.FixID, o)
	return shown, nil
}

// resolve computes the edits of a fix.
// listEdits returns the edits of files in the transaction.
func (t *transaction) listEdits(edits []adapter.FileEdit) []FixEdit {
	all := []FixEdit{}
	for _, file := range edits {
		p := t.byPath[file.Path]
		if p == nil {
			continue
		}
		for _, edit := range file.Edits {
			all = append(all, FixEdit{p.path, edit.Range, edit.NewText})
		}
	}
	return all
}

func (o *offeredFix) resolve(ctx context.Context) (err error) {
	o.edits, err = callAdapter(ctx, o.Adapter, computeTimeout, func(ctx context.Context) ([]adapter.FileEdit, error) { return o.fixer.Resolve(ctx, o.fix) })
	return err
}

// originalPath returns the absolute path before the change.
func (p *pendingFile) originalPath() string {
	if p.original == nil {
		return p.abs
	}
	return p.original.abs
}

// previousDigest returns the digest before the change; "" for a new file.
func (p *pendingFile) previousDigest() string {
	if p.original == nil {
		return ""
	}
	return p.original.sha256
}

// ApplyQuickFixArgs are the arguments of apply_quick_fix.
type ApplyQuickFixArgs struct {
	// FixID is the id of a fix of get_quick_fixes.
	FixID string `json:"fixId"`
	// DryRun shows the change. The fix can still be applied afterwards.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// ApplyQuickFixResult is the result of apply_quick_fix.
type ApplyQuickFixResult struct {
	// Success is always true; a failure is an error.
	Success bool   `json:"success"`
	Title   string `json:"title"`
	Changes
}

// ApplyQuickFix applies a fix once. It is the tool apply_quick_fix. STALE_FIX means that one of the files has changed since the
// fix was made.
func (e *Editor) ApplyQuickFix(ctx context.Context, args ApplyQuickFixArgs) (ApplyQuickFixResult, error) {
	use := e.fixes.pop
	if args.DryRun {
		use = e.fixes.get
	}
	o, ok := use(strings.TrimSpace(args.FixID))
	if !ok {
		return ApplyQuickFixResult{}, problem(codeUnknownFix, "Call get_quick_fixes again, and apply a fix of its answer.", "the fix %s is not known, or was applied already", quote(args.FixID))
	}
	edits := o.edits
	if edits == nil {
		once := *o // dry runs share o
		if err := once.resolve(ctx); err != nil {
			return ApplyQuickFixResult{}, failed(codeLanguageServer, "working out the fix", err)
		}
		edits = once.edits
	}
	resolved := o.edits != nil
	done, err := e.applyEdits(ctx, origin{o.Name(), o.document}, edits, args.DryRun, func(t *transaction) error {
		for _, p := range t.files {
			if was, known := o.digests[p.originalPath()]; was != p.previousDigest() && (known || resolved) {
				return staleFix(p.path, nil)
			}
		}
		return nil
	})
	if isStaleFile(err) || hasCode(err, security.AlreadyExists, security.FileNotFound) {
		return ApplyQuickFixResult{}, staleFix(o.fix.Title, err)
	}
	if err != nil {
		return ApplyQuickFixResult{}, err
	}
	return ApplyQuickFixResult{true, truncate.Cut(o.fix.Title, 300), done}, nil
}

func staleFix(what string, cause error) error {
	return withCause(problem(codeStaleFix, "Call get_diagnostics and get_quick_fixes again.", "%s has changed since the fix was made for it", quote(what)), cause)
}

// TextContent returns the result as text for a model.
func (r ApplyQuickFixResult) TextContent() string { return r.Changes.text(r.Title) }

// TextContent returns the result as text for a model.
func (r QuickFixesResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", plural.Count(len(r.Fixes), "fix"))
	for _, f := range r.Fixes {
		preferred := ""
		if f.Preferred {
			preferred = ", preferred"
		}
		fmt.Fprintf(&b, "fixId %s: %s (%s%s)\n%s", f.FixID, f.Title, f.Kind, preferred, f.Diff)
	}
	writeNotes(&b, r.Notes)
	return b.String()
}
