package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dougu-go/dougu/bench/driver"
)

// maxRSS is the memory limit of the server for each operation, in bytes.
const maxRSS = 100_000_000

// memory measures the memory of this library's server for large inputs.
func (b *bench) memory(ctx context.Context) error {
	tree, huge := filepath.Join(b.dir, "large"), filepath.Join(b.dir, "huge")
	if err := makeTree(tree, b.large, 64); err != nil {
		return err
	}
	if err := makeTree(huge, 1, 64); err != nil {
		return err
	}
	file := filepath.Join(huge, "huge.log")
	if err := makeHuge(file, b.huge); err != nil {
		return err
	}
	fmt.Fprintf(b.stdout, "\n| call | peak RSS | asked for |\n|---|---:|---:|\n")
	for _, c := range []struct {
		name, dir, tool string
		args            map[string]any
	}{
		{"names", tree, "search_files", map[string]any{"pattern": "**/*.rs"}},
		{"structure", tree, "get_workspace_structure", map[string]any{"maxDepth": 10}},
		{"content, everywhere", tree, "search_content", map[string]any{"pattern": "fox"}},
		{"content, nowhere", tree, "search_content", map[string]any{"pattern": "xyzzy"}},
		{"list, recursive", tree, "list_directory", map[string]any{"recursive": true}},
		{"bytes near the end", huge, "read_file", map[string]any{"path": file, "offset": b.huge - 5000, "length": 4000}},
		{"last lines", huge, "read_file", map[string]any{"path": file, "startLine": -20}},
		{"what it is", huge, "get_file_info", map[string]any{"path": file}},
	} {
		peak, err := b.peakOf(ctx, c.dir, c.tool, c.args)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(b.stdout, "| %s | %.1f MB | < %d MB |\n", c.name, float64(peak)/1e6, maxRSS/1_000_000)
	}
	return nil
}

// peakOf starts a server for one call and returns its maximum memory.
func (b *bench) peakOf(ctx context.Context, dir, tool string, args map[string]any) (peak int64, err error) {
	s, err := b.start(ctx, ours, dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if _, err := s.call(ctx, tool, args); err != nil {
		return 0, err
	}
	_, peak, err = driver.Resident(s.cmd.Process.Pid)
	return peak, err
}
