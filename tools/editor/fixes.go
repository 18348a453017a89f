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
)

// QuickFixesArgs are the arguments of get_quick_fixes.
type QuickFixesArgs struct {
	// Diagnostic is one that get_diagnostics has answered, or its id.
	Diagnostic DiagnosticRef `json:"diagnostic" jsonschema:"description=As get_diagnostics answered it\\, or its id"`
}

// QuickFixesResult is what get_quick_fixes answers.
type QuickFixesResult struct {
	Fixes []QuickFix `json:"fixes"`
	// Notes say what the answer lacks.
	Notes []string `json:"notes,omitempty"`
}

// QuickFix is a change that mends a diagnostic.
type QuickFix struct {
	// FixID is for apply_quick_fix, once. It is good until one of the files changes.
	FixID     string   `json:"fixId"`
	Title     string   `json:"title"`
	Kind      string   `json:"kind,omitempty"`
	Preferred bool     `json:"preferred,omitempty"` // the one to take when nobody chooses
	Files     []string `json:"files,omitempty"`     // that it changes
	// Diff is what it would change; empty if that is found out only when it is applied.
	Diff string `json:"diff,omitempty"`
}

const (
	maxFixes     = 256
	mostFixes    = 20 // of an answer
	mostResolved = 8  // that are asked what they change
	// thought is how long an adapter may take to work something out.
	thought = 30 * time.Second
)

// offeredFix is a fix that a caller can apply.
type offeredFix struct {
	adapter.Adapter
	fixer   adapter.Fixer
	fix     adapter.Fix
	given   string             // the document that it was asked for
	edits   []adapter.FileEdit // nil as long as they are not known
	digests map[string]string  // of the files, by their absolute names; "" for one that is to be made
}

// QuickFixes is get_quick_fixes.
func (e *Editor) QuickFixes(ctx context.Context, args QuickFixesArgs) (QuickFixesResult, error) {
	d, from, err := e.meant(ctx, args.Diagnostic)
	if err != nil {
		return QuickFixesResult{}, err
	}
	doc, err := e.read(ctx, d.Path)
	if err != nil {
		return QuickFixesResult{}, err
	}
	offers, err := e.offers(ctx, doc, d, from)
	if err != nil {
		return QuickFixesResult{}, err
	}
	result := QuickFixesResult{Fixes: []QuickFix{}}
	if len(offers) > mostFixes {
		result.Notes = append(result.Notes, count(len(offers)-mostFixes, "fix")+" more were left out")
		offers = offers[:mostFixes]
	}
	budget := min(mostDiff, e.limits.Answer/2) / max(len(offers), 1)
	for i, o := range offers {
		shown, err := e.preview(ctx, o, doc, i < mostResolved, budget)
		if err != nil {
			result.Notes = append(result.Notes, fmt.Sprintf("left out, because it cannot be applied: %s: %s", quote(o.fix.Title), truncate.Cut(err.Error(), maxMessage)))
			continue
		}
		result.Fixes = append(result.Fixes, shown)
	}
	return result, nil
}

