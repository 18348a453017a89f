package git

import "context"

// checkCommitFilters refuses to commit files with a disabled filter of the repository: without the filter, text that should be
// encrypted would be committed in the clear.
func (r *repo) checkCommitFilters(ctx context.Context, p *commitPlan) error {
	return r.refuseFiltered(ctx, p.paths, "commit it")
}

// checkIncoming refuses to check out files with a disabled filter of the repository. Without the filter they would appear
// changed and could be committed with other content.
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
	files, err := r.diffFiles(ctx, comparison{args: []string{from, to}}, selection{})
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range files {
		if f.Status != "deleted" {
			paths = append(paths, f.names[len(f.names)-1])
		}
	}
	return r.refuseFiltered(ctx, paths, "do this")
}

// refuseFiltered returns an error if one of the paths has a disabled filter.
func (r *repo) refuseFiltered(ctx context.Context, paths []string, what string) error {
	path, filter, err := r.Filtered(ctx, paths)
	if err != nil {
		return gitError("looking at attributes", err)
	}
	if path == "" {
		return nil
	}
	return problem(codeUnsafe, "Ask the user to "+what+", or to set the filter in their own configuration (git config --global) if they trust it.",
		"%s has the filter %s, a program that the repository's own configuration names and that is not run here", quote(r.path(path)), quote(filter))
}
