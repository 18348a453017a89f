package git

import "context"

// checkFilters refuses files that a filter of the repository would have changed before they are committed: without it, what
// should be encrypted would not be.
func (r *repo) checkFilters(ctx context.Context, p *commitPlan) error {
	return r.unfiltered(ctx, p.paths, "commit it")
}

// checkIncoming refuses to write files to the work tree that a filter of the repository would change: without it they would look
// changed to whoever has it, and be committed as something else.
func (r *repo) checkIncoming(ctx context.Context, from, to string) error {
	if len(r.settings.Filters) == 0 {
		return nil
	}
	var err error
	if from == "" {
		if from, err = r.emptyTree(ctx); err != nil {
			return err
		}
	}
	files, err := r.differing(ctx, comparison{args: []string{from, to}}, selection{})
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range files {
		if f.Status != "deleted" {
			paths = append(paths, f.names[len(f.names)-1])
		}
	}
	return r.unfiltered(ctx, paths, "do this")
}

// unfiltered refuses files whose filter is turned off.
func (r *repo) unfiltered(ctx context.Context, paths []string, what string) error {
	path, filter, err := r.Filtered(ctx, paths)
	if err != nil {
		return failed("looking at attributes", err)
	}
	if path == "" {
		return nil
	}
	return problem(codeUnsafe, "Ask the user to "+what+", or to set the filter in their own configuration (git config --global) if they trust it.",
		"%s has the filter %s, a program that the repository's own configuration names and that is not run here", quote(r.path(path)), quote(filter))
}