// offers asks who has found the diagnostic for fixes first, and then the others, until somebody has one.
func (e *Editor) offers(ctx context.Context, doc *document, d adapter.Diagnostic, from string) ([]*offeredFix, error) {
	ref := d.Ref
	var failure error
	refused := refusals{}
	answered := false
	for _, own := range []bool{true, false} {
		for a, fixer := range able[adapter.Fixer](e, &doc.place) {
			if own != (a.Name() == from) {
				continue
			}
			if d.Ref = nil; own {
				d.Ref = ref
			}
			fixes, err := askAgain(ctx, e, a, thought, func(ctx context.Context) ([]adapter.Fix, error) { return fixer.Fixes(ctx, doc.adapted(), d) })
			if err != nil {
				if !passes(err) {
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
	return nil, missing[adapter.Fixer](e, codeNoLanguageServer, "find fixes", &doc.place, refused)
}

// preview works out what a fix would change, and makes it one that can be applied.
func (e *Editor) preview(ctx context.Context, o *offeredFix, doc *document, resolve bool, budget int) (QuickFix, error) {
	shown := QuickFix{FixID: rand.Text()[:16], Title: truncate.Cut(o.fix.Title, 300), Kind: truncate.Cut(o.fix.Kind, maxName), Preferred: o.fix.Preferred}
	o.digests = map[string]string{doc.abs: doc.sha256}
	if o.edits == nil && resolve {
		if err := o.resolve(ctx); err != nil && !passes(err) {
			return shown, err
		}
	}
	if o.edits != nil {
		t := e.begin()
		t.by = origin{o.Name(), o.given}
		if err := t.plan(ctx, o.edits); err != nil {
			return shown, err
		}
		for _, p := range t.files {
			o.digests[p.key()] = p.before()
			shown.Files = append(shown.Files, p.path)
		}
		shown.Diff, _ = t.diff(budget)
	}
	e.fixes.put(shown.FixID, o)
	return shown, nil
}

// resolve asks what a fix changes.
func (o *offeredFix) resolve(ctx context.Context) (err error) {
	o.edits, err = ask(ctx, o.Adapter, thought, func(ctx context.Context) ([]adapter.FileEdit, error) { return o.fixer.Resolve(ctx, o.fix) })
	return err
}

// key is the name of the file that tells it from others, before its change.
func (p *pending) key() string {
	if p.was == nil {
		return p.abs
	}
	return p.was.abs
}

// before is the digest of the file before its change; "" for one that is made.
func (p *pending) before() string {
	if p.was == nil {
		return ""
	}
	return p.was.sha256
}

// ApplyQuickFixArgs are the arguments of apply_quick_fix.
type ApplyQuickFixArgs struct {
	// FixID is that of a fix that get_quick_fixes has answered.
	FixID string `json:"fixId"`
	// DryRun answers what would change, and leaves the fix to be applied.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// ApplyQuickFixResult is what apply_quick_fix answers.
type ApplyQuickFixResult struct {
	Success bool   `json:"success"` // always true: what failed is an error
	Title   string `json:"title"`
	Changes
}

// ApplyQuickFix is apply_quick_fix. A fix is applied once, and only to the files that it was made for: STALE_FIX says that one of them
// has changed since.
func (e *Editor) ApplyQuickFix(ctx context.Context, args ApplyQuickFixArgs) (ApplyQuickFixResult, error) {
	use := e.fixes.take
	if args.DryRun {
		use = e.fixes.get
	}
	o, ok := use(strings.TrimSpace(args.FixID))
	if !ok {
		return ApplyQuickFixResult{}, problem(codeUnknownFix, "Call get_quick_fixes again, and apply a fix of its answer.", "the fix %s is not known, or was applied already", quote(args.FixID))
	}
	edits := o.edits
	if edits == nil {
		once := *o // which several dry runs may have
		if err := once.resolve(ctx); err != nil {
			return ApplyQuickFixResult{}, failed(codeLanguageServer, "working out the fix", err)
		}
		edits = once.edits
	}
	resolved := o.edits != nil
	done, err := e.carryOut(ctx, origin{o.Name(), o.given}, edits, args.DryRun, func(t *transaction) error {
		for _, p := range t.files {
			if was, known := o.digests[p.key()]; was != p.before() && (known || resolved) {
				return staleFix(p.path, nil)
			}
		}
		return nil
	})
	if errStale(err) || hasCode(err, security.AlreadyExists, security.FileNotFound) {
		return ApplyQuickFixResult{}, staleFix(o.fix.Title, err)
	}
	if err != nil {
		return ApplyQuickFixResult{}, err
	}
	return ApplyQuickFixResult{true, truncate.Cut(o.fix.Title, 300), done}, nil
}

func staleFix(what string, cause error) error {
	return asTool(problem(codeStaleFix, "Call get_diagnostics and get_quick_fixes again.", "%s has changed since the fix was made for it", quote(what)), cause)
}

// TextContent is what a model reads.
func (r ApplyQuickFixResult) TextContent() string { return r.Changes.text(r.Title) }

// TextContent is what a model reads.
func (r QuickFixesResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", count(len(r.Fixes), "fix"))
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
