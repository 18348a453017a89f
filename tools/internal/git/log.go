package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is a commit of the history.
type Commit struct {
	Hash, Subject, Author string
	Time                  time.Time
}

// Log returns the last commits that changed a file below Prefix, at most most, newest first. Without a commit it returns none.
func (r *Repository) Log(ctx context.Context, most int) ([]Commit, error) {
	if r.CheckCommit(ctx) != nil {
		return nil, nil
	}
	out, err := r.run(ctx, timeout, "log", "-z", "-n", strconv.Itoa(most), "--no-show-signature", "--no-mailmap", "--no-decorate", "--no-color", "--encoding=UTF-8",
		"--format=%H%n%aI%n%an%n%s", "--", ".")
	if err != nil {
		return nil, err
	}
	var commits []Commit
	for entry := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if entry == "" {
			continue
		}
		parts := strings.SplitN(entry, "\n", 4)
		if len(parts) != 4 {
			return nil, fmt.Errorf("unexpected output of git log: %.100q", entry)
		}
		when, err := time.Parse(time.RFC3339, parts[1])
		if err != nil {
			return nil, fmt.Errorf("unexpected output of git log: %w", err)
		}
		commits = append(commits, Commit{Hash: parts[0], Time: when, Author: parts[2], Subject: strings.TrimSpace(parts[3])})
	}
	return commits, nil
}
