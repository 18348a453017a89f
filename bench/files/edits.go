package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/editcorpus"
)

// score counts the results of a server.
type score struct {
	right   int // correct edits and correct refusals
	wrong   int // edits at a wrong position, or changes outside the edit
	refused int // possible edits that were refused, or reported as done and were not
	cannot  int // cases that the server's edits cannot express
}

// edits runs the corpus of edits with the servers.
func (b *bench) edits(ctx context.Context) error {
	cases, err := editcorpus.Read(os.DirFS(filepath.Join(b.repository, "tools", "fs", "testdata", "edits")))
	if err != nil {
		return err
	}
	fmt.Fprintf(b.stdout, "\n%d cases of edits\n\n| server | right | wrong | not done | cannot say |\n|---|---:|---:|---:|---:|\n", len(cases))
	servers := []string{ours}
	if b.peer != "" {
		servers = append(servers, reference)
	}
	for _, name := range servers {
		s, err := b.runCases(ctx, name, cases)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.stdout, "| %s | %d | %d | %d | %d |\n", name, s.right, s.wrong, s.refused, s.cannot)
	}
	return nil
}

func (b *bench) runCases(ctx context.Context, name string, cases []editcorpus.Case) (total score, err error) {
	dir := filepath.Join(b.dir, "edits-"+name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return total, err
	}
	s, err := b.start(ctx, name, dir)
	if err != nil {
		return total, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for i, c := range cases {
		if name == reference && !plain(c) {
			total.cannot++
			continue
		}
		verdict, err := s.attempt(ctx, filepath.Join(dir, fmt.Sprintf("case%03d.txt", i)), c)
		if err != nil {
			return total, fmt.Errorf("%s: %s: %w", c.File, c.Title, err)
		}
		switch verdict {
		case editcorpus.Right:
			total.right++
		case editcorpus.NotDone:
			total.refused++
		default:
			total.wrong++
		}
		if b.verbose && verdict != editcorpus.Right {
			fmt.Fprintf(b.stderr, "%s: %s, %s: %v\n", name, c.File, c.Title, verdict)
		}
	}
	return total, nil
}

// plain reports whether every edit consists of two texts only.
func plain(c editcorpus.Case) bool {
	for _, e := range c.Edits {
		if e.ReplaceAll || e.ExpectedCount != 0 || e.NearLine != 0 {
			return false
		}
	}
	return true
}

// attempt makes the edits of a case.
func (s *server) attempt(ctx context.Context, file string, c editcorpus.Case) (editcorpus.Verdict, error) {
	if err := os.WriteFile(file, c.Before, 0o644); err != nil {
		return editcorpus.Verdict(0), err
	}
	edits := make([]map[string]any, len(c.Edits))
	for i, e := range c.Edits {
		edits[i] = map[string]any{"oldText": e.Old, "newText": e.New}
		if e.ReplaceAll {
			edits[i]["replaceAll"] = true
		}
		if e.ExpectedCount != 0 {
			edits[i]["expectedCount"] = e.ExpectedCount
		}
		if e.NearLine != 0 {
			edits[i]["nearLine"] = e.NearLine
		}
	}
	_, failed := s.call(ctx, "edit_file", map[string]any{"path": file, "edits": edits})
	if failed != nil && !errors.Is(failed, errTool) {
		return editcorpus.Verdict(0), failed
	}
	after, err := os.ReadFile(file)
	if err != nil {
		return editcorpus.Verdict(0), err
	}
	return c.Judge(after, failed != nil), nil
}
